"""Play one episode of a league's job with the Coworld runner, and leave its files in a folder.

| file | content |
|---|---|
| `results.json`, `replay`, `events.json` | what the game wrote |
| `error_info.json` | why the episode failed, and the seat at fault, if any |
| `player_status.json` | how the players ended |
| `game.log`, `policy_agent_<i>.log` | output of the game and of the player in a seat |
| `policy_artifact_<i>.zip`, `policy_annotations_<i>.jsonl` | what the player, or the game about it, left |
| `runtime_info.json` | an `EpisodeRuntime` |
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit

from cogbox import Level
from coworld.engines.auto import AutoEngine
from coworld.engines.base import Engine, EngineError
from coworld.engines.container_images import ContainerImages
from coworld.engines.local_images import LocalImage, LocalImages
from coworld.engines.process import ProcessEngine
from coworld.errors import CoworldError
from coworld.league.programs import BundleProblem, game_programs, unpacked_program
from coworld.league.results import scores_problem
from coworld.league.runtime import EpisodeRuntime, RunnableRuntime, SeatRuntime, installed_versions
from coworld.league.showing import GameDoor, play_shown
from coworld.manifest.reader import read_downloaded_manifest
from coworld.models.manifest import CoworldManifest
from coworld.models.requests import CoworldEpisodeJobSpec
from coworld.runner.artifacts import EpisodeArtifacts, write_document
from coworld.runner.episode_request import check_request, parse_request
from coworld.runner.failures import EpisodeFailure
from coworld.runner.options import EpisodeOptions
from coworld.runner.player_files import player_file_spec
from coworld.runner.ports import LOCAL_SECRET_URIS_ENV_VAR
from coworld.runner.runner import EpisodeOutcome, run_episode

__all__ = [
    "GAME_PLAYER",
    "LOCAL_ONLY",
    "SeatProblem",
    "SeatedPolicy",
    "Seats",
    "check_job",
    "episode_request",
    "fail",
    "job_manifest",
    "keep_episode",
    "league_engine",
    "play",
    "use_what_came_with_the_job",
]

GAME_PLAYER = "metta://policy/game-player"
"""in a job, the address of a player that comes with the game"""
LEASED_SECRET = "secret://leased/"
"""in a game's environment, before the name of a file in the folder `game-secrets` of the job"""
DEFAULT_MINUTES = 20.0
"""for an episode of a game that does not say how long it may take"""
LOCAL_ONLY = "COWORLD_LOCAL_"
"""variables by which a game asks for ports and secrets of the machine; only a user may grant them to their own game"""


class SeatedPolicy(Protocol):
    """A policy of an episode: a local address or an image, and the settings of its process."""

    @property
    def name(self) -> str: ...
    @property
    def uri(self) -> str: ...
    @property
    def egress(self) -> Sequence[str]: ...
    @property
    def secrets(self) -> Mapping[str, str]: ...
    @property
    def image(self) -> str | None: ...
    @property
    def program(self) -> Mapping[str, Any]: ...


def check_job(spec: Mapping[str, Any]) -> None:
    """Raise `ValueError` for a job that cannot be played: malformed, or with seats that do not fit.

    Only the server itself queues jobs of a Coworld that it has; this is for complete jobs of administrators.
    """
    if "coworld_id" in spec or "kind" in spec:
        raise ValueError("a job has its own manifest; request episodes of a published Coworld instead")
    seats = len(spec.get("policy_uris") or [])
    names, own = spec.get("policy_names"), spec.get("game_players")
    if list(spec.get("assignments") or []) != list(range(seats)) or not seats:
        raise ValueError("assignments must be 0, 1, ...: every seat of a Coworld has a policy of its own")
    if not isinstance(names, list) or not isinstance(own, list) or not len(names) == len(own) == seats:
        raise ValueError("policy_names and game_players must have an entry for each seat")
    manifest = job_manifest(spec)
    for uri, player_id in zip(spec["policy_uris"], own, strict=True):
        if uri == GAME_PLAYER:
            _game_player(manifest, player_id)
    players = [_PLACEHOLDER_FILE if manifest.game.player_runtime == "game-hosted" else _PLACEHOLDER] * seats
    check_request(episode_request(spec, manifest, players))


_PLACEHOLDER = {"type": "player", "image": "any"}
_PLACEHOLDER_FILE = {"type": "player-file", "content_hash": "0" * 64, "size_bytes": 0}


