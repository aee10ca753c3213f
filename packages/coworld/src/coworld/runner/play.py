"""Play a Coworld in the browser, and show replays: the API behind the commands `play` and `replay`.

play_coworld(Path("coworld_manifest.json"), on_ready=lambda session: print(session.links.global_))
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from coworld.errors import CoworldError
from coworld.manifest.package import CoworldPackage, load_package
from coworld.models.requests import CoworldEpisodeJobSpec, CoworldHumanPlayerSpec
from coworld.runner.artifacts import EpisodeArtifacts
from coworld.runner.episode_request import fixture_request, load_request, with_own_commands
from coworld.runner.failures import RunnerEpisodeError
from coworld.runner.options import EpisodeOptions, LiveEpisode
from coworld.runner.runner import (
    CONFIG_ENV_VAR,
    CONTAINER_WORKDIR,
    DEFAULT_PLAYER_EXIT_TIMEOUT_SECONDS,
    GAME_HOST,
    GAME_HOST_ENV_VAR,
    GAME_PORT,
    GAME_PORT_ENV_VAR,
    PLAYER_FAILURE_ENV_VAR,
    REPLAY_LOAD_ENV_VAR,
    REPLAY_SAVE_ENV_VAR,
    RESULTS_ENV_VAR,
    EpisodeOutcome,
    ResolvedLocalPort,
    run_episode,
)

if TYPE_CHECKING:
    from coworld.engines.base import Address, Engine

__all__ = [
    "CONFIG_ENV_VAR",
    "CONTAINER_WORKDIR",
    "DEFAULT_PLAYER_EXIT_TIMEOUT_SECONDS",
    "GAME_HOST",
    "GAME_HOST_ENV_VAR",
    "GAME_PORT",
    "GAME_PORT_ENV_VAR",
    "PLAYER_FAILURE_ENV_VAR",
    "REPLAY_LOAD_ENV_VAR",
    "REPLAY_SAVE_ENV_VAR",
    "RESULTS_ENV_VAR",
    "PlayLinks",
    "PlayResult",
    "PlaySession",
    "ReplaySession",
    "build_play_links",
    "by_hand",
    "play_coworld",
    "play_package",
    "refuse_game_hosted",
    "replay_coworld",
    "replay_package",
    "show_after",
    "with_people",
]

LOOPBACK = "127.0.0.1"
BY_HAND = "by-hand"
PATIENCE = "player_connect_timeout_seconds"
"""the setting by which games know how long to wait for their players"""


@dataclass(frozen=True)
class PlayLinks:
    """Pages of a running game. Links for players contain the seats' tokens."""

    players: list[str]
    global_: str
    admin: str


@dataclass(frozen=True)
class PlaySession:
    """A game that is about to begin."""

    package: CoworldPackage
    artifacts: EpisodeArtifacts
    variant_id: str
    links: PlayLinks
    local_ports: list[ResolvedLocalPort] = field(default_factory=list)
    """further ports of the game"""


@dataclass(frozen=True)
class PlayResult:
    """A game that was played to its end."""

    session: PlaySession
    results: dict[str, Any]


@dataclass(frozen=True)
class ReplaySession:
    """A replay that is being shown."""

    package: CoworldPackage
    artifacts: EpisodeArtifacts
    replay_path: Path
    link: str


def build_play_links(
    players: Sequence[object],
    tokens: Sequence[str],
    *,
    game_port: int,
    folder: str = "/client",
    admin_token: str = "",
) -> PlayLinks:
    """Return the pages of a game on a port of this machine, with one link for each player. The admin link contains the
    episode's admin token."""
    base = f"http://{LOOPBACK}:{game_port}{folder}"
    seats = [urlencode({"slot": slot, "token": tokens[slot]}) for slot in range(len(players))]
    admin = f"{base}/admin?{urlencode({'token': admin_token})}" if admin_token else f"{base}/admin"
    return PlayLinks([f"{base}/player?{seat}" for seat in seats], f"{base}/global", admin)


def with_people(
    request: CoworldEpisodeJobSpec, slots: Sequence[int], *, wait_seconds: float | None = None
) -> CoworldEpisodeJobSpec:
    """Return the episode with these seats left to people; raises ValueError for an unknown slot.

    With `wait_seconds`, a game that has a setting for it waits that long for its players.
    """
    players = list(request.players)
    for slot in slots:
        if not 0 <= slot < len(players):
            raise ValueError(f"There is no slot {slot}; this episode has 0 to {len(players) - 1}")
        players[slot] = CoworldHumanPlayerSpec(type="human", token=secrets.token_urlsafe(16))
    changes: dict[str, Any] = {"players": players}
    patience = (request.config_schema.get("properties") or {}).get(PATIENCE)
    if slots and wait_seconds is not None and isinstance(patience, Mapping):
        longest = patience.get("maximum", wait_seconds)
        changes["game_config"] = {**request.game_config, PATIENCE: min(wait_seconds, longest)}
    return request.model_copy(update=changes)


