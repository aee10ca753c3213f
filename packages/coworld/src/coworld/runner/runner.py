"""Run one episode: `run_episode`.

    outcome = run_episode(package, fixture_request(package), engine=ProcessEngine(...), workspace=Path("results"))
    outcome.results, outcome.error

A failed episode does not raise: `outcome.error` and `error_info.json` hold the failure and the party to blame.
"""

import asyncio
import contextlib
import signal
import threading
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

from coworld.engines.base import Engine
from coworld.errors import SourceError
from coworld.manifest.package import CoworldPackage
from coworld.manifest.tokens import generate_tokens
from coworld.models.launch_specs import PlayerLaunchSpec, RunnableLaunchSpec
from coworld.models.manifest import CoworldManifest
from coworld.models.reporter_request import REPORT_REQUEST_ENV_VAR
from coworld.models.requests import CoworldEpisodeJobSpec, CoworldHumanPlayerSpec
from coworld.runner.artifacts import CONTAINER_WORKDIR, EpisodeArtifacts, write_document
from coworld.runner.budget import Budget
from coworld.runner.docker_names import (
    LOCAL_DOCKER_NETWORK,
    LOCAL_GAME_NETWORK_ALIAS_PREFIX,
    DockerImageInspectEntry,
    DockerManifestDescriptor,
    DockerManifestInspectResult,
    DockerManifestPlatform,
    DockerManifestVerboseEntry,
    assert_docker_image_reachable,
    assert_episode_images_reachable,
    docker_env_args,
    docker_image_command,
    ensure_local_docker_network,
    local_port_publish_args,
)
from coworld.runner.episode import Episode
from coworld.runner.failures import EpisodeFailure, Party, RunnerEpisodeError, RunnerErrorType
from coworld.runner.game_config import coworld_game_config, episode_player_tokens, write_coworld_game_config
from coworld.runner.game_hosted import LOG_MISSING, GameHostedEpisode
from coworld.runner.io import PlayerRuntimeStatus, exception_summary
from coworld.runner.isolation_receipts import (
    DockerContainerReceipt,
    DockerIsolationSettings,
    DockerNetworkEndpoint,
    DockerNetworkReceipt,
    DockerNetworkSettings,
    LocalIsolationReceipt,
)
from coworld.runner.lock import sole_use
from coworld.runner.options import EpisodeOptions, LiveEpisode
from coworld.runner.player_files import fixture_player_files, stage_player_files
from coworld.runner.ports import (
    LOCAL_EXTRA_PORTS_ENV_VAR,
    LOCAL_PORT_ENV_PREFIX,
    LOCAL_PORT_HOST,
    LOCAL_PORTS_JSON_ENV_VAR,
    LOCAL_SECRET_URIS_ENV_VAR,
    MAX_TCP_PORT,
    LocalPortRequest,
    ResolvedLocalPort,
    local_game_env,
    local_port_env,
    resolve_local_extra_ports,
)
from coworld.runner.reconnect import check_reconnect
from coworld.runner.redaction import Redactor
from coworld.runner.replay import check_replay, replay_server, require_replay
from coworld.runner.seats import Watched
from coworld.runner.traces import keep_game_logs

if TYPE_CHECKING:
    from coworld.runner.launched_episodes import EpisodeRunSpec, run_episode_containers, verify_replay_loadable

