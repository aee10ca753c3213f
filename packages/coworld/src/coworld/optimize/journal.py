"""The log of a run: lines of JSON in one append-only file.

A line counts once it is on the disk with its end. What a killed run left of a line is cut off when the file is opened
again; everything before it stands, so the next run continues where the last one ended.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from coworld.optimize.errors import OptimizeError

LOCK_TRIES, LOCK_PAUSE = 5, 0.02
"""`is_locked` holds the lock for an instant, which must not refuse a run"""


def is_locked(path: Path) -> bool:
    """Whether a run holds the journal."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def read_entries(path: Path) -> list[dict[str, Any]]:
    """Read the complete lines of a journal that another process may be writing."""
    try:
        lines = path.read_bytes().split(b"\n")[:-1]
        return [json.loads(line) for line in lines]
    except FileNotFoundError:
        return []
    except ValueError:
        raise OptimizeError(f"{path} is damaged", hint="start again with `--refresh`") from None


def _lock(file: IO[bytes]) -> bool:
    for attempt in range(LOCK_TRIES):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except OSError:
            if attempt + 1 < LOCK_TRIES:
                time.sleep(LOCK_PAUSE)
    return False


class Journal:
    """An open journal; one process at a time."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._file = path.open("ab+")
        if not _lock(self._file):
            self._file.close()
            raise OptimizeError(f"{path.parent} is in use by another run", hint="wait for it, or name another folder")
        self.entries = list(self._read())

    def _read(self) -> Iterator[dict[str, Any]]:
        self._file.seek(0)
        good = 0
        for number, line in enumerate(self._file, 1):
            if not line.endswith(b"\n"):
                break
            try:
                entry = json.loads(line)
            except ValueError:
                raise OptimizeError(
                    f"line {number} of {self.path} is damaged", hint="name another folder to start again"
                ) from None
            good += len(line)
            yield entry
        self._file.truncate(good)

    def add(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Append one line and wait until it is on the disk."""
        entry = {"kind": kind, **fields}
        self._file.write(json.dumps(entry, sort_keys=True).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self.entries.append(entry)
        return entry

    def find(self, kind: str, **fields: Any) -> dict[str, Any] | None:
        """Return the first line of a kind with these fields."""
        for entry in self.entries:
            if entry["kind"] == kind and all(entry.get(key) == value for key, value in fields.items()):
                return entry
        return None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
