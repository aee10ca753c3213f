"""The published engine in an environment of its own, to compare with: `.cache/published-0.26.20/`. Never a dependency.

usage: published.py     make it when it is missing and print its interpreter
"""

import shutil
import subprocess
import sys
from pathlib import Path

from workspace import CACHE, ROOT, fail, locked, pip, say

VERSION = "0.26.20"
HOME = CACHE / f"published-{VERSION}"


def published_python() -> Path:
    """Interpreter that imports the published engine; makes the environment on first use."""
    python = HOME / "bin" / "python"
    complete = HOME / "complete"
    with locked("published"):
        if complete.exists() and python.exists():
            return python
        # It supports Python 3.11 and 3.12 only.
        names = [sys.executable, "python3.12", "python3.11"]
        base = next((name for name in names if is_supported(name)), None)
        if base is None:
            fail(f"mettagrid {VERSION} needs Python 3.11 or 3.12 to compare with: install one")
        say(f"installing the published mettagrid {VERSION} to compare with (once)")
        shutil.rmtree(HOME, ignore_errors=True)
        subprocess.run([str(base), "-m", "venv", str(HOME)], cwd=ROOT, check=True)
        pip(
            "installing the published engine", "install", f"mettagrid=={VERSION}", log=HOME / "setup.log", python=python
        )
        complete.touch()
    return python


def is_supported(python: str) -> bool:
    """Whether it exists and has a version the published engine supports."""
    command = [python, "-c", "import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 13))"]
    try:
        return subprocess.run(command, capture_output=True).returncode == 0
    except OSError:
        return False


if __name__ == "__main__":
    print(published_python())