__all__ = [
    "CERTIFICATION_EPISODE_SOURCE",
    "CONFIG_ENV_VAR",
    "CONTAINER_WORKDIR",
    "DEFAULT_PLAYER_EXIT_TIMEOUT_SECONDS",
    "GAME_HOST",
    "GAME_HOSTED_PLAYER_LOG_MISSING",
    "GAME_HOST_ENV_VAR",
    "GAME_PORT",
    "GAME_PORT_ENV_VAR",
    "LOCAL_DOCKER_NETWORK",
    "LOCAL_EPISODE_CONTAINER_PREFIX",
    "LOCAL_EXTRA_PORTS_ENV_VAR",
    "LOCAL_GAME_NETWORK_ALIAS_PREFIX",
    "LOCAL_PORTS_JSON_ENV_VAR",
    "LOCAL_PORT_ENV_PREFIX",
    "LOCAL_PORT_HOST",
    "LOCAL_SECRET_URIS_ENV_VAR",
    "MAX_TCP_PORT",
    "PLAYER_FAILURE_ENV_VAR",
    "REPLAY_LOAD_ENV_VAR",
    "REPLAY_SAVE_ENV_VAR",
    "REPORT_REQUEST_ENV_VAR",
    "RESULTS_ENV_VAR",
    "DockerContainerReceipt",
    "DockerImageInspectEntry",
    "DockerIsolationSettings",
    "DockerManifestDescriptor",
    "DockerManifestInspectResult",
    "DockerManifestPlatform",
    "DockerManifestVerboseEntry",
    "DockerNetworkEndpoint",
    "DockerNetworkReceipt",
    "DockerNetworkSettings",
    "EpisodeArtifacts",
    "EpisodeFailure",
    "EpisodeOptions",
    "EpisodeOutcome",
    "EpisodeRunSpec",
    "LiveEpisode",
    "LocalIsolationReceipt",
    "LocalPortRequest",
    "Party",
    "PlayerLaunchSpec",
    "ResolvedLocalPort",
    "RunnableLaunchSpec",
    "RunnerEpisodeError",
    "RunnerErrorType",
    "assert_docker_image_reachable",
    "assert_episode_images_reachable",
    "coworld_game_config",
    "default_engine",
    "docker_env_args",
    "docker_image_command",
    "ensure_local_docker_network",
    "episode_player_tokens",
    "game_env_with_resolved_local_ports",
    "generate_tokens",
    "local_game_env",
    "local_port_env",
    "local_port_publish_args",
    "replay_client_url",
    "replay_session_path",
    "resolve_local_extra_ports",
    "run_coworld_episode",
    "run_episode",
    "run_episode_async",
    "run_episode_containers",
    "stage_player_files",
    "verify_reconnect",
    "verify_replay",
    "verify_replay_loadable",
    "write_coworld_game_config",
]

CERTIFICATION_EPISODE_SOURCE = "coworld_certification"
CONFIG_ENV_VAR = "COGAME_CONFIG_URI"
DEFAULT_PLAYER_EXIT_TIMEOUT_SECONDS = 30.0
GAME_HOST = "0.0.0.0"
GAME_HOST_ENV_VAR = "COGAME_HOST"
GAME_HOSTED_PLAYER_LOG_MISSING = LOG_MISSING
GAME_PORT = 8080
GAME_PORT_ENV_VAR = "COGAME_PORT"
LOCAL_EPISODE_CONTAINER_PREFIX = "coworld-cert"
PLAYER_FAILURE_ENV_VAR = "COGAME_PLAYER_FAILURE_URI"
REPLAY_LOAD_ENV_VAR = "COGAME_LOAD_REPLAY_URI"
REPLAY_SAVE_ENV_VAR = "COGAME_SAVE_REPLAY_URI"
RESULTS_ENV_VAR = "COGAME_RESULTS_URI"

game_env_with_resolved_local_ports = local_game_env

_FROM_LAUNCH_SPECS = "coworld.runner.launched_episodes"
_LATER = dict.fromkeys(("EpisodeRunSpec", "run_episode_containers", "verify_replay_loadable"), _FROM_LAUNCH_SPECS)
"""names of a module that imports this one"""

T = TypeVar("T")


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATER[name]), name)


def default_engine() -> Engine:
    """Return the engine of the published functions, which name none: local programs, else containers."""
    from coworld.engines.choice import choose_engine
    from coworld.engines.local_images import LocalImages

    return choose_engine("auto", LocalImages())


@dataclass(frozen=True)
class EpisodeOutcome:
    """The outcome of an episode."""

    results: dict[str, Any] | None
    error: EpisodeFailure | None
    players: Sequence[PlayerRuntimeStatus]
    artifacts: EpisodeArtifacts
    seconds: float

    @property
    def ok(self) -> bool:
        return self.error is None

    @property
    def workspace(self) -> Path:
        return self.artifacts.workspace


@runtime_checkable
class RunsEpisodes(Protocol):
    """An engine that runs whole episodes elsewhere, with a runner of its own."""

    def run_episode(
        self, request: CoworldEpisodeJobSpec, *, workspace: Path, options: EpisodeOptions
    ) -> EpisodeOutcome: ...


