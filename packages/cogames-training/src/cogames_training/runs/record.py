"""`run.json`: how to repeat a run, where it ran and how it ended."""

from __future__ import annotations

import json
import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

__all__ = ["FILE", "Status", "command_line", "describe_run", "machine", "now", "package_versions", "read_record"]

FILE = "run.json"
PACKAGES = ("cogames", "cogames-agents", "cogames-training", "cogsguard", "mettagrid")

Status = Literal["running", "finished", "interrupted", "failed"]
"""running: a process trains; finished: all steps are done; interrupted: stopped by the user; failed: see `reason`"""


def describe_run(run: str, layout: str, description: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record of a run that starts now.

    `description` has `args` (all settings), `seed`, `missions` and `policy`; further keys are stored too. `command`
    (a list of words) replaces the words of this process.
    """
    words = list(description.get("command") or sys.orig_argv)
    return {
        "run": run,
        "layout": layout,
        **{key: value for key, value in description.items() if key != "command"},
        "command": words,
        "repeat": command_line(words),
        "folder": os.getcwd(),
        "packages": package_versions(),
        "commit": _commit(),
        "machine": machine(),
        "started": now(),
        "resumed": [],
        "finished": None,
        "status": "running",
        "reason": None,
    }


def command_line(words: list[str]) -> str:
    """Return words as one line for a shell, with the program's name in place of its path."""
    if len(words) > 1 and _is_python(words[0]) and Path(words[1]).name == "cogames":
        words = words[1:]
    first = Path(words[0]).name if words else ""
    return shlex.join(["python" if _is_python(first) else first, *words[1:]])


def package_versions() -> dict[str, str]:
    """Return the versions of our installed packages."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def machine() -> dict[str, Any]:
    """Describe the machine: processors, GPU, and the versions of Python and PyTorch."""
    description: dict[str, Any] = {
        "host": platform.node(),
        "system": f"{platform.system()} {platform.machine()}",
        "cpus": os.cpu_count(),
        "gpu": None,
        "python": platform.python_version(),
        "torch": None,
    }
    torch = sys.modules.get("torch")
    if torch is not None:
        description["torch"] = str(torch.__version__)
        if torch.cuda.is_available():
            description["gpu"] = str(torch.cuda.get_device_name())
    return description


def read_record(folder: Path) -> dict[str, Any] | None:
    """Return the record of a run; None if it is missing or damaged."""
    try:
        document = json.loads((folder / FILE).read_bytes())
    except (OSError, ValueError):
        return None
    return document if isinstance(document, dict) else None


def now() -> str:
    """Return the time in UTC, as ISO 8601 with seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _commit() -> str | None:
    """Return the commit of the working folder, with a mark if files differ from it; None outside a repository."""
    try:
        commit = _git("rev-parse", "HEAD")
        return f"{commit} with changes" if _git("status", "--porcelain", "--untracked-files=no") else commit
    except (OSError, subprocess.SubprocessError):
        return None


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], capture_output=True, text=True, check=True, timeout=10)
    return done.stdout.strip()


def _is_python(word: str) -> bool:
    return Path(word).name.startswith("python")
