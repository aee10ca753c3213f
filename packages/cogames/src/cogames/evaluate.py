"""Compatibility names for evaluating policies on missions; `cogames.episodes.evaluation` does the work."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict

from mettagrid.simulator.multi_episode.summary import MultiEpisodeRolloutSummary

if TYPE_CHECKING:
    from rich.console import Console

    from cogames.episodes.evaluation import Evaluation
    from mettagrid.config.mettagrid_config import MettaGridConfig
    from mettagrid.policy.policy_spec import PolicySpec

__all__ = ["MissionResultsSummary", "RawMissionEvaluationResult", "evaluate"]

MissionResultsSummary = list[MultiEpisodeRolloutSummary]


class RawMissionEvaluationResult(BaseModel):
    """The episodes of one mission: an array over the agents for each episode."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    mission_name: str
    per_episode_rewards: list[np.ndarray]
    per_episode_assignments: list[np.ndarray]
    per_episode_timeouts: list[np.ndarray]


def evaluate(
    console: Console,
    missions: Sequence[tuple[str, MettaGridConfig]],
    policy_specs: Sequence[PolicySpec],
    proportions: Sequence[float],
    episodes: int,
    action_timeout_ms: int,
    seed: int = 42,
    device: str | None = None,
    output_format: Literal["yaml", "json"] | None = None,
    save_replay: str | None = None,
    game_engine: str | None = None,
) -> MissionResultsSummary:
    """Play the missions, print tables or one document, and return a summary for each mission.

    `save_replay` is a folder. `game_engine` may only be "mettagrid".
    """
    if not missions:
        raise ValueError("At least one mission is needed; got none.")
    if len(proportions) != len(policy_specs):
        raise ValueError(f"Each policy needs a proportion; got {len(policy_specs)} and {len(proportions)}.")
    if game_engine not in (None, "mettagrid"):
        raise ValueError(f"Unknown game engine {game_engine!r}; this version plays 'mettagrid'.")

    from cogames.episodes.evaluation import evaluate as measure
    from cogames.episodes.settings import PlaySettings
    from cogames.missions.arguments import ChosenMission

    result = measure(
        [ChosenMission(name, env) for name, env in missions],
        policy_specs,
        proportions=proportions,
        episodes=episodes,
        seed=seed,
        settings=PlaySettings(action_timeout_ms, device, replay_dir=None if save_replay is None else Path(save_replay)),
    )
    _show(result, console, output_format)
    return [mission.summary for mission in result.missions]


def _show(result: Evaluation, console: Console, output_format: Literal["yaml", "json"] | None) -> None:
    from cogames.commands.shared.evaluation_tables import print_evaluation
    from softmax.cli.output import print_data, printed_text

    if output_format is not None:
        text = printed_text(lambda: print_data(result.document(), output_format))
    else:
        text = printed_text(lambda: print_evaluation(result))
    console.print(text, markup=False, highlight=False, soft_wrap=True, end="")
