"""Run an episode from launch specs, without a manifest: `run_episode_containers`.

The caller has written `config.json` with the tokens. Images run as in every episode: a local program if one has the
image's name, else a container.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from coworld.engines.base import Engine
from coworld.errors import CoworldError
from coworld.models.launch_specs import PlayerLaunchSpec, RunnableLaunchSpec
from coworld.models.manifest import CoworldManifest
from coworld.models.requests import CoworldEpisodeJobSpec
from coworld.models.runnables import CoworldRunnableSpec
from coworld.runner.artifacts import EpisodeArtifacts, write_document
from coworld.runner.episode import Episode
from coworld.runner.failures import EpisodeFailure, RunnerEpisodeError
from coworld.runner.options import EpisodeOptions
from coworld.runner.ports import LOCAL_EXTRA_PORTS_ENV_VAR, ResolvedLocalPort
from coworld.runner.runner import (
    LOCAL_EPISODE_CONTAINER_PREFIX,
    default_engine,
    failure_of_episode,
    in_a_loop,
    verify_replay,
)

__all__ = ["EpisodeRunSpec", "run_episode_containers", "verify_replay_loadable"]


@dataclass(frozen=True)
class EpisodeRunSpec:
    """An episode to run: programs, tokens by slot, and the workspace with its `config.json`."""

    game: RunnableLaunchSpec
    players: list[PlayerLaunchSpec]
    tokens: list[str]
    artifacts: EpisodeArtifacts
    timeout_seconds: float
    container_prefix: str = LOCAL_EPISODE_CONTAINER_PREFIX
    secret_env: Mapping[str, str] = field(default_factory=dict, repr=False)
    require_websocket_pong: bool = False
    isolated_network_image: str | None = None
    """not used: episodes are always isolated, without relays"""
    resource_admission: object | None = None
    """not supported: an episode removes everything it has created, also after the end of this process"""


def run_episode_containers(
    spec: EpisodeRunSpec,
    *,
    verify_replay: bool = True,
    static_replay_viewer: bool = False,
    engine: Engine | None = None,
) -> None:
    """Play an episode and leave its files in the workspace. The caller validates the results.

    Raises:
        CoworldError: the spec has `resource_admission`, or not one token per player.
        RunnerEpisodeError: the episode failed.
    """
    if spec.resource_admission is not None:
        raise CoworldError("resource_admission is not supported", hint="leave it out: episodes remove what they create")
    if len(spec.tokens) != len(spec.players):
        raise CoworldError(f"{len(spec.tokens)} tokens for {len(spec.players)} players", hint="give one per player")
    request = CoworldEpisodeJobSpec(
        manifest=_manifest(spec.game, spec.players, static_replay_viewer=static_replay_viewer),
        game_config={},
        players=[_runnable("player", player) for player in spec.players],
    )
    options = EpisodeOptions(
        budget_seconds=spec.timeout_seconds,
        verify_replay=verify_replay,
        validate_results=False,
        ping=spec.require_websocket_pong,
        prefix=spec.container_prefix,
        secret_env=spec.secret_env,
        player_secret_env={slot: player.secret_env for slot, player in enumerate(spec.players)},
    )
    episode = _ConfiguredEpisode(request, spec.artifacts, engine or default_engine(), options)
    episode.tokens = list(spec.tokens)
    failure = in_a_loop(_played(episode))
    if failure is not None:
        raise failure.exception()


async def _played(episode: Episode) -> EpisodeFailure | None:
    failure = await failure_of_episode(episode, episode.artifacts)
    if failure is not None:
        write_document(episode.artifacts.error_info_path, failure.document())
    return failure


class _ConfiguredEpisode(Episode):
    """An episode whose configuration the caller has written."""

    def write_config(self) -> bytes:
        path = self.artifacts.config_path
        try:
            return path.read_bytes()
        except OSError as error:
            raise RunnerEpisodeError(
                f"{path} could not be read: {error.strerror}; call write_coworld_game_config first",
                error_type="config_error",
            ) from None


def verify_replay_loadable(
    game: RunnableLaunchSpec,
    artifacts: EpisodeArtifacts,
    *,
    network: object | None = None,
    timeout_seconds: float,
    container_prefix: str = LOCAL_EPISODE_CONTAINER_PREFIX,
    resolved_local_ports: Sequence[ResolvedLocalPort] | None = None,
    engine: Engine | None = None,
) -> None:
    """Start a game in replay mode with the replay of a workspace, and check what it shows.

    `network` is not used: the game has none.

    Raises:
        RunnerEpisodeError: there is no replay (`replay_missing`), or it cannot be loaded (`replay_unloadable`).
    """
    if resolved_local_ports is not None:
        ports = ",".join(f"{port.container_port}:{port.host_port}" for port in resolved_local_ports)
        env = {name: value for name, value in game.env.items() if name != LOCAL_EXTRA_PORTS_ENV_VAR}
        more = {LOCAL_EXTRA_PORTS_ENV_VAR: ports} if ports else {}
        game = RunnableLaunchSpec(game.image, game.run, {**env, **more}, game.resources, game.startup)
    verify_replay(
        _manifest(game, [], static_replay_viewer=False),
        artifacts.replay_path,
        engine=engine or default_engine(),
        budget_seconds=timeout_seconds,
        log_to=artifacts,
        prefix=container_prefix,
    )


def _runnable(role: str, spec: RunnableLaunchSpec) -> CoworldRunnableSpec:
    return CoworldRunnableSpec.model_validate(
        {
            "type": role,
            "image": spec.image,
            "run": list(spec.run),
            "env": dict(spec.env),
            "resources": spec.resources,
            "startup": spec.startup,
        }
    )


def _manifest(
    game: RunnableLaunchSpec, players: Sequence[RunnableLaunchSpec], *, static_replay_viewer: bool
) -> CoworldManifest:
    """Return a manifest with the parts that an episode uses; what only a manifest knows has neutral values."""
    tokens = {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": max(1, len(players))}
    text = {"type": "text", "value": "unknown"}
    player = {"id": "player", "name": "player", "description": "player", "type": "player"}
    return CoworldManifest.model_validate(
        {
            "game": {
                "name": "episode",
                "version": "0",
                "description": "an episode from launch specs",
                "owner": "unknown",
                "runnable": _runnable("game", game),
                "config_schema": {"type": "object", "required": ["tokens"], "properties": {"tokens": tokens}},
                "results_schema": {"type": "object"},
                "protocols": {"player": text, "global": text},
                "docs": {"readme": text},
                "replay_viewer": {"bundle": "viewer"} if static_replay_viewer else None,
            },
            "player": [{**player, "image": players[0].image if players else game.image}],
            "variants": [{"id": "only", "name": "only", "description": "only", "game_config": {}}],
            "certification": {"game_config": {}, "players": [{"player_id": "player"}]},
        }
    )
