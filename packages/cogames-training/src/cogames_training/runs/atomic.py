"""Replace files as a whole: readers, and runs after a crash, see the old content or the new one."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["link_or_copy", "sync_folder", "write_file"]


def write_file(path: Path, content: bytes) -> None:
    """Write to a temporary name in the same folder, flush to disk, and rename."""
    temporary = _temporary(path)
    try:
        with open(temporary, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(path.parent)


def link_or_copy(source: Path, path: Path) -> None:
    """Make `path` a second name of `source`, or a copy where the file system has no links; replaces it as a whole."""
    temporary = _temporary(path)
    temporary.unlink(missing_ok=True)
    try:
        os.link(source, temporary)
    except OSError:
        write_file(path, source.read_bytes())
        return
    try:
        # Renaming one link over another of the same file does nothing; the temporary name is then removed below.
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Flush renames in a folder to disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _temporary(path: Path) -> Path:
    return path.with_name(f".{path.name}.part")
