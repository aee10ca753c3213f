"""Metrics of an assay: the numbers of `cogames diagnose`, from the results of jobs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from cogames.diagnose.cases import DiagnoseCase, find_cases, load_case
from cogames.diagnose.metrics import CaseOutcomes, measure
from cogames.diagnose.metrics import MissionMetrics as Measured
from cogames.diagnose.pack import AXIS_MISSIONS, PACK_EPISODES, PACK_SET, PACK_STEPS, check_gate
from cogames.diagnose.scores import AxisScore as Scored
from cogames.diagnose.scores import Stage1Evidence
from cogames.diagnose.scores import score_axes as score
from cogames.diagnose.symptoms import find_symptoms, stage1_issue
from mettagrid.runner.episode.outcome import EpisodeOutcome, Verdict
from softmax.wire import AxisScore, DiagnosisFinding, MissionMetrics, MissionSpec

__all__ = ["Played", "diagnose", "diagnosis_missions", "measure_missions", "score_axes"]

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
    return [
        AxisScore(axis=entry.axis, score=entry.raw_score, derived_metrics=MissionMetrics(**entry.derived_metrics))
        for entry in _scored(list(_measure(played).values()))
    ]


def diagnosis_missions() -> list[MissionSpec]:
    """Return the missions of the standard pack that measure an axis, with its steps and episodes."""
    measuring = {mission for missions in AXIS_MISSIONS.values() for mission in missions}
    return [
        MissionSpec(
            mission_name=case.mission,
            env_config=load_case(case, steps=PACK_STEPS).model_dump(mode="json"),
            num_episodes=PACK_EPISODES,
            max_steps=PACK_STEPS,
        )
        for case in find_cases(PACK_SET)
        if case.mission in measuring
    ]


def diagnose(played: Played) -> list[DiagnosisFinding]:
    """Return the symptoms of the axes for which a mission was played, that of the dominant issue first."""
    metrics = list(_measure(played).values())
    scores = _scored(metrics)
    dominant = stage1_issue(scores, metrics) if len(scores) > 1 else ""
    return [
        DiagnosisFinding(**symptom.model_dump(include=set(DiagnosisFinding.model_fields)))
        for symptom in find_symptoms(scores, None, (), dominant)
    ]


def _scored(metrics: list[Measured]) -> list[Scored]:
    gate = check_gate(PACK_SET, [DiagnoseCase(entry.mission_name, entry.statistics.cogs) for entry in metrics])
    return [entry for entry in score(Stage1Evidence(gate, metrics)) if gate.covers(entry.axis)]


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
