"""Check the resources of the worker's machine."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

__all__ = ["MachineFailed", "memory_of", "missing_room"]

MIN_FREE_BYTES = 512 << 20
MAX_EPISODE_MEMORY = 4 << 30
"""of the process that plays an episode, without the policies, which have limits of their own"""


class MachineFailed(Exception):
    """This machine could not play an episode; another one should, and no policy is at fault."""

    def __init__(self, message: str, error_type: str | None = None) -> None:
        """`error_type` is the game's word for the fault, if the game reported it."""
        super().__init__(message)
        self.error_type = error_type


def missing_room() -> str | None:
    """Return a sentence when the disk for temporary files has less room than an episode may need."""
    stat = os.statvfs(tempfile.gettempdir())
    free = stat.f_bavail * stat.f_frsize
    if free >= MIN_FREE_BYTES:
        return None
    return f"{free >> 20} MB are free for temporary files, and {MIN_FREE_BYTES >> 20} are needed"


def memory_of(pid: int) -> int:
    """Bytes of memory that a process has in use; 0 where the system does not say."""
    try:
        fields = Path(f"/proc/{pid}/statm").read_text().split()
    except OSError:
        return 0
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")
