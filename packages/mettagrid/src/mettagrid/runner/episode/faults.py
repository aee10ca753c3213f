"""Faults of this machine, which are no policy's: a full disk, no more open files, a sandbox that does not work."""

from __future__ import annotations

import errno
import os

__all__ = ["disk_is_full", "is_machine_fault"]

#: A program that fails with less room than this on the disk is not to blame.
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
    """Whether an exception met while a policy's files were read says something about the machine, not the files.

    A missing file and a name that the file system refuses are the bundle's; so is an `OSError` that our own code raised
    with a sentence and without a number.
    """
    if isinstance(error, MemoryError) or type(error).__module__.partition(".")[0] == "cogbox":
        return True
    return isinstance(error, OSError) and error.errno in _ERRNOS


def disk_is_full(path: str | os.PathLike[str]) -> bool:
    """Whether there is next to no room where `path` is."""
    try:
        found = os.statvfs(path)
    except OSError:
        return True
    return found.f_bavail * found.f_frsize < LOW_BYTES or (found.f_files > 0 and found.f_favail == 0)