def play(
    folder: Path,
    spec: Mapping[str, Any],
    policies: Sequence[SeatedPolicy],
    *,
    minimum: str,
    time_limit_seconds: float,
    door: GameDoor | None = None,
) -> None:
    """Play an episode and write its files to the folder; see the table of the module.

    With a `door`, people may watch the game's own page meanwhile.

    The environment of this process changes: it plays no other episode.
    """
    workspace = folder / "episode"
    try:
        use_what_came_with_the_job(folder)
        manifest = job_manifest(spec)
        seats = Seats(manifest, folder)
        for slot, policy in enumerate(policies):
            seats.add(slot, policy, spec["game_players"][slot])
        request = episode_request(spec, manifest, seats.players)
        engine = league_engine({**game_programs(folder), **seats.programs}, minimum)
    except SeatProblem as problem:
        fail(folder, EpisodeFailure("player_error", str(problem), problem.slot))
        return
    except EngineError as problem:
        fail(folder, EpisodeFailure("platform_error", str(problem)))
        return
    except CoworldError as problem:
        fail(folder, EpisodeFailure("config_error", str(problem)))
        return
    minutes = manifest.episode_timeout_minutes or DEFAULT_MINUTES
    options = EpisodeOptions(
        budget_seconds=min(60.0 * minutes, 0.9 * time_limit_seconds),
        clean_exits=False,
        prefix="coworld-league",
        player_secret_env={slot: policy.secrets for slot, policy in enumerate(policies)},
        player_egress={slot: tuple(policy.egress) for slot, policy in enumerate(policies)},
        player_files=seats.files or None,
    )
    if door is None:
        outcome = run_episode(None, request, engine=engine, workspace=workspace, options=options)
    else:
        shown = play_shown(request, engine, workspace, options, door)
        outcome = asyncio.run(shown)
    keep_episode(folder, outcome, engine, spec)


def keep_episode(folder: Path, outcome: EpisodeOutcome, engine: Engine, spec: Mapping[str, Any]) -> None:
    """Leave the files of an episode in the folder of its job, and why it failed, if it did."""
    names = list(spec["policy_names"])
    failure = outcome.error or _missing(outcome, len(names))
    _keep(outcome.artifacts, folder, len(names))
    _write_runtime(folder, outcome, engine, names)
    if failure is not None:
        fail(folder, failure)


class SeatProblem(Exception):
    """The policy of a seat cannot be started, and its author is at fault."""

    def __init__(self, slot: int, message: str) -> None:
        super().__init__(f"the player of slot {slot}: {message}")
        self.slot = slot


class Seats:
    """The players of an episode as the runner takes them."""

    def __init__(self, manifest: CoworldManifest, folder: Path) -> None:
        self._manifest, self._folder = manifest, folder
        self._hosted = manifest.game.player_runtime == "game-hosted"
        self.players: list[dict[str, Any]] = []
        self.files: list[Path] = []
        self.programs: dict[str, LocalImage] = {}

    def add_person(self) -> None:
        """Leave the next seat to a person, with a token that only the game and this machine know."""
        self.players.append({"type": "human", "token": secrets.token_urlsafe(24)})

    def add(self, slot: int, policy: SeatedPolicy, player_id: str | None) -> None:
        """Seat a policy; raise `SeatProblem` if its author has to change it."""
        local = _local_path(policy.uri)
        if self._hosted:
            if player_id is not None:
                digest = (_game_player(self._manifest, player_id).file or "").removeprefix("sha256:")
                local = self._folder / "player-files" / digest
            self._add_file(slot, local)
        elif player_id is not None:
            player = _game_player(self._manifest, player_id)
            self.players.append(player.runnable().model_dump(mode="json", by_alias=True, exclude_none=True))
        elif policy.image is not None:
            settings = {key: policy.program[key] for key in ("run", "resources", "startup") if policy.program.get(key)}
            self.players.append({"type": "player", "image": policy.image, **settings})
        elif local is not None:
            image = f"uploaded-player-{slot}"
            root = self._folder / "players" / str(slot)
            root.mkdir(parents=True)
            try:
                self.programs[image] = unpacked_program(local, root, image)
            except BundleProblem as problem:
                raise SeatProblem(slot, str(problem)) from None
            run = policy.program.get("run") or []
            self.players.append({"type": "player", "image": image, "run": list(run)})
        else:
            raise SeatProblem(slot, "it has neither a bundle nor an image")

    def _add_file(self, slot: int, local: Path | None) -> None:
        if local is None:
            raise SeatProblem(slot, "the game runs its players itself, from files, and this one is not a file")
        self.files.append(local)
        self.players.append(player_file_spec(local).model_dump(mode="json"))


def job_manifest(spec: Mapping[str, Any]) -> CoworldManifest:
    """Return the manifest of a job, whose game cannot ask for anything of the machine that runs it."""
    document = spec.get("manifest")
    if not isinstance(document, Mapping):
        raise CoworldError("the job has no manifest")
    manifest = read_downloaded_manifest(dict(document))
    game = manifest.game.runnable
    env = {name: value for name, value in game.env.items() if not name.startswith(LOCAL_ONLY)}
    runnable = game.model_copy(update={"env": env})
    return manifest.model_copy(update={"game": manifest.game.model_copy(update={"runnable": runnable})})


def _game_player(manifest: CoworldManifest, player_id: str | None) -> Any:
    for player in manifest.player:
        if player.id == player_id:
            return player
    known = ", ".join(player.id for player in manifest.player)
    raise CoworldError(f"{manifest.game.name} has no player {player_id!r}", hint=f"it has: {known}")


