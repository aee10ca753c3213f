"""One run per output folder: a second one is refused instead of mixing its files with those of the first."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path

from coworld.errors import SourceError

NAME = ".coworld.lock"
_locked_folders: ContextVar[frozenset[Path]] = ContextVar("held_folders", default=frozenset())


@contextlib.contextmanager
def sole_use(folder: Path) -> Iterator[None]:
    """Hold a folder, which is created if it is missing, until the block ends; a caller may hold it several times.

    The lock ends with the process, however that ends.

    Raises:
        SourceError: another run holds it, or it cannot be made.
    """
    path = Path(os.path.realpath(folder))
    if path in _locked_folders.get():
        yield
        return
    try:
        path.mkdir(parents=True, exist_ok=True)
        lock = _lock(path / NAME)
    except BlockingIOError:
        raise SourceError(
            f"{folder} is in use by another run, whose files would be mixed up with these",
            hint="give each run a folder with `-o DIR`, or wait until the other one ends",
        ) from None
    except OSError as error:
        raise SourceError(f"{folder} cannot hold an episode: {error.strerror}", hint="name another folder") from None
    token = _locked_folders.set(_locked_folders.get() | {path})
    try:
        yield
    finally:
        _locked_folders.reset(token)
        with contextlib.suppress(OSError):
            os.unlink(path / NAME)
        os.close(lock)


def _lock(path: Path) -> int:
    while True:
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            named = os.stat(path, follow_symlinks=False)
            if (named.st_dev, named.st_ino) == (os.fstat(lock).st_dev, os.fstat(lock).st_ino):
                return lock
        except FileNotFoundError:
            pass  # its holder has just removed it
        except BaseException:
            os.close(lock)
            raise
        os.close(lock)
