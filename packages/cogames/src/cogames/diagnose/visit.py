"""The state of one run: its options and its results so far."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from cogames.diagnose.artifacts import OutputFolder
from cogames.diagnose.assessment import Assessment, Evidence, assess
from cogames.diagnose.cases import DiagnoseCase
from cogames.diagnose.manifest import RunIdentity
from cogames.diagnose.options import DiagnoseOptions
from cogames.diagnose.pack import Gate, PackContract
from cogames.diagnose.stability import InterpretationStability, Snapshot, compare_snapshots
from cogames.diagnose.status import VisitStatus


@dataclass
class Visit:
    """The state of one run. `remarks` are sentences for the doctor note that do not follow from its episodes."""

    identity: RunIdentity
    options: DiagnoseOptions
    folder: OutputFolder
    cases: Sequence[DiagnoseCase]
    contract: PackContract
    gate: Gate
    status: VisitStatus
    evidence: Evidence
    assessment: Assessment
    stability: InterpretationStability = field(default_factory=lambda: compare_snapshots([]))
    reruns: list[Snapshot] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    @property
    def episodes_per_part(self) -> int:
        """Return the number of episodes in stage 1, and in each of the two parts of stage 2."""
        return len(self.cases) * self.options.episodes

    def conclude(self, evidence: Evidence) -> None:
        """Assess the run again with new evidence."""
        self.evidence = evidence
        self.assessment = assess(evidence)
