"""Stamps of build steps: digests of their inputs in `.venv/stamps/`."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from workspace import ROOT, VENV

STAMPS = VENV / "stamps"


def digest(*parts: str | bytes | Path) -> str:
    """Return a digest of texts and of the names and contents of files."""
    state = hashlib.sha256()
    for part in parts:
        if isinstance(part, Path):
            state.update(str(part.relative_to(ROOT)).encode() + b"\0" + part.read_bytes())
        else:
            state.update(part.encode() if isinstance(part, str) else part)
        state.update(b"\0")
    return state.hexdigest()


def files(folder: Path, pattern: str = "*") -> Iterable[Path]:
    return sorted(path for path in folder.rglob(pattern) if path.is_file() and "__pycache__" not in path.parts)


def is_fresh(step: str, stamp: str) -> bool:
    path = STAMPS / step
    return path.exists() and path.read_text() == stamp


def set_stamp(step: str, stamp: str) -> None:
    STAMPS.mkdir(exist_ok=True)
    (STAMPS / step).write_text(stamp)
