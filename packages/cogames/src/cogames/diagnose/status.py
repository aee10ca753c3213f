"""The status of a run."""

from dataclasses import dataclass
from typing import Literal

StageStatus = Literal[
    "stage1_running",
    "stage1_passed_for_social",
    "stage1_incomplete",
    "stage2_running",
    "stage2_completed",
    "stage2_incomplete",
]


@dataclass(frozen=True)
class VisitStatus:
    """The stage that a run reached, and notes on why it went no further."""

    stage_status: StageStatus
    notes: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        return self.stage_status == "stage2_completed"

    @property
    def run_status(self) -> str:
        return "complete" if self.is_complete else "incomplete"

    @property
    def diagnosis_status(self) -> str:
        return f"diagnosis_{self.run_status}"
