"""One run: what it was asked for, and what is known so far."""

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
    """`remarks` are sentences for the doctor note that do not follow from the episodes of the policy."""

    identity: RunIdentity
    options: DiagnoseOptions
    folder: OutputFolder
    cases: Sequence[DiagnoseCase]
    contract: PackContract
    gate: Gate
    status: VisitStatus
    evidence: Evidence
    found: Assessment
    stability: InterpretationStability = field(default_factory=lambda: compare_snapshots([]))
    reruns: list[Snapshot] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    @property
    def episodes_per_part(self) -> int:
        """Episodes in stage 1, and in each of the two parts of stage 2."""
        return len(self.cases) * self.options.episodes

    def conclude(self, evidence: Evidence) -> None:
        """Take in what was played."""
        self.evidence = evidence
        self.found = assess(evidence)
