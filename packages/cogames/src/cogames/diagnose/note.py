"""The doctor note: the whole diagnosis in one document."""

from collections.abc import Iterable, Sequence

from pydantic import BaseModel

from cogames.diagnose.assessment import Assessment, DiagnosisDelta
from cogames.diagnose.baselines import BaselineContext
from cogames.diagnose.exemplars import ReplayExemplars
from cogames.diagnose.metrics import derive
from cogames.diagnose.pack import AxisRequirement, Gate, PackContract
from cogames.diagnose.probes import (
    PROFILE_ID,
    STAGE1_PROBES,
    STAGE2_PROBES,
    ProbeEvaluation,
    Stage1Probe,
    Stage2Probe,
)
from cogames.diagnose.scores import AxisScore
from cogames.diagnose.social import SocialSignal
from cogames.diagnose.status import VisitStatus
from cogames.diagnose.symptoms import Prescription, Symptom, prescribe

SCHEMA_VERSION = "v1"

DERIVED = ("reward_variance", "non_zero_episode_pct", "timeout_rate")


class EvidenceIndex(BaseModel):
    """All references of the note, sorted."""

    metric_refs: list[str]
    replay_refs: list[str]
    baseline_refs: list[str]


class DoctorNote(BaseModel):
    schema_version: str
    run_id: str
    status: str
    stage_status: str
    diagnosis_status: str
    dominant_issue: str
    axes: list[AxisScore]
    stage1_probe_threshold_profile_id: str
    stage1_probe_catalog: list[Stage1Probe]
    stage1_probe_evaluations: list[ProbeEvaluation]
    tournament_objective_context: dict[str, float | None]
    baseline_context: BaselineContext
    derived_metrics: dict[str, float]
    social_review: SocialSignal | None
    social_probe_catalog: list[Stage2Probe]
    stage2_diagnosis_delta: DiagnosisDelta | None
    replay_exemplars: ReplayExemplars
    symptoms: list[Symptom]
    prescriptions: list[Prescription]
    evidence_index: EvidenceIndex
    missing_requirements: list[AxisRequirement]
    notes: list[str]


def write_note(
    run_id: str,
    status: VisitStatus,
    contract: PackContract,
    gate: Gate,
    assessment: Assessment,
    remarks: Sequence[str] = (),
) -> DoctorNote:
    """Build the doctor note; `remarks` are sentences about this run that do not follow from its episodes."""
    return DoctorNote(
        schema_version=SCHEMA_VERSION,
        run_id=run_id,
        status=status.run_status,
        stage_status=status.stage_status,
        diagnosis_status=status.diagnosis_status,
        dominant_issue=assessment.dominant_issue,
        axes=assessment.scores,
        stage1_probe_threshold_profile_id=PROFILE_ID,
        stage1_probe_catalog=STAGE1_PROBES,
        stage1_probe_evaluations=assessment.probe_evaluations,
        tournament_objective_context=assessment.objective_context,
        baseline_context=assessment.baselines,
        derived_metrics=derive(assessment.metrics, DERIVED),
        social_review=assessment.social,
        social_probe_catalog=STAGE2_PROBES,
        stage2_diagnosis_delta=assessment.delta,
        replay_exemplars=assessment.exemplars,
        symptoms=assessment.symptoms,
        prescriptions=prescribe(assessment.symptoms) if status.is_complete else [],
        evidence_index=EvidenceIndex(
            metric_refs=_sorted(score.metric_refs for score in assessment.scores),
            replay_refs=sorted({*assessment.stage1_replays, *assessment.stage2_replays}),
            baseline_refs=_sorted(score.baseline_refs for score in assessment.scores),
        ),
        missing_requirements=gate.missing,
        notes=_notes(status, contract, assessment, remarks),
    )


def _notes(status: VisitStatus, contract: PackContract, assessment: Assessment, remarks: Sequence[str]) -> list[str]:
    notes = [
        *status.notes,
        *([assessment.social.summary] if assessment.social is not None else []),
        *assessment.remarks,
    ]
    if not contract.valid:
        notes.append("This run does not follow the standard pack; compare it only with runs of the same options.")
        notes += [f"Differs from the standard pack: {failure}" for failure in contract.failures]
    notes += [*remarks, *assessment.baselines.normalization_notes]
    if len(assessment.baselines.baselines) < 2:
        notes.append("Pass --scripted-baseline-policy and --known-strong-policy to scale the scores between the two.")
    if not status.is_complete:
        notes.append("Only a complete diagnosis has prescriptions.")
    return notes


def _sorted(lists: Iterable[Sequence[str]]) -> list[str]:
    return sorted({ref for refs in lists for ref in refs})
