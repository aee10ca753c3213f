"""Metrics of an assay: the numbers of `cogames diagnose`, from the results of jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from observatory.assays.schemas import AxisResult, MissionMetrics
from observatory.episodes.recording import finite

__all__ = ["PlayedEpisode", "measure_missions", "score_axes"]

MISSION_SET = "cvc_evals"


@dataclass(frozen=True)
class PlayedEpisode:
    """A completed job of an assay."""

    mission: str
    spec: Mapping[str, Any]
    result: Mapping[str, Any]


def measure_missions(played: Sequence[PlayedEpisode]) -> dict[str, MissionMetrics]:
    """Return the metrics of every mission, in the requested order."""
    return {
        mission: MissionMetrics(**{name: getattr(metrics, name) for name in MissionMetrics.model_fields})
        for mission, metrics in _measure(played).items()
    }


def score_axes(played: Sequence[PlayedEpisode]) -> list[AxisResult]:
    """Return scores of the axes for which a mission was played."""
    from cogames.diagnose.cases import DiagnoseCase
    from cogames.diagnose.pack import check_gate
    from cogames.diagnose.scores import Stage1Evidence
    from cogames.diagnose.scores import score_axes as score

    metrics = list(_measure(played).values())
    gate = check_gate(MISSION_SET, [DiagnoseCase(entry.mission_name, entry.statistics.cogs) for entry in metrics])
    return [
        AxisResult(axis=entry.axis, score=entry.raw_score, derived_metrics=MissionMetrics(**entry.derived_metrics))
        for entry in score(Stage1Evidence(gate, metrics))
        if gate.covers(entry.axis)
    ]


def _measure(played: Sequence[PlayedEpisode]) -> dict[str, Any]:
    from cogames.diagnose.cases import DiagnoseCase
    from cogames.diagnose.metrics import CaseOutcomes, measure

    by_mission: dict[str, list[PlayedEpisode]] = {}
    for episode in played:
        by_mission.setdefault(episode.mission, []).append(episode)
    return {
        mission: measure(
            CaseOutcomes(
                DiagnoseCase(mission.rpartition(".")[2], len(episodes[0].spec["assignments"])),
                [_outcome(episode) for episode in episodes],
            )
        )
        for mission, episodes in by_mission.items()
    }


def _outcome(episode: PlayedEpisode) -> Any:
    from mettagrid.runner.episode.outcome import EpisodeOutcome, Verdict

    spec, result = episode.spec, episode.result
    return EpisodeOutcome(
        seed=spec.get("seed", 0),
        assignments=spec["assignments"],
        policy_names=spec.get("policy_names") or spec["policy_uris"],
        rewards=[finite(reward) for reward in result["rewards"]],
        action_timeouts=result["action_timeouts"],
        stats=result["stats"],
        steps=result["steps"],
        max_steps=spec["env"]["game"].get("max_steps", result["steps"]),
        time_averaged_game_stats=result.get("time_averaged_game_stats") or {},
        overage_exceeded_at=result.get("overage_exceeded_at") or [],
        # A job in which the policy did not play to the end has failed and does not count here.
        verdicts=[Verdict()],
    )
