"""Helpers with which the script of a tutorial behaves like its notebook."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from cogames.docsync.percent import read_script

__all__ = ["console", "start"]


def start(script: str) -> None:
    """Write the files of the script's `[file NAME]` cells to the working folder, and put it on `sys.path`."""
    for cell in read_script(Path(script).read_text(encoding="utf-8"), script):
        if cell.kind == "file":
            Path(cell.name).write_text(cell.source + "\n", encoding="utf-8")
    if sys.path[:1] != [os.getcwd()]:
        sys.path.insert(0, os.getcwd())


def console(command: str) -> None:
    """Run a command like a `!` line of a notebook; raise `CalledProcessError` if it fails."""
    print(f"$ {command}", flush=True)
    subprocess.run(command, shell=True, check=True, env=environment())


def environment() -> dict[str, str]:
    """Return the environment of this process, with the programs of its Python first on `PATH`."""
    folders = [os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)]
    return {**os.environ, "PATH": os.pathsep.join(folders)}
