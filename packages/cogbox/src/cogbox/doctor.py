"""What this machine offers, and what would make it offer more."""

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
        return next((found.level for found in self.proofs if found.holds and found.level is not Level.NONE), None)

    def as_dict(self) -> dict[str, object]:
        levels = [
            {"level": found.level.value, "works": found.holds, "reason": found.reason, "failed": list(found.failed)}
            for found in self.proofs
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
    for found in diagnosis.proofs:
        if found.level is Level.NONE:
            told = "limits only, no walls; refused for uploads"
        elif found.holds:
            told = f"works; the self-test tried {len(CHECKS)} attacks, none came through"
        else:
            told = found.reason
        mark = "+" if found.holds and found.level is not Level.NONE else "-"
        lines.append(f"{mark} {found.level.value:<11} {told}")
    if diagnosis.chosen:
        lines.append(f"boxes are made at the level `{diagnosis.chosen.value}`")
    else:
        lines.append("no level holds a foreign program back here: uploads will be refused")
    if diagnosis.limited_by == "rlimits":
        lines.append(
            "hint: without a control group of one's own, memory and processes are counted by looking every 20 ms"
        )
    if not shutil.which("bwrap"):
        lines.append("hint: the package `bubblewrap` gives ordinary users a strong box with a short start")
    return "\n".join(lines)
