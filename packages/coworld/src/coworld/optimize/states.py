"""State folders: where the workbench keeps the runs of a manifest, and how an earlier state is set aside."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from coworld.optimize.checkouts import data_folder
from coworld.optimize.errors import OptimizeError
from coworld.optimize.journal import is_locked
from coworld.optimize.versions import JOURNAL

RUN_FILES = ("episodes", "findings", "versions", "summary.json", "report.html", JOURNAL)


def workbench_folder(manifest: str, name: str) -> Path:
    """Return the folder for the runs of a manifest: `NAME-DIGEST` in the user's data folder."""
    place = str(Path(manifest).resolve()) if Path(manifest).exists() else manifest
    slug = re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-.") or "coworld"
    return data_folder() / "workbench" / f"{slug}-{hashlib.sha256(place.encode()).hexdigest()[:8]}"


def run_id(settings: Mapping[str, Any]) -> str:
    """Return the name of runs with equal settings: a second start continues the first."""
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:12]


def set_aside(state: Path) -> Path | None:
    """Move the files of earlier runs from a state folder to `NAME-old-N` beside it; None when there are none.

    Other files in the folder stay.

    Raises:
        OptimizeError: a run uses the folder, or it cannot be written.
    """
    journals = [path for path in (state / JOURNAL, *state.glob(f"*/{JOURNAL}")) if path.is_file()]
    if not journals:
        return None
    if any(is_locked(path) for path in journals):
        raise OptimizeError(f"{state} is in use by another run", hint="stop it before `--refresh`")
    moved = [path.parent for path in journals if path.parent != state]
    moved += [state / name for name in RUN_FILES if (state / name).exists()]
    number = 1
    while (target := state.with_name(f"{state.name}-old-{number}")).exists():
        number += 1
    try:
        target.mkdir()
        for path in moved:
            path.rename(target / path.name)
    except OSError as error:
        raise OptimizeError(f"{state} cannot be set aside: {error.strerror}", hint="name another folder") from None
    return target
