"""Report which levels work on this machine, and how to enable more."""

import os
import platform
import shutil
from dataclasses import dataclass

from cogbox import _cgroups
from cogbox.level import Level
from cogbox.limits import Limits
from cogbox.selftest import CHECKS, Proof, proof


@dataclass(frozen=True)
class Diagnosis:
    user: str
    kernel: str
    limited_by: str
    proofs: list[Proof]
    """strongest level first"""

    @property
    def chosen(self) -> Level | None:
        return next((proof.level for proof in self.proofs if proof.holds and proof.level is not Level.NONE), None)

    def as_dict(self) -> dict[str, object]:
        levels = [
            {"level": proof.level.value, "works": proof.holds, "reason": proof.reason, "failed": list(proof.failed)}
            for proof in self.proofs
        ]
        chosen = self.chosen.value if self.chosen else None
        return {
            "user": self.user,
            "kernel": self.kernel,
            "limited_by": self.limited_by,
            "chosen": chosen,
            "levels": levels,
        }


def diagnose() -> Diagnosis:
    """Test every level, strongest first."""
    groups = _cgroups.make(f"{os.getpid()}-doctor", Limits())
    groups.remove()
    user = "root" if os.geteuid() == 0 else f"user {os.geteuid()}"
    return Diagnosis(user, platform.release(), groups.name, [proof(level) for level in reversed(Level)])


def report(diagnosis: Diagnosis) -> str:
    lines = [f"started by {diagnosis.user}, Linux {diagnosis.kernel}, limits by {diagnosis.limited_by}"]
    for result in diagnosis.proofs:
        if result.level is Level.NONE:
            text = "limits only, no isolation; not used for uploads"
        elif result.holds:
            text = f"works; all {len(CHECKS)} attacks of the self-test failed"
        else:
            text = result.reason
        mark = "+" if result.holds and result.level is not Level.NONE else "-"
        lines.append(f"{mark} {result.level.value:<11} {text}")
    if diagnosis.chosen:
        lines.append(f"boxes use the level `{diagnosis.chosen.value}`")
    else:
        lines.append("no isolation level works on this machine: uploads will be refused")
    if diagnosis.limited_by == "rlimits":
        lines.append("hint: without its own control group, a box's memory and processes are sampled every 20 ms")
    if not shutil.which("bwrap"):
        lines.append("hint: install the package `bubblewrap` for strong isolation without root and with a fast start")
    return "\n".join(lines)
