"""Probes: single questions about a policy, each with a mission and limits for its metrics."""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel

from cogames.diagnose.metrics import MissionMetrics
from cogames.diagnose.numbers import mean
from cogames.diagnose.scores import FAILED_LIMIT, STUCK_LIMIT, TIMEOUT_LIMIT, VARIATION_LIMIT

PROFILE_ID = "cvc_stage1_probe_rates_v1"

MIN_MOVE_SUCCESS = 0.7


class Rule(BaseModel):
    """A limit for one metric of `MissionMetrics`."""

    metric: str
    operator: Literal["<=", ">="]
    value: float

    def holds(self, value: float) -> bool:
        return value <= self.value if self.operator == "<=" else value >= self.value


class Stage1Probe(BaseModel):
    probe_id: str
    axis: str
    mission: str
    scenario: str
    question: str
    validation_metric: str
    pass_fail_threshold: str
    threshold_rules: list[Rule]


class Stage2Probe(BaseModel):
    """A question about playing with other policies. The catalog lists these for readers; they are not measured yet."""

    probe_id: str
    mode: Literal["absolute", "mirror"]
    scenario: str
    question: str
    validation_metric: str
    pass_fail_threshold: str


class ProbeEvaluation(BaseModel):
    """The result of a probe; not passed if its mission was not played."""

    probe_id: str
    axis: str
    mission: str
    passed: bool
    summary: str
    evidence_refs: list[str]


def _probe(probe_id: str, axis: str, mission: str, scenario: str, question: str, *rules: Rule) -> Stage1Probe:
    return Stage1Probe(
        probe_id=probe_id,
        axis=axis,
        mission=mission,
        scenario=scenario,
        question=question,
        validation_metric=" + ".join(rule.metric for rule in rules),
        pass_fail_threshold=" and ".join(f"{rule.metric} {rule.operator} {rule.value:g}" for rule in rules),
        threshold_rules=list(rules),
    )


STAGE1_PROBES = [
    _probe(
        "stage1.food_under_pressure",
        "stability",
        "eval_balanced_spread",
        "Resources lie in all directions, and the clips take junctions meanwhile.",
        "Is the reward about the same in every episode, and does the policy act in time in every step?",
        Rule(metric="reward_variation", operator="<=", value=VARIATION_LIMIT),
        Rule(metric="timeout_rate", operator="<=", value=TIMEOUT_LIMIT),
    ),
    _probe(
        "stage1.heart_lever_diversion",
        "efficiency",
        "eval_collect_resources",
        "Hearts are made of resources that cogs have to fetch first, along paths around walls.",
        "Do the cogs keep moving, and do their moves make progress?",
        Rule(metric="mean_move_success", operator=">=", value=MIN_MOVE_SUCCESS),
        Rule(metric="mean_stuck_steps", operator="<=", value=STUCK_LIMIT),
    ),
    _probe(
        "stage1.junction_light_shift",
        "control",
        "eval_divide_and_conquer",
        "Junctions lie in three halls and change owners, so the best target changes often.",
        "Are nearly all actions valid, and are they chosen in time?",
        Rule(metric="mean_action_failed", operator="<=", value=FAILED_LIMIT),
        Rule(metric="timeout_rate", operator="<=", value=TIMEOUT_LIMIT),
    ),
]

STAGE2_PROBES = [
    Stage2Probe(
        probe_id="stage2.timed_bridge_window",
        mode="absolute",
        scenario="A passage that another cog opens stays open for a few steps.",
        question="Do cogs use openings that their teammates create, in time?",
        validation_metric="timed_bridge.success_rate",
        pass_fail_threshold=">= 0.70 of the windows are used",
    ),
    Stage2Probe(
        probe_id="stage2.corridor_interference",
        mode="mirror",
        scenario="Cogs of two copies meet in a corridor that is one cell wide.",
        question="Does one of them give way, or do they block each other?",
        validation_metric="corridor.deadlock_time",
        pass_fail_threshold="<= 0.05 of the steps are spent face to face",
    ),
]


def evaluate_probes(metrics: Sequence[MissionMetrics], probes: Sequence[Stage1Probe]) -> list[ProbeEvaluation]:
    """Compare the metrics of each probe's mission, as means over its cases, with the probe's limits."""
    return [_evaluate(probe, [entry for entry in metrics if entry.mission_name == probe.mission]) for probe in probes]


def _evaluate(probe: Stage1Probe, entries: Sequence[MissionMetrics]) -> ProbeEvaluation:
    values = [(rule, mean([entry.value(rule.metric) for entry in entries])) for rule in probe.threshold_rules]
    broken = [rule.metric for rule, value in values if not rule.holds(value)]
    if not entries:
        summary = f"Not played: {probe.mission} is not among the cases."
    elif broken:
        summary = f"Outside the limits: {', '.join(broken)}."
    else:
        summary = "Within all limits."
    refs = [f"{probe.mission}:{r.metric}={value:.4f} ({r.operator} {r.value:.4f})" for r, value in values]
    return ProbeEvaluation(
        probe_id=probe.probe_id,
        axis=probe.axis,
        mission=probe.mission,
        passed=bool(entries) and not broken,
        summary=summary,
        evidence_refs=refs if entries else [],
    )
