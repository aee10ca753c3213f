"""One process writes a run."""

from __future__ import annotations

import fcntl
import time
from pathlib import Path
from typing import IO

from cogames_training.runs.errors import RunFolderError

__all__ = ["RunLock", "is_locked"]

NAME = ".lock"
# `is_locked` holds the lock for a moment, so one refusal does not prove that another run is there.
ATTEMPTS, PAUSE_SECONDS = 5, 0.02


class RunLock:
    """A lock on a run folder, which the operating system releases when the process ends."""

    def __init__(self, folder: Path) -> None:
        self._file: IO[str] | None = (folder / NAME).open("a")
        for attempt in range(ATTEMPTS):
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if attempt < ATTEMPTS - 1:
                    time.sleep(PAUSE_SECONDS)
        self.release()
        raise RunFolderError(f"Another process is training in {folder}", ["wait for it, or choose another run"])

    def release(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def is_locked(folder: Path) -> bool:
    """Return whether a process is writing the run."""
    try:
        with (folder / NAME).open() as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
