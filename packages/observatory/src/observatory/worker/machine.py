"""Check the resources of the worker's machine."""

from __future__ import annotations

import os
import platform
import tempfile
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Capacity", "MachineFailed", "capacity", "detected_labels", "memory_of", "missing_room"]

MIN_FREE_BYTES = 512 << 20
MIN_FREE_MEMORY = 256 << 20
MAX_EPISODE_MEMORY = 4 << 30
"""of the process that plays an episode, without the policies, which have limits of their own"""


class MachineFailed(Exception):
    """This machine could not play an episode; another one should, and no policy is at fault."""

    def __init__(self, message: str, error_type: str | None = None) -> None:
        """`error_type` is the game's word for the fault, if the game reported it."""
        super().__init__(message)
        self.error_type = error_type


@dataclass(frozen=True)
class Capacity:
    """What a worker's machine has."""

    cpus: int
    gpus: int
    memory_mb: int | None


def capacity() -> Capacity:
    """Return the processors that this process may use, its graphics cards, and the memory of the machine."""
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    total = _memory("MemTotal")
    return Capacity(cpus=cpus, gpus=_gpus(), memory_mb=None if total is None else max(1, total >> 20))


def detected_labels(sandbox: str) -> list[str]:
    """Return the labels that every worker has: its isolation, its kind of processor, and `gpu` if it has one."""
    return [f"sandbox={sandbox}", f"arch={platform.machine().lower()}", *(["gpu"] if _gpus() else [])]


def _gpus() -> int:
    """Return the number of NVIDIA devices that this process may use."""
    chosen = os.environ.get("CUDA_VISIBLE_DEVICES")
    present = sum(path.name[6:].isdigit() for path in Path("/dev").glob("nvidia[0-9]*"))
    return present if chosen is None else min(present, len([name for name in chosen.split(",") if name.strip()]))


def _memory(name: str) -> int | None:
    """Return a line of the system's account of its memory, in bytes; None where the system does not say."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith(f"{name}:")), None)


def missing_room() -> str | None:
    """Return a sentence when the disk for temporary files or the memory has less room than an episode may need."""
    memory = _memory("MemAvailable")
    if memory is not None and memory < MIN_FREE_MEMORY:
        return f"{memory >> 20} MB of memory are free, and {MIN_FREE_MEMORY >> 20} are needed"
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
