"""Every check of `make check` passes, so that none of them can rot."""

import subprocess
import sys

import pytest

from tests.support import ROOT

sys.path.insert(0, str(ROOT / "scripts"))

from check import CHECKS


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKS)
def test_the_check_passes(name: str) -> None:
    script = ROOT / "scripts" / "check.py"
    ran = subprocess.run([sys.executable, str(script), name], cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, f"{ran.stdout}\n{ran.stderr}"


def test_an_unknown_check_is_refused() -> None:
    script = ROOT / "scripts" / "check.py"
    ran = subprocess.run([sys.executable, str(script), "nothing"], capture_output=True, text=True)
    assert ran.returncode == 2 and "unknown: nothing; known: format, lint" in ran.stdout