def by_hand(package: CoworldPackage) -> str | None:
    """Return the variant whose speed is made for people; None if the game has none."""
    return BY_HAND if any(variant.id == BY_HAND for variant in package.manifest.variants) else None


def show_after(session: PlaySession, *, engine: Engine, on_ready: Callable[[str], None]) -> None:
    """Show the replay of a game that has ended until an interrupt; nothing if there is none or it cannot be shown."""
    replay = session.artifacts.replay_path
    if not replay.is_file():
        return
    with contextlib.suppress(KeyboardInterrupt, CoworldError, RunnerEpisodeError):
        replay_package(
            session.package,
            replay,
            engine=engine,
            workspace=session.artifacts.workspace,
            on_ready=lambda shown: on_ready(shown.link),
        )


def refuse_game_hosted(package: CoworldPackage) -> None:
    """Raise CoworldError for a game that runs its players itself: a person cannot take a seat in it."""
    if package.manifest.game.player_runtime == "game-hosted":
        raise CoworldError(
            f"{package.manifest.game.name} hosts its players, and such games cannot be played in the browser",
            hint="use `coworld run-episode`, and `coworld replay` to look at it",
        )


def play_package(
    package: CoworldPackage,
    request: CoworldEpisodeJobSpec,
    *,
    engine: Engine,
    workspace: Path,
    options: EpisodeOptions,
    on_ready: Callable[[PlaySession], None],
    variant_id: str = "",
) -> tuple[PlaySession | None, EpisodeOutcome]:
    """Play an episode that people watch. Call `on_ready` with its links when the game is up; the session is None if it
    never was. A player that fails leaves its seat empty, and the game continues."""
    session: PlaySession | None = None

    def ready(live: LiveEpisode) -> None:
        nonlocal session
        folder = _pages_folder(live.address)
        port, token = live.address[1], live.admin_token
        links = build_play_links(live.tokens, live.tokens, game_port=port, folder=folder, admin_token=token)
        artifacts = EpisodeArtifacts.at(live.workspace)
        ports = [ResolvedLocalPort(inside, outside) for inside, outside in sorted(live.ports.items())]
        session = PlaySession(package, artifacts, variant_id, links, ports)
        on_ready(session)

    options = replace(
        options, probes=False, artifacts=False, people=True, clean_exits=False, prefix="coworld-play", on_ready=ready
    )
    outcome = run_episode(package, request, engine=engine, workspace=workspace, options=options)
    return session, outcome


def play_coworld(
    manifest_path: Path,
    *,
    variant_id: str | None = None,
    episode_request_path: Path | None = None,
    player_images: list[str] | None = None,
    player_run: list[str] | None = None,
    use_llm: bool = False,
    use_bedrock: bool = False,
    aws_profile: str | None = None,
    aws_region: str | None = None,
    secret_env: Mapping[str, str] | None = None,
    workspace: Path | None = None,
    timeout_seconds: float = 3600.0,
    player_exit_timeout_seconds: float = DEFAULT_PLAYER_EXIT_TIMEOUT_SECONDS,
    on_ready: Callable[[PlaySession], None],
    engine: Engine | None = None,
) -> PlayResult:
    """Play the fixture, a variant or a request to its end.

    With `use_bedrock`, players get the AWS keys of `aws_profile` or of the environment, and may reach Bedrock.

    Raises:
        CoworldError: there is no such variant, or there are no AWS keys.
        RunnerEpisodeError: the episode fails.
    """
    package = load_package(manifest_path, strict=False)
    refuse_game_hosted(package)
    engine = engine or _default_engine(package)
    if episode_request_path is not None:
        request = load_request(episode_request_path, package=package, strict=False)
    else:
        request = fixture_request(package, variant_id=variant_id, images=player_images or (), run=player_run or ())
        if player_images and not player_run:
            request = with_own_commands(request, engine)
    bedrock, hosts = _bedrock(aws_profile, aws_region) if use_bedrock else ({}, [])
    secrets_of_players = {**({"COWORLD_LLM_ENABLED": "true"} if use_llm else {}), **bedrock, **(secret_env or {})}
    options = EpisodeOptions(
        budget_seconds=timeout_seconds,
        player_exit_seconds=player_exit_timeout_seconds,
        secret_env=secrets_of_players,
        egress=hosts,
    )
    session, outcome = play_package(
        package,
        request,
        engine=engine,
        workspace=workspace or Path(tempfile.mkdtemp(prefix="coworld-play-")),
        options=options,
        on_ready=on_ready,
        variant_id=variant_id or "",
    )
    if outcome.error is not None:
        raise outcome.error.exception()
    assert session is not None and outcome.results is not None
    return PlayResult(session, outcome.results)


