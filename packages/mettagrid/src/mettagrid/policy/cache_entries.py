"""List and remove entries of the bundle cache."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from mettagrid.policy.bundle_cache import EXTRACTED, exclusive_file_lock, usable_cache_dir

__all__ = ["CacheEntry", "cache_entries", "remove_entry"]

KINDS = {".d": "unpacked bundle", ".f": "copy of a folder", ".s": "result of a setup script", ".zip": "download"}
TEMPORARY = "unfinished"


@dataclass(frozen=True)
class CacheEntry:
    """A file or folder in the cache; `size` in bytes, `used_at` when it was last unpacked or read."""

    path: Path
    kind: str
    size: int
    used_at: datetime


def cache_entries() -> list[CacheEntry]:
    """Return the entries of the user's cache, the least recently used first."""
    entries = []
    for path in usable_cache_dir().iterdir():
        kind = TEMPORARY if path.name.startswith(".") else KINDS.get(path.suffix)
        if kind is not None:
            entries.append(CacheEntry(path, kind, _size(path), _used_at(path)))
    return sorted(entries, key=lambda entry: (entry.used_at, entry.path.name))


def remove_entry(entry: CacheEntry) -> bool:
    """Delete an entry; return whether it existed. A process that is about to use it waits and creates it again."""
    lock = entry.path.with_suffix(".lock") if entry.path.suffix == ".d" else Path(f"{entry.path}.lock")
    trash = Path(tempfile.mkdtemp(dir=entry.path.parent, prefix=".removed."))
    try:
        with exclusive_file_lock(lock):
            entry.path.rename(trash / entry.path.name)  # no process ever sees a part of it
    except FileNotFoundError:
        return False
    finally:
        shutil.rmtree(trash, ignore_errors=True)
    return True


def _size(path: Path) -> int:
    if path.is_symlink() or not path.is_dir():
        return path.lstat().st_size
    return sum(child.lstat().st_size for child in path.rglob("*") if not child.is_dir() or child.is_symlink())


def _used_at(path: Path) -> datetime:
    marker = path / EXTRACTED
    place = marker if marker.is_file() else path
    return datetime.fromtimestamp(place.lstat().st_mtime, UTC)
