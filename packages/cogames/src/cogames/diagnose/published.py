"""Compatibility names for the documents of a diagnosis and for reading them; `cogames.diagnose` imports them lazily.

The classes come from the other modules of this package. They have every published field; some also have `statistics`.
Scores are computed from rates (`docs/decisions/0008-diagnose-rates.md`), so the published functions that compute them
from raw sums are missing; use `run_diagnosis`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from cogames.commands.diagnose import diagnose as diagnose_cmd
from cogames.diagnose.artifacts import FOLDERS as REPLAY_ARTIFACT_DIRS
from cogames.diagnose.assessment import DiagnosisDelta as Stage2DiagnosisDelta
from cogames.diagnose.baselines import Baseline as Stage1BaselinePolicySummary
from cogames.diagnose.baselines import BaselineContext as Stage1BaselineContext
from cogames.diagnose.cases import DEFAULT_COGS
from cogames.diagnose.correlation import CorrelationReport as Stage1MetricCorrelationReport
from cogames.diagnose.correlation import MetricCorrelation as Stage1MetricCorrelation
from cogames.diagnose.correlation import ProbeCalibration as Stage1ProbeThresholdCalibration
from cogames.diagnose.exemplars import ReplayExemplars as ReplayExemplarRefs
from cogames.diagnose.manifest import Manifest as DiagnoseManifest
from cogames.diagnose.metrics import MissionMetrics as Stage1MissionMetrics
from cogames.diagnose.metrics import SocialMetrics as Stage2MissionMetrics
from cogames.diagnose.note import DoctorNote as DiagnoseDoctorNote
from cogames.diagnose.pack import GATED_SETS, PACK_CASES
from cogames.diagnose.pack import PACK_EPISODES as CVC_STAGE1_FIXED_EPISODES
from cogames.diagnose.pack import PACK_STEPS as CVC_STAGE1_FIXED_STEPS
from cogames.diagnose.pack import AxisRequirement as Stage1RequirementResult
from cogames.diagnose.pack import Check as DiagnosePackContractCheck
from cogames.diagnose.pack import Check as DiagnoseValidityCheck
from cogames.diagnose.pack import Gate as Stage1GateEvaluation
from cogames.diagnose.pack import PackContract as DiagnosePackContractReport
from cogames.diagnose.probes import PROFILE_ID as STAGE1_PROBE_THRESHOLD_PROFILE_ID
from cogames.diagnose.probes import STAGE1_PROBES as STAGE1_PROBE_CATALOG_V1
from cogames.diagnose.probes import STAGE2_PROBES as STAGE2_SOCIAL_PROBE_CATALOG_V1
from cogames.diagnose.probes import ProbeEvaluation as Stage1ProbeEvaluation
from cogames.diagnose.probes import Rule as Stage1ProbeThresholdRule
from cogames.diagnose.probes import Stage1Probe as Stage1ProbeDefinition
from cogames.diagnose.probes import Stage2Probe as Stage2SocialProbeDefinition
from cogames.diagnose.scores import AxisScore as Stage1AxisScore
from cogames.diagnose.scores import Signal as Stage1AxisSignal
from cogames.diagnose.social import SocialSignal as Stage2SocialSignal
from cogames.diagnose.stability import InterpretationStability as InterpretationStabilityReport
from cogames.diagnose.stability import Snapshot as InterpretationSnapshot
from cogames.diagnose.stability import compare_snapshots as evaluate_interpretation_stability
from cogames.diagnose.stability import take_snapshot
from cogames.diagnose.symptoms import EvidenceRefs as DiagnoseSymptomEvidenceRefs
from cogames.diagnose.symptoms import Prescription as DiagnosePrescription
from cogames.diagnose.symptoms import Symptom as DiagnoseSymptom
from cogames.diagnose.symptoms import prescribe as build_stage1_prescriptions
from cogames.diagnose.validity import DiagnoseValidity as DiagnoseValidityReport
from mettagrid.cogame.core import CoGameMission

__all__ = [
    "CVC_STAGE1_DEFAULT_COG_FILTERS",
    "CVC_STAGE1_FIXED_CASE_COUNT",
    "CVC_STAGE1_FIXED_EPISODES",
    "CVC_STAGE1_FIXED_STEPS",
    "REPLAY_ARTIFACT_DIRS",
    "STAGE1_PACK_MISSION_SETS",
    "STAGE1_PROBE_CATALOG_V1",
    "STAGE1_PROBE_THRESHOLD_PROFILE_ID",
    "STAGE2_SOCIAL_PROBE_CATALOG_V1",
    "DiagnoseAxis",
    "DiagnoseDoctorNote",
    "DiagnoseDominantIssue",
    "DiagnoseManifest",
    "DiagnosePackContractCheck",
    "DiagnosePackContractReport",
    "DiagnosePrescription",
    "DiagnoseRunStatus",
    "DiagnoseStageStatus",
    "DiagnoseSymptom",
    "DiagnoseSymptomEvidenceRefs",
    "DiagnoseValidityCheck",
    "DiagnoseValidityReport",
    "DiagnosisLifecycleStatus",
    "DoctorNoteStatus",
    "InterpretationSnapshot",
    "InterpretationStabilityReport",
    "ReplayExemplarRefs",
    "Stage1AxisScore",
    "Stage1AxisSignal",
    "Stage1BaselineContext",
    "Stage1BaselinePolicySummary",
    "Stage1GateEvaluation",
    "Stage1MetricCorrelation",
    "Stage1MetricCorrelationReport",
    "Stage1MissionMetrics",
    "Stage1ProbeDefinition",
    "Stage1ProbeEvaluation",
    "Stage1ProbeThresholdCalibration",
    "Stage1ProbeThresholdRule",
    "Stage1RequirementResult",
    "Stage2DiagnosisDelta",
    "Stage2MissionMetrics",
    "Stage2Mode",
    "Stage2SocialProbeDefinition",
    "Stage2SocialSignal",
    "build_stage1_prescriptions",
    "diagnose_cmd",
    "evaluate_interpretation_stability",
    "interpretation_snapshot_from_doctor_note",
    "load_diagnose_missions",
    "load_doctor_note",
    "mission_from_case_name",
    "stage1_probe_catalog",
    "stage2_social_probe_catalog",
    "write_html",
    "write_json",
]

CVC_STAGE1_DEFAULT_COG_FILTERS = list(DEFAULT_COGS)
CVC_STAGE1_FIXED_CASE_COUNT = PACK_CASES[1]
STAGE1_PACK_MISSION_SETS = frozenset(GATED_SETS)


class DiagnoseAxis(StrEnum):
    """The properties of a policy that a diagnosis scores."""

    STABILITY = "stability"
    EFFICIENCY = "efficiency"
    CONTROL = "control"
    SOCIAL_COORDINATION = "social_coordination"


class DiagnoseDominantIssue(StrEnum):
    """The issue to work on first."""

    STABILITY = "stability"
    SPEED = "speed"
    STRATEGY = "strategy"
    SOCIAL_COORDINATION = "social_coordination"
    MIXED = "mixed"


class DiagnoseStageStatus(StrEnum):
    """The progress of a run."""

    STAGE1_RUNNING = "stage1_running"
    STAGE1_PASSED_FOR_SOCIAL = "stage1_passed_for_social"
    STAGE1_INCOMPLETE = "stage1_incomplete"
    STAGE2_RUNNING = "stage2_running"
    STAGE2_COMPLETED = "stage2_completed"
    STAGE2_INCOMPLETE = "stage2_incomplete"


class DiagnoseRunStatus(StrEnum):
    """Whether every episode of a run was played."""

    INCOMPLETE = "incomplete"
    COMPLETE = "complete"


class DoctorNoteStatus(StrEnum):
    """Whether a doctor note covers a whole run."""

    COMPLETE = "complete"
    INCOMPLETE = "incomplete"


class DiagnosisLifecycleStatus(StrEnum):
    """Whether a diagnosis rests on a whole run."""

    DIAGNOSIS_COMPLETE = "diagnosis_complete"
    DIAGNOSIS_INCOMPLETE = "diagnosis_incomplete"


class Stage2Mode(StrEnum):
    """Whether a policy plays alone or beside its copy."""

    ABSOLUTE = "absolute"
    MIRROR = "mirror"


def load_diagnose_missions(mission_set: str) -> list[CoGameMission]:
    """Return the missions of a set; raise `MissionError` for an unknown set."""
    from cogames import missions

    return [missions.get_mission(name) for name in missions.mission_set(mission_set)]


def mission_from_case_name(case_name: str) -> str:
    """Return the mission in the name of a case: `eval_clip_oxygen (cogs=4)` and `set.eval_clip_oxygen` give it."""
    return case_name.partition(" (cogs=")[0].rpartition(".")[2]


def load_doctor_note(path: Path) -> DiagnoseDoctorNote:
    """Read the `doctor_note.json` of a run of this version; raise a pydantic `ValidationError` for anything else."""
    return DiagnoseDoctorNote.model_validate_json(path.read_text(encoding="utf-8"))


def interpretation_snapshot_from_doctor_note(doctor_note: DiagnoseDoctorNote, *, label: str) -> InterpretationSnapshot:
    """Return the issue and the first symptoms of a note, to compare with those of other runs."""
    return take_snapshot(label, doctor_note.run_id, doctor_note.dominant_issue, doctor_note.symptoms)


def stage1_probe_catalog() -> list[Stage1ProbeDefinition]:
    """Return the probes of the first stage."""
    return list(STAGE1_PROBE_CATALOG_V1)


def stage2_social_probe_catalog() -> list[Stage2SocialProbeDefinition]:
    """Return the probes of the second stage."""
    return list(STAGE2_SOCIAL_PROBE_CATALOG_V1)


def write_json(path: Path, payload: BaseModel | Mapping[str, Any]) -> None:
    """Write a document as indented JSON."""
    data = payload.model_dump(mode="json") if isinstance(payload, BaseModel) else payload
    path.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")


def write_html(path: Path, html: str) -> None:
    """Write a page."""
    path.write_text(html, encoding="utf-8")