def _bedrock(profile: str | None, region: str | None) -> tuple[dict[str, str], list[str]]:
    """Return the variables and the host for players that use Bedrock."""
    from coworld.runner.aws import bedrock_access, missing_keys

    access = bedrock_access(profile, region)
    if access is None:
        hint = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile that has them"
        raise CoworldError(f"use_bedrock needs AWS keys, and {missing_keys(profile)}", hint=hint)
    return access.env, [access.host]


def replay_package(
    package: CoworldPackage,
    replay_path: Path,
    *,
    engine: Engine | None,
    workspace: Path,
    timeout_seconds: float = 60.0,
    verify_replay: bool = False,
    on_ready: Callable[[ReplaySession], None],
) -> ReplaySession:
    """Show a replay until an interrupt (Ctrl-C, or one that `on_ready` sends); return the session.

    A game with a static viewer needs no engine: its pages are served from the package. Raises RunnerEpisodeError
    (`replay_unloadable`) when the game cannot show it.
    """
    from coworld.runner.replay import require_replay
    from coworld.runner.viewer_bundle import ViewerServer

    require_replay(replay_path)
    artifacts = EpisodeArtifacts.at(workspace)
    viewer = package.manifest.game.replay_viewer
    if viewer is not None:
        with ViewerServer(package.file(viewer.bundle), replay_path, compression=viewer.replay_compression) as server:
            session = ReplaySession(package, artifacts, replay_path, server.link)
            on_ready(session)
            server.wait()
        return session
    return asyncio.run(
        _show(
            package,
            replay_path,
            engine or _default_engine(package),
            artifacts,
            timeout_seconds,
            verify_replay,
            on_ready,
        )
    )


def replay_coworld(
    manifest_path: Path,
    replay_path: Path,
    *,
    workspace: Path | None = None,
    timeout_seconds: float = 60.0,
    verify_replay: bool = False,
    on_ready: Callable[[ReplaySession], None],
    engine: Engine | None = None,
) -> ReplaySession:
    """Show a replay by the paths of a manifest and a replay, which may be compressed."""
    from coworld.uris.manifests import materialized_replay_path

    package = load_package(manifest_path, strict=False)
    with contextlib.ExitStack() as stack:
        path = stack.enter_context(materialized_replay_path(str(replay_path)))
        if workspace is None:
            workspace = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="coworld-replay-")))
        return replay_package(
            package,
            path,
            engine=engine,
            workspace=workspace,
            timeout_seconds=timeout_seconds,
            verify_replay=verify_replay,
            on_ready=on_ready,
        )


async def _show(
    package: CoworldPackage,
    replay_path: Path,
    engine: Engine,
    artifacts: EpisodeArtifacts,
    timeout_seconds: float,
    verify: bool,
    on_ready: Callable[[ReplaySession], None],
) -> ReplaySession:
    from coworld.runner.budget import Budget
    from coworld.runner.pages import page_status
    from coworld.runner.replay import check_replay, replay_query, replay_server

    game = package.manifest.game
    async with replay_server(game, replay_path, engine, Budget(None), health_seconds=timeout_seconds) as program:
        address = program.running.endpoint
        assert address is not None
        if verify:
            await check_replay(program, Budget(timeout_seconds))
        query = replay_query(program)
        _, path = await page_status(address, "replay", query, timeout=timeout_seconds, redirects=True)
        link = f"http://{address[0]}:{address[1]}{path}?{urlencode(query)}"
        session = ReplaySession(package, artifacts, replay_path, link)
        on_ready(session)
        await asyncio.wait({program.ended})
        reason = program.ended.result().reason
        raise RunnerEpisodeError(f"the game {reason} while it showed the replay", error_type="replay_unloadable")


def _pages_folder(address: Address) -> str:
    """Return the folder of the game's pages, which differs for games of the older generation."""
    from urllib.error import HTTPError, URLError
    from urllib.request import urlopen

    try:
        with urlopen(f"http://{address[0]}:{address[1]}/client/global", timeout=5):
            return "/client"
    except HTTPError as error:
        error.close()
        return "/clients" if error.code == 404 else "/client"
    except (URLError, OSError):
        return "/client"


def _default_engine(package: CoworldPackage) -> Engine:
    from coworld.engines.choice import choose_engine
    from coworld.engines.local_images import LocalImages

    return choose_engine("auto", LocalImages.beside(package.path))
