"""Metrics of an assay: the numbers of `cogames diagnose`, from the results of jobs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from cogames.diagnose.cases import DiagnoseCase
from cogames.diagnose.metrics import CaseOutcomes, measure
from cogames.diagnose.metrics import MissionMetrics as Measured
from cogames.diagnose.pack import check_gate
from cogames.diagnose.scores import Stage1Evidence
from cogames.diagnose.scores import score_axes as score
from mettagrid.runner.episode.outcome import EpisodeOutcome, Verdict
from softmax.wire import AxisScore, MissionMetrics

__all__ = ["Played", "measure_missions", "score_axes"]

MISSION_SET = "cvc_evals"

Played = Mapping[str, Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]]
"""by mission: the (job, result) of each completed episode"""


def measure_missions(played: Played) -> dict[str, MissionMetrics]:
    """Return the metrics of every mission, in the given order."""
    return {
        mission: MissionMetrics(**{name: getattr(metrics, name) for name in MissionMetrics.model_fields})
        for mission, metrics in _measure(played).items()
    }


def score_axes(played: Played) -> list[AxisScore]:
    """Return scores of the axes for which a mission was played."""
    metrics = list(_measure(played).values())
    gate = check_gate(MISSION_SET, [DiagnoseCase(entry.mission_name, entry.statistics.cogs) for entry in metrics])
    return [
        AxisScore(axis=entry.axis, score=entry.raw_score, derived_metrics=MissionMetrics(**entry.derived_metrics))
        for entry in score(Stage1Evidence(gate, metrics))
        if gate.covers(entry.axis)
    ]


def _measure(played: Played) -> dict[str, Measured]:
    return {
        mission: measure(
            CaseOutcomes(
                DiagnoseCase(mission.rpartition(".")[2], len(episodes[0][0]["assignments"])),
                [_outcome(spec, result) for spec, result in episodes],
            )
        )
        for mission, episodes in played.items()
    }


def _outcome(spec: Mapping[str, Any], result: Mapping[str, Any]) -> EpisodeOutcome:
    return EpisodeOutcome(
        seed=spec.get("seed", 0),
        assignments=spec["assignments"],
        policy_names=spec.get("policy_names") or spec["policy_uris"],
        rewards=[reward if reward is not None and math.isfinite(reward) else 0.0 for reward in result["rewards"]],
        action_timeouts=result["action_timeouts"],
        stats=result["stats"],
        steps=result["steps"],
        max_steps=spec["env"]["game"].get("max_steps", result["steps"]),
        time_averaged_game_stats=result.get("time_averaged_game_stats") or {},
        overage_exceeded_at=result.get("overage_exceeded_at") or [],
        # A job in which the policy did not play to the end has failed and does not count here.
        verdicts=[Verdict()],
    )
