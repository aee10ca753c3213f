"""The published packages in environments of their own, to compare with: `.cache/published-*/`. Never a dependency.

usage: published.py     make it when it is missing and print its interpreter
"""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from workspace import CACHE, ROOT, fail, locked, pip, say

VERSION = "0.26.20"
COGAMES_VERSION = "0.26.22"
SOFTMAX_VERSION = "0.26.9"
PUFFERLIB_VERSION = "3.0.23"
COWORLD_VERSIONS = ("0.1.64", "0.1.26", "0.1.0")
"""One of each generation, newest first."""


def published_python() -> Path:
    """Interpreter that imports the published engine; makes the environment on first use."""
    return environment(f"published-{VERSION}", f"mettagrid=={VERSION}")


def published_cogames_python() -> Path:
    """The same with the published `cogames` and `softmax` commands, in an environment of its own."""
    packages = (f"mettagrid=={VERSION}", f"cogames=={COGAMES_VERSION}", f"softmax-cli=={SOFTMAX_VERSION}")
    return environment(f"published-cogames-{COGAMES_VERSION}-softmax-{SOFTMAX_VERSION}", *packages)


def published_networks_python() -> Path:
    """The published engine and `cogames` with PyTorch and PufferLib, which their networks need."""
    packages = (f"mettagrid=={VERSION}", f"cogames=={COGAMES_VERSION}", "torch", "einops")
    # PufferLib asks for one old version of torch, which it does not need to build networks.
    alone = (f"pufferlib-core=={PUFFERLIB_VERSION}",)
    return environment(f"published-networks-{COGAMES_VERSION}", *packages, without_dependencies=alone)


def published_coworld_pythons() -> list[Path]:
    """Interpreters that import the published `coworld`, one per generation, newest first."""
    *newer, oldest = COWORLD_VERSIONS
    servers = ("fastapi", "uvicorn")  # what the image of its examples has beside the package
    pythons = [
        environment(f"published-coworld-{version}", f"coworld=={version}", *servers, constrained=False)
        for version in newer
    ]
    # Without the engine's version pip would try all of them.
    engine = f"mettagrid=={VERSION}"
    return [*pythons, environment(f"published-coworld-{oldest}", f"coworld=={oldest}", engine, *servers)]


def environment(name: str, *packages: str, constrained: bool = True, without_dependencies: Sequence[str] = ()) -> Path:
    """The interpreter of an environment with these packages; not `constrained` when they need other versions of what
    we use than we do. `without_dependencies` are installed last, as they are."""
    home = CACHE / name
    python = home / "bin" / "python"
    complete = home / "complete"
    with locked("published"):
        if complete.exists() and python.exists():
            return python
        # They support Python 3.11 and 3.12 only.
        names = [sys.executable, "python3.12", "python3.11"]
        base = next((name for name in names if is_supported(name)), None)
        if base is None:
            fail(f"{packages[0]} needs Python 3.11 or 3.12 to compare with: install one")
        say(f"installing the published {' and '.join(packages)} to compare with (once)")
        shutil.rmtree(home, ignore_errors=True)
        subprocess.run([str(base), "-m", "venv", str(home)], cwd=ROOT, check=True)
        log = home / "setup.log"
        pip("installing the published packages", "install", *packages, log=log, python=python, constrained=constrained)
        if without_dependencies:
            pip("installing packages alone", "install", "--no-deps", *without_dependencies, log=log, python=python)
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
