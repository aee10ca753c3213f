"""Whether a run was a complete one."""

from pydantic import BaseModel

from cogames.diagnose.assessment import Assessment
from cogames.diagnose.pack import Check, Gate, PackContract
from cogames.diagnose.status import VisitStatus


class DiagnoseValidity(BaseModel):
    """Nine checks; valid when all passed."""

    valid: bool
    failed_check_ids: list[str]
    checks: list[Check]


def check_validity(
    contract: PackContract, gate: Gate, found: Assessment, status: VisitStatus, *, replays_per_part: int
) -> DiagnoseValidity:
    """`replays_per_part` is how many replays each of the three parts should have: cases times episodes."""
    stage1, stage2 = len(found.stage1_replays), len(found.stage2_replays)
    uncovered = ", ".join(result.axis for result in gate.missing)
    unconfirmed = ", ".join(signal.axis for signal in found.signals if not signal.confirmed)
    has_social = found.social is not None and found.social.confirmed
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
            else "The axes were made for other mission sets.",
        ),
        (
            "stage1.replay_evidence",
            0 < replays_per_part <= stage1,
            f"{stage1} of {replays_per_part} replays of stage 1.",
        ),
        (
            "stage1.signal_confirmation",
            found.is_confirmed,
            "Every axis has metrics and replays."
            if found.is_confirmed
            else f"Not confirmed: {unconfirmed}."
            if unconfirmed
            else "Stage 1 was not played.",
        ),
        ("stage2.absolute_mode", bool(found.absolute), _played("absolute", bool(found.absolute))),
        ("stage2.mirror_mode", bool(found.mirror), _played("mirror", bool(found.mirror))),
        (
            "stage2.replay_evidence",
            0 < 2 * replays_per_part <= stage2,
            f"{stage2} of {2 * replays_per_part} replays of stage 2.",
        ),
        (
            "stage2.social_signal",
            has_social,
            "Both modes were measured and have replays."
            if has_social
            else "There is no confirmed signal from both modes.",
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