def episode_request(
    spec: Mapping[str, Any], manifest: CoworldManifest, players: Sequence[Mapping[str, Any]]
) -> CoworldEpisodeJobSpec:
    """Return the episode of a job as the runner takes it."""
    return parse_request(
        {
            "manifest": manifest.model_dump(mode="json", by_alias=True, exclude_none=True),
            "game_config": spec.get("game_config"),
            "players": list(players),
            "episode_tags": {key: str(value) for key, value in spec.get("episode_tags", {}).items()},
            "policy_names": spec.get("policy_names"),
        },
        strict=False,
    )


def league_engine(programs: Mapping[str, LocalImage], minimum: str) -> Engine:
    """Return an engine for every image of the episode: local programs first, then containers."""
    images = LocalImages((programs,))
    level = Level.named(minimum)
    # The engine's own choice is at least `namespaces`; stronger levels are asked for by name.
    stronger = minimum if level > Level.NAMESPACES else None
    local = ProcessEngine(images, unsafe=level is Level.NONE, level=stronger)
    return AutoEngine(local, lambda name: ContainerImages(name))


def use_what_came_with_the_job(folder: Path) -> None:
    """Let container engines pull with the login of a job, and the game read its secrets, if the job has any.

    The secrets are files, which the runner copies into the game's folder: a game has no network.
    """
    registry, secrets = folder / "registry", folder / "game-secrets"
    if registry.is_dir():
        os.environ["REGISTRY_AUTH_FILE"] = str(registry / "config.json")
        os.environ["DOCKER_CONFIG"] = str(registry)
        os.environ["CONTAINERS_REGISTRIES_CONF"] = str(registry / "registries.conf")
    files = sorted(secrets.iterdir()) if secrets.is_dir() else []
    os.environ[LOCAL_SECRET_URIS_ENV_VAR] = json.dumps({f"{LEASED_SECRET}{file.name}": file.as_uri() for file in files})


def _local_path(uri: str) -> Path | None:
    parts = urlsplit(uri)
    return Path(unquote(parts.path)) if parts.scheme == "file" else None


def _missing(outcome: EpisodeOutcome, seats: int) -> EpisodeFailure | None:
    """Return the failure of a game that ended well but did not leave what a league needs."""
    problem = scores_problem(outcome.results or {}, seats)
    if problem is not None:
        return EpisodeFailure("results_malformed", problem)
    if not outcome.artifacts.replay_path.is_file():
        return EpisodeFailure("replay_missing", "the game ended and has written no replay")
    return None


def fail(folder: Path, failure: EpisodeFailure) -> None:
    """Write why an episode failed."""
    write_document(folder / "error_info.json", failure.document())


def _keep(artifacts: EpisodeArtifacts, folder: Path, seats: int) -> None:
    """Move the files of an episode to the names that a league knows."""
    moved = {
        artifacts.results_path: "results.json",
        artifacts.replay_path: "replay",
        artifacts.events_path: "events.json",
        artifacts.player_status_path: "player_status.json",
    }
    for slot in range(seats):
        moved[artifacts.policy_artifact_path(slot)] = f"policy_artifact_{slot}.zip"
        moved[artifacts.policy_annotations_path(slot)] = f"policy_annotations_{slot}.jsonl"
        _join(folder / f"policy_agent_{slot}.log", [artifacts.policy_log_path(slot), artifacts.posted_log_path(slot)])
    for source, name in moved.items():
        if source.is_file():
            os.replace(source, folder / name)
    logs = [artifacts.game_stdout_path, artifacts.game_stderr_path, artifacts.posted_log_path(None)]
    _join(folder / "game.log", logs)


def _join(target: Path, sources: Sequence[Path]) -> None:
    """Write logs one after the other; no file without any."""
    existing = [source for source in sources if source.is_file()]
    if not existing:
        return
    with target.open("wb") as joined:
        for source in existing:
            with source.open("rb") as part:
                shutil.copyfileobj(part, joined)


def _write_runtime(folder: Path, outcome: EpisodeOutcome, engine: Engine, names: Sequence[str]) -> None:
    receipts = _receipts(outcome.artifacts)
    levels = {receipt.get("slot"): receipt.get("level") for receipt in receipts if receipt.get("role") == "player"}
    states = {status.slot: status for status in outcome.players}
    seats = []
    for slot, name in enumerate(names):
        status = states.get(slot)
        is_bad = status is not None and (status.state == "not_started" or status.exit_code not in (None, 0))
        seats.append(SeatRuntime(name=name, isolation=levels.get(slot), status="failed" if is_bad else "ok"))
    fields = RunnableRuntime.model_fields
    runtime = EpisodeRuntime(
        wall_ms=1000 * outcome.seconds,
        engine=engine.name,
        policies=seats,
        runnables=[RunnableRuntime(**{key: receipt.get(key) for key in fields}) for receipt in receipts],
        versions=installed_versions(),
    )
    (folder / "runtime_info.json").write_text(runtime.model_dump_json())


def _receipts(artifacts: EpisodeArtifacts) -> list[dict[str, Any]]:
    try:
        document = json.loads(artifacts.isolation_path.read_bytes())
    except (OSError, ValueError):
        return []
    runnables: list[dict[str, Any]] = document.get("runnables", [])
    return runnables
