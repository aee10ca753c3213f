"""Derive the dominant issue, symptoms and prescriptions from scores."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from cogames.diagnose.metrics import MissionMetrics
from cogames.diagnose.numbers import clamp01
from cogames.diagnose.scores import HEURISTIC, TIMEOUT_LIMIT, AxisScore
from cogames.diagnose.social import DOMINANT_SEVERITY, SYMPTOM_SEVERITY, SocialSignal

SOCIAL = "social_coordination"
MIXED = "mixed"
ISSUE_OF_AXIS = {"stability": "stability", "efficiency": "speed", "control": "strategy"}

CLOSE_SCORES = 5.0
MIN_SEVERITY = 0.2
UNCONFIRMED_SEVERITY = 0.6

STAGE1_ID = "stage1.{axis}.risk"
STAGE2_ID = f"stage2.{SOCIAL}.risk"

OWNER = "policy_author"


class EvidenceRefs(BaseModel):
    metric_refs: list[str]
    replay_refs: list[str]


class Symptom(BaseModel):
    """A weakness of the policy; severity and confidence are 0 to 1."""

    symptom_id: str
    axis: str
    severity: float
    confidence: float
    evidence_refs: EvidenceRefs
    likely_cause: str
    action: str
    expected_effect: str


class Prescription(BaseModel):
    """An action against a symptom, and the metric that shows whether it helped."""

    symptom_id: str
    action: str
    owner: str
    validation_metric: str
    pass_fail_threshold: str


@dataclass(frozen=True)
class _Remedy:
    likely_cause: str
    action: str
    expected_effect: str
    validation_metric: str
    pass_fail_threshold: str


_REMEDIES = {
    "stability": _Remedy(
        "Actions come too late or not at all, or the reward depends on luck.",
        "Make the slowest steps faster, handle exceptions, then play more episodes of the case that varies most.",
        "The policy acts in time in every step, and episodes of one case have similar rewards.",
        "stability.normalized_score",
        "stability.normalized_score >= 80 and timeout_rate <= 0.03",
    ),
    "efficiency": _Remedy(
        "Cogs stand still, walk into obstacles, or never reach what gives reward.",
        "Watch in the replay where they stop; give every state a next target and a path around obstacles.",
        "Cogs keep moving and spend more of the episode on what gives reward.",
        "efficiency.normalized_score",
        "efficiency.normalized_score >= 80 and mean_stuck_steps <= 8",
    ),
    "control": _Remedy(
        "The policy chooses actions that the game does not allow in that place.",
        "Check the content of a cell and the cost of an action before choosing it.",
        "Nearly every action takes effect.",
        "control.normalized_score",
        "control.normalized_score >= 80 and mean_action_failed <= 0.08",
    ),
    SOCIAL: _Remedy(
        "The policy relies on having all seats: its cogs share plans that the other copy does not know.",
        "Let cogs react to what they see of other cogs, and test with half of the seats.",
        "Two copies together get the same reward as one with all seats.",
        "stage2.social.severity",
        "stage2.social.severity < 0.3",
    ),
}


def stage1_issue(scores: Sequence[AxisScore], metrics: Sequence[MissionMetrics]) -> str:
    """Return the dominant issue according to stage 1.

    A policy that misses deadlines or crashes does nothing in those steps and looks like one that stands still, so
    `stability` comes first; then the axis with the lowest score, or `mixed` if the two lowest are close. Ties at the
    low end of the baseline scale are broken by the raw scores.
    """
    if fails_to_answer(metrics):
        return ISSUE_OF_AXIS["stability"]
    lowest, second = sorted(scores, key=lambda score: (score.normalized_score, score.raw_score))[:2]
    distance = second.normalized_score - lowest.normalized_score
    if second.normalized_score == 0:
        distance = second.raw_score - lowest.raw_score
    return MIXED if distance <= CLOSE_SCORES else ISSUE_OF_AXIS[lowest.axis]


def final_issue(by_stage1: str, metrics: Sequence[MissionMetrics], social: SocialSignal | None) -> str:
    """Return the dominant issue: that of stage 1, unless the policy plays much worse beside its copy.

    A policy that misses deadlines or crashes keeps the issue of stage 1: its play says nothing about coordination.
    """
    if social is not None and social.severity >= DOMINANT_SEVERITY and not fails_to_answer(metrics):
        return SOCIAL
    return by_stage1


def fails_to_answer(metrics: Sequence[MissionMetrics]) -> bool:
    """Return whether too many steps of all cases had no usable action, or an episode crashed."""
    steps = sum(entry.statistics.agent_steps for entry in metrics)
    unanswered = sum(entry.timeout_rate * entry.statistics.agent_steps for entry in metrics)
    crashed = any(entry.statistics.crashed_episodes for entry in metrics)
    return crashed or (steps > 0 and unanswered / steps >= TIMEOUT_LIMIT)


def find_symptoms(
    scores: Sequence[AxisScore], social: SocialSignal | None, social_replays: Sequence[str], dominant: str
) -> list[Symptom]:
    """Return all symptoms: the one of the dominant issue first, then by severity."""
    symptoms = [symptom for score in scores if (symptom := _axis_symptom(score)) is not None]
    if social is not None and social.severity >= SYMPTOM_SEVERITY:
        refs = EvidenceRefs(metric_refs=social.evidence_refs, replay_refs=list(social_replays))
        symptoms.append(_symptom(STAGE2_ID, SOCIAL, social.severity, social.confidence, refs))
    return sorted(symptoms, key=lambda s: (_issue(s.axis) != dominant, -s.severity, -s.confidence, s.symptom_id))


def prescribe(symptoms: Sequence[Symptom]) -> list[Prescription]:
    """Return one prescription per symptom."""
    return [
        Prescription(
            symptom_id=symptom.symptom_id,
            action=symptom.action,
            owner=OWNER,
            validation_metric=_REMEDIES[symptom.axis].validation_metric,
            pass_fail_threshold=_REMEDIES[symptom.axis].pass_fail_threshold,
        )
        for symptom in symptoms
    ]


def _issue(axis: str) -> str:
    return ISSUE_OF_AXIS.get(axis, axis)


def _axis_symptom(score: AxisScore) -> Symptom | None:
    severity = clamp01((100.0 - score.normalized_score) / 100.0)
    if score.confirmed and severity < MIN_SEVERITY:
        return None
    if not score.confirmed:
        severity = max(severity, UNCONFIRMED_SEVERITY)
    confidence = (
        0.35
        + 0.05 * min(len(score.metric_refs), 6)
        + 0.2 * bool(score.replay_refs)
        + (0.2 if score.confirmed else 0.05)
        + 0.08 * min(score.baseline_coverage_count, 2)
        - 0.08 * (score.normalization_mode == HEURISTIC)
    )
    refs = EvidenceRefs(metric_refs=score.metric_refs, replay_refs=score.replay_refs)
    return _symptom(STAGE1_ID.format(axis=score.axis), score.axis, severity, confidence, refs)


def _symptom(symptom_id: str, axis: str, severity: float, confidence: float, refs: EvidenceRefs) -> Symptom:
    remedy = _REMEDIES[axis]
    return Symptom(
        symptom_id=symptom_id,
        axis=axis,
        severity=round(severity, 2),
        confidence=round(clamp01(confidence), 2),
        evidence_refs=refs,
        likely_cause=remedy.likely_cause,
        action=remedy.action,
        expected_effect=remedy.expected_effect,
    )
