"""Allocate a user id for each box that root starts, so that a box shares its user with no other process.

No common scheme assigns ids of this range. A lock on its file reserves an id; the lock ends with the process.
"""

import contextlib
import errno
import fcntl
import os
import secrets
from pathlib import Path

FIRST, COUNT = 1_879_048_192, 200_000
FOLDER = Path("/run/cogbox/users")


def sweep() -> None:
    """Free the ids of boxes whose caller was killed."""
    for path in FOLDER.glob("*") if os.geteuid() == 0 else ():
        with contextlib.suppress(OSError), open(path) as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink(missing_ok=True)


class BoxUser:
    """A user id that is reserved for one box until `release`."""

    def __init__(self) -> None:
        FOLDER.mkdir(mode=0o700, parents=True, exist_ok=True)
        start = secrets.randbelow(COUNT)
        for step in range(COUNT):
            self.uid = FIRST + (start + step) % COUNT
            self._path = FOLDER / str(self.uid)
            if self._lock():
                return
        raise OSError(errno.EAGAIN, "all user ids for boxes are taken")

    def _lock(self) -> bool:
        fd = os.open(self._path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(fd).st_ino == os.stat(self._path).st_ino:
                self._fd = fd
                return True
        except (BlockingIOError, FileNotFoundError):
            pass
        os.close(fd)
        return False

    def release(self) -> None:
        self._path.unlink(missing_ok=True)
        os.close(self._fd)