def run_episode(
    package: CoworldPackage | None,
    request: CoworldEpisodeJobSpec,
    *,
    engine: Engine,
    workspace: Path,
    options: EpisodeOptions | None = None,
    **changes: Any,
) -> EpisodeOutcome:
    """Play one episode and write its files to `workspace`, which may contain those of an earlier one.

    `package` finds the files of players for games that host them; None where the options name them. `changes` are
    fields of `EpisodeOptions`, such as `budget_seconds=60`. An interrupt (Ctrl-C, SIGTERM) ends everything that was
    started, writes `error_info.json` and is passed on.

    Raises:
        SourceError: the workspace cannot be written, or another run uses it.
    """
    options = replace(options or EpisodeOptions(), **changes)
    if isinstance(engine, RunsEpisodes):
        options = _with_player_files(package, request, options)
        return engine.run_episode(request, workspace=workspace, options=options)
    return in_a_loop(run_episode_async(package, request, engine=engine, workspace=workspace, options=options))


async def run_episode_async(
    package: CoworldPackage | None,
    request: CoworldEpisodeJobSpec,
    *,
    engine: Engine,
    workspace: Path,
    options: EpisodeOptions | None = None,
) -> EpisodeOutcome:
    """Play one episode in asyncio. Cancellation stops everything that was started."""
    options = _with_player_files(package, request, options or EpisodeOptions())
    hosted = request.manifest.game.player_runtime == "game-hosted"
    with sole_use(workspace):
        return await _played(request, workspace, engine, options, hosted=hosted)


def _with_player_files(
    package: CoworldPackage | None, request: CoworldEpisodeJobSpec, options: EpisodeOptions
) -> EpisodeOptions:
    """Return the options with the files of the fixture's players, for games that host their players."""
    hosted = request.manifest.game.player_runtime == "game-hosted"
    people = any(isinstance(player, CoworldHumanPlayerSpec) for player in request.players)
    if not hosted or people or options.player_files is not None or package is None:
        return options
    return replace(options, player_files=fixture_player_files(package))


async def _played(
    request: CoworldEpisodeJobSpec, workspace: Path, engine: Engine, options: EpisodeOptions, *, hosted: bool
) -> EpisodeOutcome:
    try:
        artifacts = EpisodeArtifacts.create(workspace)
    except OSError as error:
        raise SourceError(f"{workspace} cannot hold an episode: {error.strerror}", hint="name another folder") from None
    episode = (GameHostedEpisode if hosted else Episode)(request, artifacts, engine, options)
    failure: EpisodeFailure | None = None
    try:
        failure = await failure_of_episode(episode, artifacts)
        return EpisodeOutcome(episode.results, failure, episode.statuses, artifacts, episode.budget.used)
    except (asyncio.CancelledError, KeyboardInterrupt):
        failure = EpisodeFailure("node_disruption", "the run was interrupted before the episode ended")
        raise
    finally:
        if failure is not None:
            write_document(artifacts.error_info_path, failure.document())


async def failure_of_episode(episode: Episode, artifacts: EpisodeArtifacts) -> EpisodeFailure | None:
    """Run an episode to its end and say how it failed, if it did. The first failure is the one that counts."""
    options = episode.options
    failures: list[EpisodeFailure] = []
    try:
        await episode.run()
    except Exception as error:
        failures.append(_as_failure(error, episode))
    finally:
        try:
            await episode.finish()
        except Exception as error:
            failures.append(_as_failure(error, episode))
    try:
        if not failures and options.verify_replay:
            await _check_replay(episode, artifacts)
        if options.validate_results and (not failures or artifacts.results_path.exists()):
            episode.read_results()
    except Exception as error:
        failures.append(_as_failure(error, episode))
    return failures[0] if failures else None


def _as_failure(error: Exception, episode: Episode) -> EpisodeFailure:
    if isinstance(error, RunnerEpisodeError):
        return EpisodeFailure.of(error)
    message = episode.redactor().text(exception_summary(error))
    if isinstance(error, OSError):
        return EpisodeFailure("artifact_transport_error", f"what the episode left could not be kept: {message}")
    return EpisodeFailure("worker_error", f"the runner failed: {message}")


