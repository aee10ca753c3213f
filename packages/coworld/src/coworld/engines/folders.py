"""Read files from a folder that untrusted code has written: plain files only, no links, limited sizes."""

import os
import stat
import tempfile
from pathlib import Path
from typing import BinaryIO

BLOCK = 1 << 20


def open_inside(folder: Path, name: str) -> BinaryIO | None:
    """Open a plain file below a folder without following links; return None when there is no such file."""
    parts = Path(name).parts
    if not parts or Path(name).is_absolute() or ".." in parts:
        return None
    fds: list[int] = []
    try:
        fds.append(os.open(folder, os.O_RDONLY | os.O_DIRECTORY))
        for part in parts[:-1]:
            fds.append(os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=fds[-1]))
        # Not blocking: a named pipe would wait for a writer for ever.
        fd = os.open(parts[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=fds[-1])
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            os.close(fd)
            return None
        return os.fdopen(fd, "rb")
    except OSError:
        return None
    finally:
        for fd in fds:
            os.close(fd)


def list_inside(folder: Path, name: str, max_files: int) -> list[str] | None:
    """List the plain files below `folder / name`, sorted and relative to that; None for more than `max_files`.

    Links and pipes are not listed, and links are not followed.
    """
    start = folder / name
    if start.is_symlink():
        return []
    listed: list[str] = []
    for place, _, names in os.walk(start, followlinks=False):
        paths = [Path(place, name) for name in names]
        listed += [str(path.relative_to(start)) for path in paths if stat.S_ISREG(path.lstat().st_mode)]
        if len(listed) > max_files:
            return None
    return sorted(listed)


def read_inside(folder: Path, name: str, max_bytes: int) -> bytes | None:
    """Return the contents of a plain file below a folder; None when it is missing or is larger than `max_bytes`."""
    file = open_inside(folder, name)
    if file is None:
        return None
    with file:
        data = file.read(max_bytes + 1)
    return data if len(data) <= max_bytes else None


def copy_inside(folder: Path, name: str, target: Path, max_bytes: int) -> bool:
    """Copy such a file; the target appears whole or not at all. False when there is none or it is too large."""
    source = open_inside(folder, name)
    if source is None:
        return False
    with source:
        if os.fstat(source.fileno()).st_size > max_bytes:
            return False
        target.parent.mkdir(parents=True, exist_ok=True)
        fd, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}-")
        try:
            with os.fdopen(fd, "wb") as copy:
                remaining = max_bytes
                while remaining > 0 and (block := source.read(min(BLOCK, remaining))):
                    copy.write(block)
                    remaining -= len(block)
            os.chmod(temporary, 0o644)
            os.replace(temporary, target)
        except BaseException:
            os.unlink(temporary)
            raise
    return True
