"""The cache of clean interpreters: which are in use, and which are old enough to remove.

A process that uses a folder holds a shared lock on it until it ends. Removal takes the exclusive lock first and renames
the folder before it deletes anything, so that a program never loses the Python it runs on.
"""

import contextlib
import fcntl
import os
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

MAX_CACHED = 8
"""cached interpreters besides the one in use; the least recently used are evicted first"""
OLDEST_SECONDS = 30 * 24 * 3600.0
"""an interpreter without a use for this long is removed"""
LEFTOVER_SECONDS = 24 * 3600.0
"""unfinished folders of processes that died are removed after this"""

_NAME = re.compile(r"[0-9a-f]{16}")
_LEFTOVER = re.compile(r"\.(?:new|old)-.*")
_open_descriptors: list[int] = []
"""descriptors of the folders that this process uses; closed, and so unlocked, when it ends"""


def hold(folder: Path) -> bool:
    """Mark a folder as in use by this process; return False where it is missing or was just removed."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return False
    with contextlib.suppress(OSError):  # a file system without locks: nothing is pruned there either
        fcntl.flock(descriptor, fcntl.LOCK_SH)
    if not _is_same(folder, descriptor):
        os.close(descriptor)
        return False
    _open_descriptors.append(descriptor)
    with contextlib.suppress(OSError):  # the folder of another user
        os.utime(folder)  # the time of the last use
    return True


def prune(parent: Path, *, now: float | None = None) -> list[Path]:
    """Remove interpreters that no process uses and that are old or too many; return those removed."""
    now = time.time() if now is None else now
    removed = []
    cached = sorted(_cached(parent), key=lambda item: item[1], reverse=True)
    for position, (path, used) in enumerate(cached):
        is_stale = now - used > (LEFTOVER_SECONDS if _LEFTOVER.fullmatch(path.name) else OLDEST_SECONDS)
        if (is_stale or position >= MAX_CACHED) and _remove(path):
            removed.append(path)
    return removed


def _cached(parent: Path) -> Iterator[tuple[Path, float]]:
    with contextlib.suppress(OSError):
        for path in parent.iterdir():
            if _NAME.fullmatch(path.name) or _LEFTOVER.fullmatch(path.name):
                with contextlib.suppress(OSError):
                    yield path, path.stat().st_mtime


def _remove(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not _is_same(path, descriptor):
            return False
        doomed = path.with_name(f".old-{path.name.removeprefix('.old-')}-{os.getpid()}")
        os.rename(path, doomed)
        shutil.rmtree(doomed, ignore_errors=True)
    except OSError:  # in use, or the folder of another user
        return False
    finally:
        os.close(descriptor)
    return True


def _is_same(path: Path, descriptor: int) -> bool:
    """Return whether a path still names the folder that is open."""
    try:
        named, opened = os.stat(path, follow_symlinks=False), os.fstat(descriptor)
    except OSError:
        return False
    return (named.st_dev, named.st_ino) == (opened.st_dev, opened.st_ino)