async def _check_replay(episode: Episode, artifacts: EpisodeArtifacts) -> None:
    require_replay(artifacts.replay_path)
    if episode.manifest.game.replay_viewer is not None:
        return
    if episode.budget.over:
        raise RunnerEpisodeError("no time was left to load the replay", error_type="replay_unloadable")
    await _show_replay(
        episode.manifest,
        artifacts.replay_path,
        episode.engine,
        episode.budget,
        episode.options.prefix,
        artifacts,
        episode.redactor(),
    )


def replay_client_url(port: int) -> str:
    """Return the URL of the replay page of a game on a port of this machine."""
    return f"http://{LOCAL_PORT_HOST}:{port}/client/replay"


def replay_session_path() -> str:
    """Return the path of the replay websocket of a game."""
    return "/replay"


def verify_replay(
    manifest: CoworldManifest,
    replay: Path,
    *,
    engine: Engine,
    budget_seconds: float = 60.0,
    log_to: EpisodeArtifacts | None = None,
    prefix: str = LOCAL_EPISODE_CONTAINER_PREFIX,
) -> None:
    """Start the game in replay mode and look at what it shows; raises RunnerEpisodeError (`replay_unloadable`)."""
    require_replay(replay)
    in_a_loop(_show_replay(manifest, replay, engine, Budget(budget_seconds), prefix, log_to, Redactor(())))


def verify_reconnect(request: CoworldEpisodeJobSpec, *, engine: Engine, budget_seconds: float = 60.0) -> None:
    """Start the game alone and look whether a lost seat may come back; raises RunnerEpisodeError."""
    options = EpisodeOptions(budget_seconds=budget_seconds, prefix="coworld-cert")
    in_a_loop(check_reconnect(request, engine, options))


async def _show_replay(
    manifest: CoworldManifest,
    replay: Path,
    engine: Engine,
    budget: Budget,
    prefix: str,
    log_to: EpisodeArtifacts | None,
    clean: Redactor,
) -> None:
    """Check the replay; append the game's output to its logs."""

    def keep(program: Watched) -> None:
        if log_to is not None:
            keep_game_logs(log_to, program.running, clean)

    async with replay_server(manifest.game, replay, engine, budget, prefix=prefix, at_end=keep) as program:
        await check_replay(program, budget)


def run_coworld_episode(
    job: CoworldEpisodeJobSpec,
    artifacts: EpisodeArtifacts,
    *,
    timeout_seconds: float,
    verify_replay: bool = False,
    validate_results: bool = True,
    container_prefix: str = LOCAL_EPISODE_CONTAINER_PREFIX,
    secret_env: Mapping[str, str] | None = None,
    player_secret_env: Mapping[int, Mapping[str, str]] | None = None,
    player_file_paths: Sequence[Path] | None = None,
    require_websocket_pong: bool = False,
    isolated_network_image: str | None = None,
    engine: Engine | None = None,
) -> None:
    """The published entry: raises RunnerEpisodeError when the episode fails.

    Images run as local programs where one has the image's name, else as containers. `isolated_network_image` is not
    used: episodes are always isolated.
    """
    options = EpisodeOptions(
        budget_seconds=timeout_seconds,
        verify_replay=verify_replay,
        validate_results=validate_results,
        prefix=container_prefix,
        secret_env=secret_env or {},
        player_secret_env=player_secret_env or {},
        player_files=player_file_paths,
        ping=require_websocket_pong,
    )
    engine = engine or default_engine()
    error = run_episode(None, job, engine=engine, workspace=artifacts.workspace, options=options).error
    if error is not None:
        raise error.exception()


def in_a_loop(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end; SIGTERM, like an interrupt from the keyboard, ends it in good order."""

    async def guarded() -> T:
        with _terminating(asyncio.get_running_loop(), asyncio.current_task()):
            return await work

    return asyncio.run(guarded())


@contextlib.contextmanager
def _terminating(loop: asyncio.AbstractEventLoop, task: "asyncio.Task[Any] | None") -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread() or task is None:
        yield
        return
    terminated = False

    def end() -> None:
        nonlocal terminated
        terminated = True
        task.cancel()

    before = signal.getsignal(signal.SIGTERM)
    loop.add_signal_handler(signal.SIGTERM, end)
    try:
        yield
    except asyncio.CancelledError:
        if terminated:
            raise SystemExit(128 + signal.SIGTERM) from None
        raise
    finally:
        loop.remove_signal_handler(signal.SIGTERM)
        signal.signal(signal.SIGTERM, before if before is not None else signal.SIG_DFL)
