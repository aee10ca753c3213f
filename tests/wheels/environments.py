"""Wheels built from source archives, and environments with nothing but what a test installs.

Tests of what a wheel contains need no optimized code, and optimizing takes most of a build: without
WHEELS_BUILD_TYPE=Release (`make wheels`) native code is compiled without it. The environments have no pip of their own:
installing that takes longest.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import workspace

__all__ = ["BUILD_TYPE", "LOG", "build_wheel", "empty_environment", "install"]

LOG = workspace.ROOT / "build" / "wheels" / "log"
BUILD_TYPE = os.environ.get("WHEELS_BUILD_TYPE", "Debug")


def build_wheel(sdist: Path, folder: Path) -> Path:
    """Build the wheel of a source archive in a folder, with the packages of `.venv/`."""
    how = ["--no-deps", "--no-build-isolation", f"--wheel-dir={folder}", f"-Ccmake.build-type={BUILD_TYPE}"]
    how.append("-Ccmake.define.CMAKE_CXX_FLAGS_DEBUG=-O0")  # without debugging information, which takes time to write
    workspace.pip(f"building {sdist.name}", "wheel", *how, sdist, log=LOG, python=Path(sys.executable))
    (wheel,) = folder.glob(f"{sdist.name.split('-')[0]}-*.whl")
    return wheel


def empty_environment(home: Path) -> Path:
    """Create an environment in place of an older one; return its interpreter."""
    shutil.rmtree(home, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home)], check=True)
    return home / "bin" / "python"


def install(python: Path, *arguments: str | Path) -> None:
    """Run `pip install` for an environment."""
    workspace.pip("installing the wheel", "--python", python, "install", *arguments, log=LOG)
