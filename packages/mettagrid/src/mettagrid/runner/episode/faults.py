"""Detect faults of this machine, for which no policy is at fault: a full disk, no more open files, a broken sandbox."""

from __future__ import annotations

import errno
import os

__all__ = ["disk_is_full", "is_machine_fault"]

#: A program that fails while the disk has less free space than this, in bytes, is not at fault.
LOW_BYTES = 16 << 20

_ERRNOS = frozenset(
    {
        errno.EACCES,
        errno.EAGAIN,
        errno.EDQUOT,
        errno.EIO,
        errno.EMFILE,
        errno.ENFILE,
        errno.ENOMEM,
        errno.ENOSPC,
        errno.EPERM,
        errno.EROFS,
        errno.ESTALE,
    }
)


def is_machine_fault(error: BaseException) -> bool:
    """Return whether an exception from reading a policy's files is a fault of the machine rather than of the files.

    A missing file and a name that the file system rejects are faults of the bundle; so is an `OSError` that our own
    code raised with a message and without an errno.
    """
    if isinstance(error, MemoryError) or type(error).__module__.partition(".")[0] == "cogbox":
        return True
    return isinstance(error, OSError) and error.errno in _ERRNOS


def disk_is_full(path: str | os.PathLike[str]) -> bool:
    """Return whether the file system of `path` has almost no free space."""
    try:
        stats = os.statvfs(path)
    except OSError:
        return True
    return stats.f_bavail * stats.f_frsize < LOW_BYTES or (stats.f_files > 0 and stats.f_favail == 0)
