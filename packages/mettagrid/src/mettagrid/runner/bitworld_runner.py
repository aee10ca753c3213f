"""Play a job of a BitWorld game, under its published name.

The game runs in this process, tick by tick: it waits for every policy, so no picture is lost, and `steps` counts the
ticks that were played. `mettagrid.runner.episode` plays the same episodes with verdicts.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import numpy as np

from mettagrid.bitworld import SCREEN_HEIGHT, SCREEN_WIDTH, unpack_frame_pixels
from mettagrid.config.bitworld_config import BitWorldEnvConfig
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.runner.bitworld.interface import BitWorldObservationMode
from mettagrid.runner.types import PureSingleEpisodeJob, PureSingleEpisodeResult, check_assignments

if TYPE_CHECKING:
    from mettagrid.runner.episode import PolicySource

__all__ = ["BitWorldObservationMode", "run_bitworld_episode", "unpack_frame"]


def run_bitworld_episode(job: PureSingleEpisodeJob) -> PureSingleEpisodeResult:
    """Play an episode with its policies in this process, or behind `ws://` addresses; write its replay.

    Raises `PolicyLoadError` for a policy that cannot be loaded, `PolicyStepError` for one that fails while it plays,
    and `ValueError` for assignments or a configuration that do not fit.
    """
    from mettagrid.runner.episode import EpisodePlan, play_episode
    from mettagrid.runner.policy_server.websocket_transport import PolicyStepError

    if not isinstance(job.env, BitWorldEnvConfig):
        raise TypeError(f"Expected BitWorldEnvConfig for a bitworld episode, got {type(job.env).__name__}")
    check_assignments(job.assignments, num_agents=job.env.num_players, num_policies=len(job.policy_uris))
    names = job.policy_names or job.policy_uris
    plan = EpisodePlan(
        job.env,
        [_source(uri, name) for uri, name in zip(job.policy_uris, names, strict=True)],
        job.assignments,
        seed=job.seed,
        policy_names=names,
        max_action_time_ms=job.max_action_time_ms,
        overage_budget_ms=job.overage_budget_ms,
        replay_path=_path(job.replay_uri),
    )
    outcome = play_episode(plan)
    for index, verdict in enumerate(outcome.verdicts):
        if not verdict.played_to_the_end and verdict.status != "disabled":
            raise PolicyStepError(f"{names[index]} {verdict.message} at step {verdict.step}", policy_index=index)
    return outcome.pure_result()


def unpack_frame(frame_data: bytes) -> np.ndarray:
    """Return a picture from its form on the wire: uint8 [128, 128], colours 0 to 15."""
    return np.frombuffer(unpack_frame_pixels(frame_data), np.uint8).reshape(SCREEN_HEIGHT, SCREEN_WIDTH)


def _source(uri: str, name: str) -> PolicySpec | PolicySource:
    if urlsplit(uri).scheme == "ws":
        from mettagrid.runner.episode_subprocess import served_at

        return served_at(uri, name)
    if "://" not in uri:
        return PolicySpec(class_path=uri)
    from mettagrid.util.uri_resolvers.schemes import policy_spec_from_uri

    return policy_spec_from_uri(uri)


def _path(uri: str | None) -> Path | None:
    from mettagrid.util.uri_resolvers.schemes import parse_uri

    path: Path | None = None if uri is None else getattr(parse_uri(uri), "local_path", None)
    return path
