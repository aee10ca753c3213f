"""Scores of the three axes, 0 to 100, and how they compare with other policies.

A score is the mean of three parts, each 0 to 1. Limits are those of `cvc_stage1`; they apply to rates, so all metrics
are rates:

- stability: steady rewards (variation of at most 1: rewards spread as far as their mean), actions in time (at most 5 %
  of the steps without one, no crashed episode), a non-zero reward. The score never exceeds the part for actions in
  time: the behaviour of a policy that does not act means nothing.
- efficiency: successful moves, no standing still (at most 30 steps in a row, or all of a shorter episode), a non-zero
  reward.
- control: no failed actions (at most 20 %), successful moves, actions in time.

The score of an axis is at most 40 without a mission for it, and at most 60 without replays.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, Field

from cogames.diagnose.metrics import MissionMetrics, derive
from cogames.diagnose.numbers import clamp01, mean, room_left
from cogames.diagnose.pack import AXES, AXIS_MISSIONS, Gate

VARIATION_LIMIT = 1.0
TIMEOUT_LIMIT = 0.05
STUCK_LIMIT = 30.0
FAILED_LIMIT = 0.2

UNCOVERED_CAP = 40.0
UNCONFIRMED_CAP = 60.0

HEURISTIC = "heuristic_thresholds"

_DISPLAYED = {
    "stability": (("reward_variation", 4), ("timeout_rate", 4), ("non_zero_episode_pct", 2)),
    "efficiency": (("mean_move_success", 4), ("mean_stuck_steps", 4)),
    "control": (("mean_action_failed", 4), ("mean_move_success", 4)),
}
"""Metrics that an axis refers to, with their decimals."""


class AxisStatistics(BaseModel):
    """The parts of a score, 0 to 1 each."""

    parts: dict[str, float]


class AxisScore(BaseModel):
    """The score of one axis. `normalized_score` equals `raw_score` without a baseline."""

    axis: str
    normalized_score: float
    raw_score: float
    confirmed: bool
    derived_metrics: dict[str, float]
    metric_refs: list[str]
    replay_refs: list[str]
    baseline_refs: list[str] = Field(default_factory=list)
    baseline_coverage_count: int = 0
    normalization_mode: str = HEURISTIC
    statistics: AxisStatistics


class Signal(BaseModel):
    """Whether the evidence for the score of an axis is complete."""

    axis: str
    confirmed: bool
    metric_refs: list[str]
    replay_refs: list[str]
    summary: str


@dataclass(frozen=True)
class Stage1Evidence:
    """Metrics of all cases; `replays` has the replays of each mission, None for a baseline policy."""

    gate: Gate
    metrics: Sequence[MissionMetrics]
    replays: Mapping[str, Sequence[str]] | None = None


def score_axes(evidence: Stage1Evidence) -> list[AxisScore]:
    """Return one score per axis, not yet normalized."""
    return [_score(axis, evidence) for axis in AXES]


def signals_of(scores: Sequence[AxisScore], gate: Gate) -> list[Signal]:
    return [
        Signal(
            axis=score.axis,
            confirmed=score.confirmed,
            metric_refs=score.metric_refs,
            replay_refs=score.replay_refs,
            summary=_summary(score, gate),
        )
        for score in scores
    ]


def _summary(score: AxisScore, gate: Gate) -> str:
    if score.confirmed:
        return f"The {score.axis} score rests on {len(score.metric_refs)} metrics and {len(score.replay_refs)} replays."
    missing = "a mission for it" if not gate.covers(score.axis) else "metrics" if not score.metric_refs else "replays"
    return f"The {score.axis} score is not confirmed: it needs {missing}."


def _score(axis: str, evidence: Stage1Evidence) -> AxisScore:
    entries = [entry for entry in evidence.metrics if entry.mission_name in AXIS_MISSIONS[axis]]
    missions = dict.fromkeys(entry.mission_name for entry in entries)
    replays = evidence.replays
    replay_refs = [ref for mission in missions for ref in replays.get(mission, ())] if replays is not None else []
    covered = evidence.gate.covers(axis)
    confirmed = covered and bool(entries) and (replays is None or bool(replay_refs))
    parts = _parts_of(axis, entries)
    score = 100.0 * _together(axis, parts)
    if not covered:
        score = min(score, UNCOVERED_CAP)
    elif not confirmed:
        score = min(score, UNCONFIRMED_CAP)
    return AxisScore(
        axis=axis,
        normalized_score=round(score, 2),
        raw_score=round(score, 2),
        confirmed=confirmed,
        derived_metrics=derive(entries),
        metric_refs=[
            f"{entry.mission_name}:{name}={entry.value(name):.{decimals}f}"
            for entry in sorted(entries, key=lambda entry: entry.mission_name)
            for name, decimals in _DISPLAYED[axis]
        ],
        replay_refs=replay_refs,
        statistics=AxisStatistics(parts={name: round(value, 4) for name, value in parts.items()}),
    )


def _parts_of(axis: str, entries: Sequence[MissionMetrics]) -> dict[str, float]:
    """Return each part of a score as the mean over cases; all 0 if nothing was measured."""
    return {name: mean([part(entry) for entry in entries]) for name, part in _PARTS[axis].items()}


def _together(axis: str, parts: Mapping[str, float]) -> float:
    average = mean(list(parts.values()))
    return min(average, parts["answers"]) if axis == "stability" else average


def _steady(entry: MissionMetrics) -> float:
    return room_left(entry.statistics.reward_variation, VARIATION_LIMIT)


def _answers(entry: MissionMetrics) -> float:
    uncrashed_rate = 1.0 - entry.statistics.crashed_episodes / max(entry.statistics.episodes, 1)
    return room_left(entry.timeout_rate, TIMEOUT_LIMIT) * uncrashed_rate


def _rewarded(entry: MissionMetrics) -> float:
    return clamp01(entry.non_zero_episode_pct / 100.0)


def _moves(entry: MissionMetrics) -> float:
    return clamp01(entry.mean_move_success)


def _motion(entry: MissionMetrics) -> float:
    return room_left(entry.mean_stuck_steps, max(min(STUCK_LIMIT, entry.statistics.steps), 1.0))


def _valid(entry: MissionMetrics) -> float:
    return room_left(entry.mean_action_failed, FAILED_LIMIT)


_PARTS: dict[str, dict[str, Callable[[MissionMetrics], float]]] = {
    "stability": {"steady": _steady, "answers": _answers, "rewarded": _rewarded},
    "efficiency": {"moves": _moves, "motion": _motion, "rewarded": _rewarded},
    "control": {"valid": _valid, "moves": _moves, "answers": _answers},
}
