"""Draw conclusions from the episodes of a run. A pure function of data: it plays and writes nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from pydantic import BaseModel

from cogames.diagnose.baselines import Baseline, BaselineContext, normalize
from cogames.diagnose.correlation import CorrelationReport, correlate
from cogames.diagnose.exemplars import Recording, ReplayExemplars, choose_exemplars
from cogames.diagnose.metrics import (
    CaseOutcomes,
    MissionMetrics,
    SocialMetrics,
    has_seats,
    measure,
    measure_social,
    objective_by_mission,
)
from cogames.diagnose.numbers import mean
from cogames.diagnose.pack import AXIS_MISSIONS, Gate
from cogames.diagnose.probes import STAGE1_PROBES, ProbeEvaluation, evaluate_probes
from cogames.diagnose.scores import AxisScore, Signal, Stage1Evidence, score_axes, signals_of
from cogames.diagnose.social import SocialCase, SocialSignal, compare_modes
from cogames.diagnose.symptoms import ISSUE_OF_AXIS, SOCIAL, Symptom, final_issue, find_symptoms, stage1_issue


@dataclass(frozen=True)
class BaselineRun:
    """Stage 1 of a policy to compare with."""

    role: str
    policy: str
    played: Sequence[CaseOutcomes]


@dataclass(frozen=True)
class Evidence:
    """The episodes played so far. Replays in outcomes are paths relative to the output folder."""

    gate: Gate
    stage1: Sequence[CaseOutcomes] = ()
    baselines: Sequence[BaselineRun] = ()
    absolute: Sequence[CaseOutcomes] | None = None
    mirror: Sequence[CaseOutcomes] | None = None


class DiagnosisDelta(BaseModel):
    """The change of the dominant issue by stage 2."""

    stage1_dominant_issue: str
    final_dominant_issue: str
    changed: bool
    summary: str
    evidence_refs: list[str]


@dataclass(frozen=True)
class Assessment:
    """The conclusions. Fields about stage 2 are None or empty if it was not played."""

    metrics: list[MissionMetrics]
    raw_scores: list[AxisScore]
    scores: list[AxisScore]
    baselines: BaselineContext
    baseline_metrics: dict[str, list[MissionMetrics]]
    signals: list[Signal]
    probe_evaluations: list[ProbeEvaluation]
    objectives: dict[str, float]
    correlation: CorrelationReport
    absolute: list[SocialMetrics]
    mirror: list[SocialMetrics]
    social: SocialSignal | None
    delta: DiagnosisDelta | None
    dominant_issue: str
    symptoms: list[Symptom]
    exemplars: ReplayExemplars
    stage1_replays: list[str]
    stage2_replays: list[str]
    objective_context: dict[str, float | None]
    remarks: list[str]
    """sentences about verdicts on the policy"""

    @property
    def is_confirmed(self) -> bool:
        """Return whether every axis has its mission, its metrics and its replays."""
        return bool(self.signals) and all(signal.confirmed for signal in self.signals)


def assess(evidence: Evidence) -> Assessment:
    """Conclude."""
    metrics = [measure(played) for played in evidence.stage1]
    recordings = _recordings(evidence.stage1)
    replays: dict[str, list[str]] = {}
    for recording in recordings:
        replays.setdefault(recording.mission, []).append(recording.ref)
    raw_scores = score_axes(Stage1Evidence(evidence.gate, metrics, replays))
    baselines, baseline_metrics = _baselines(evidence)
    scores, context = normalize(raw_scores, baselines)
    social_recordings = _recordings([*(evidence.absolute or ()), *(evidence.mirror or ())])
    social_cases = _social_cases(evidence)
    social = None
    if evidence.absolute is not None and evidence.mirror is not None:
        has_replays = bool(_recordings(evidence.absolute)) and bool(_recordings(evidence.mirror))
        social = compare_modes(social_cases, has_replays=has_replays)
    by_stage1 = stage1_issue(scores, metrics)
    dominant = final_issue(by_stage1, metrics, social)
    objectives = objective_by_mission(evidence.stage1)
    social_replays = [recording.ref for recording in social_recordings]
    return Assessment(
        metrics=metrics,
        raw_scores=raw_scores,
        scores=scores,
        baselines=context,
        baseline_metrics=baseline_metrics,
        signals=signals_of(raw_scores, evidence.gate) if metrics else [],
        probe_evaluations=evaluate_probes(metrics, STAGE1_PROBES),
        objectives=objectives,
        correlation=correlate(metrics, objectives, STAGE1_PROBES),
        absolute=[case.alone for case in social_cases],
        mirror=[copy for case in social_cases for copy in case.copies],
        social=social,
        delta=None if social is None else _delta(by_stage1, dominant, social),
        dominant_issue=dominant,
        symptoms=find_symptoms(scores, social, social_replays, dominant),
        exemplars=choose_exemplars(recordings, _that_show(dominant, scores, recordings, evidence)),
        stage1_replays=[recording.ref for recording in recordings],
        stage2_replays=social_replays,
        objective_context={
            "aligned_junction_held_stage1": _overall(objectives),
            "aligned_junction_held_stage2_absolute": _overall(objective_by_mission(evidence.absolute or ())),
            "aligned_junction_held_stage2_mirror": _overall(objective_by_mission(evidence.mirror or ())),
        },
        remarks=_remarks([*evidence.stage1, *(evidence.absolute or ()), *(evidence.mirror or ())]),
    )


def _baselines(evidence: Evidence) -> tuple[list[Baseline], dict[str, list[MissionMetrics]]]:
    baselines, tables = [], {}
    for run in evidence.baselines:
        tables[run.role] = [measure(played) for played in run.played]
        scores = score_axes(Stage1Evidence(evidence.gate, tables[run.role]))
        baselines.append(Baseline(role=run.role, policy=run.policy, axis_scores=scores))
    return baselines, tables


def _social_cases(evidence: Evidence) -> list[SocialCase]:
    if evidence.absolute is None or evidence.mirror is None:
        return []
    return [
        SocialCase(
            alone=measure_social(alone),
            copies=tuple(measure_social(beside, policy) for policy in (0, 1) if has_seats(beside, policy)),
        )
        for alone, beside in zip(evidence.absolute, evidence.mirror, strict=True)
    ]


def _recordings(played: Sequence[CaseOutcomes]) -> list[Recording]:
    return [
        Recording(outcome.replay_path, entry.case.mission, mean(outcome.rewards))
        for entry in played
        for outcome in entry.outcomes
        if outcome.replay_path is not None
    ]


def _that_show(
    dominant: str, scores: Sequence[AxisScore], stage1: Sequence[Recording], evidence: Evidence
) -> list[Recording]:
    """Return replays that show the issue: episodes beside the copy, or missions of the weakest axis."""
    if dominant == SOCIAL:
        return _recordings(evidence.mirror or ())
    weakest = min(scores, key=lambda score: (ISSUE_OF_AXIS[score.axis] != dominant, score.normalized_score)).axis
    return [recording for recording in stage1 if recording.mission in AXIS_MISSIONS[weakest]]


def _delta(by_stage1: str, dominant: str, social: SocialSignal) -> DiagnosisDelta:
    changed = by_stage1 != dominant
    summary = (
        f"Stage 1 pointed to {by_stage1}; stage 2, beside a copy, shows that {dominant} dominates."
        if changed
        else f"Stage 2 leaves {dominant} as the dominant issue."
    )
    return DiagnosisDelta(
        stage1_dominant_issue=by_stage1,
        final_dominant_issue=dominant,
        changed=changed,
        summary=summary,
        evidence_refs=social.evidence_refs,
    )


def _overall(objectives: dict[str, float]) -> float | None:
    return mean(list(objectives.values())) if objectives else None


def _remarks(played: Sequence[CaseOutcomes]) -> list[str]:
    """Return the reasons why the policy failed, each once, at most five."""
    outcomes = list(chain.from_iterable(entry.outcomes for entry in played))
    broken = [verdict for outcome in outcomes for verdict in outcome.verdicts if not verdict.played_to_the_end]
    episodes = sum(any(not verdict.played_to_the_end for verdict in outcome.verdicts) for outcome in outcomes)
    messages = dict.fromkeys(f"{verdict.status}: {verdict.message}" for verdict in broken)
    remarks = [f"The policy did not play {episodes} of {len(outcomes)} episodes to the end."] if broken else []
    return remarks + list(messages)[:5]
