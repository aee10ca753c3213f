"""Check whether a run is complete."""

from pydantic import BaseModel

from cogames.diagnose.assessment import Assessment
from cogames.diagnose.pack import Check, Gate, PackContract
from cogames.diagnose.status import VisitStatus


class DiagnoseValidity(BaseModel):
    """The results of nine checks; valid if all passed."""

    valid: bool
    failed_check_ids: list[str]
    checks: list[Check]


def check_validity(
    contract: PackContract, gate: Gate, assessment: Assessment, status: VisitStatus, *, replays_per_part: int
) -> DiagnoseValidity:
    """Check a run; each of its three parts must have `replays_per_part` replays: cases times episodes."""
    stage1, stage2 = len(assessment.stage1_replays), len(assessment.stage2_replays)
    uncovered = ", ".join(result.axis for result in gate.missing)
    unconfirmed = ", ".join(signal.axis for signal in assessment.signals if not signal.confirmed)
    has_social = assessment.social is not None and assessment.social.confirmed
    checks = [
        (
            "stage1.pack_contract",
            contract.valid,
            " ; ".join(contract.failures) or "This is a run of the standard pack.",
        ),
        (
            "stage1.required_axes",
            gate.satisfied,
            "Every axis has a mission."
            if gate.satisfied
            else f"No mission for: {uncovered}."
            if uncovered
            else "The axes were designed for other mission sets.",
        ),
        (
            "stage1.replay_evidence",
            0 < replays_per_part <= stage1,
            f"{stage1} of {replays_per_part} replays of stage 1.",
        ),
        (
            "stage1.signal_confirmation",
            assessment.is_confirmed,
            "Every axis has metrics and replays."
            if assessment.is_confirmed
            else f"Not confirmed: {unconfirmed}."
            if unconfirmed
            else "Stage 1 was not played.",
        ),
        ("stage2.absolute_mode", bool(assessment.absolute), _played("absolute", bool(assessment.absolute))),
        ("stage2.mirror_mode", bool(assessment.mirror), _played("mirror", bool(assessment.mirror))),
        (
            "stage2.replay_evidence",
            0 < 2 * replays_per_part <= stage2,
            f"{stage2} of {2 * replays_per_part} replays of stage 2.",
        ),
        (
            "stage2.social_signal",
            has_social,
            "Both modes were measured and have replays." if has_social else "No confirmed signal from both modes.",
        ),
        (
            "stage2.final_stage_status",
            status.stage_status == "stage2_completed",
            f"The run ended as {status.stage_status}.",
        ),
    ]
    return DiagnoseValidity(
        valid=all(passed for _, passed, _ in checks),
        failed_check_ids=[name for name, passed, _ in checks if not passed],
        checks=[Check(check_id=name, passed=passed, details=text) for name, passed, text in checks],
    )


def _played(mode: str, was_played: bool) -> str:
    return f"The {mode} mode was {'played' if was_played else 'not played'}."
