"""Install the published packages in separate environments, `.cache/published-*/`, for comparison. Never a dependency.

usage: published.py     create the environment if it is missing and print its interpreter
"""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from workspace import CACHE, ROOT, fail, locked, pip, quiet, say

VERSION = "0.26.20"
COGAMES_VERSION = "0.26.22"
SOFTMAX_VERSION = "0.26.9"
PUFFERLIB_VERSION = "3.0.23"
COWORLD_VERSIONS = ("0.1.64", "0.1.26", "0.1.0")
"""one version of each generation, newest first"""


def published_python() -> Path:
    """Return an interpreter with the published engine; create the environment on first use."""
    return environment(f"published-{VERSION}", f"mettagrid=={VERSION}")


def published_cogames_python() -> Path:
    """Return an interpreter with the published `cogames` and `softmax` commands, in a separate environment."""
    packages = (f"mettagrid=={VERSION}", f"cogames=={COGAMES_VERSION}", f"softmax-cli=={SOFTMAX_VERSION}")
    return environment(f"published-cogames-{COGAMES_VERSION}-softmax-{SOFTMAX_VERSION}", *packages)


def published_networks_python() -> Path:
    """Return an interpreter with the published engine and `cogames`, and PyTorch and PufferLib for their networks."""
    packages = (f"mettagrid=={VERSION}", f"cogames=={COGAMES_VERSION}", "torch", "einops")
    # PufferLib requires one old version of torch, but does not need it to build networks.
    alone = (f"pufferlib-core=={PUFFERLIB_VERSION}",)
    return environment(f"published-networks-{COGAMES_VERSION}", *packages, without_dependencies=alone)


def published_trainer_python() -> Path:
    """Return an interpreter with the published `cogames tutorial train`, without CUDA.

    The advantage kernel in the package of PufferLib needs the libraries of CUDA, so the environment gets one that is
    built from the package's own CPU source. Its torch is that of our constraints; PufferLib requires 2.9.0.
    """
    packages = (f"mettagrid=={VERSION}", f"cogames=={COGAMES_VERSION}", "torch", "einops")
    needs = ("rich-argparse", "pyro-ppl", "nvidia-ml-py", "setuptools")
    alone = (f"pufferlib-core=={PUFFERLIB_VERSION}",)
    python = environment(f"published-trainer-{COGAMES_VERSION}", *packages, *needs, without_dependencies=alone)
    home = python.parent.parent
    with locked("published"):
        if not (home / "kernel").exists():
            command = [str(python), str(ROOT / "scripts" / "published_kernel.py"), str(home / "build")]
            quiet("building the published advantage kernel", command, log=home / "kernel.log")
            (home / "kernel").touch()
    return python


def published_coworld_pythons() -> list[Path]:
    """Return interpreters with the published `coworld`, one per generation, newest first."""
    *newer, oldest = COWORLD_VERSIONS
    servers = ("fastapi", "uvicorn")  # the image of its examples has these too
    pythons = [
        environment(f"published-coworld-{version}", f"coworld=={version}", *servers, constrained=False)
        for version in newer
    ]
    # Without the engine's version pip would try all of them.
    engine = f"mettagrid=={VERSION}"
    return [*pythons, environment(f"published-coworld-{oldest}", f"coworld=={oldest}", engine, *servers)]


def environment(name: str, *packages: str, constrained: bool = True, without_dependencies: Sequence[str] = ()) -> Path:
    """Return the interpreter of an environment with these packages.

    Pass `constrained=False` if they need other versions than our constraints. Packages in `without_dependencies` are
    installed last, without their dependencies.
    """
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
    """Return whether an interpreter exists and has a version that the published engine supports."""
    command = [python, "-c", "import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 13))"]
    try:
        return subprocess.run(command, capture_output=True).returncode == 0
    except OSError:
        return False


if __name__ == "__main__":
    print(published_python())
