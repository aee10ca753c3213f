"""Environments with nothing but what a test installs, and no pip of their own: installing that takes longest."""

import shutil
import subprocess
import sys
from pathlib import Path

import workspace

__all__ = ["LOG", "empty_environment", "install"]

LOG = workspace.ROOT / "build" / "wheels" / "log"


def empty_environment(home: Path) -> Path:
    """Create an environment in place of an older one; return its interpreter."""
    shutil.rmtree(home, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home)], check=True)
    return home / "bin" / "python"


def install(python: Path, *arguments: str | Path) -> None:
    """Run `pip install` for an environment."""
    workspace.pip("installing the wheel", "--python", python, "install", *arguments, log=LOG)
