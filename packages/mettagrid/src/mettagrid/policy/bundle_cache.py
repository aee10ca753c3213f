"""Cache unpacked bundles by content: each archive is unpacked once, and a changed archive is never served stale."""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from mettagrid.policy.archive import archive_digest, extract_submission_archive

try:
    import fcntl
except ImportError:  # Windows has no such lock; the rename below is sufficient there, but may duplicate work
    fcntl = None  # type: ignore[assignment]

DEFAULT_POLICY_CACHE_DIR = Path(tempfile.gettempdir()) / "mettagrid-policy-cache"

EXTRACTED = ".extraction_complete"
_OWN_FILES = (EXTRACTED, ".extraction.lock")


def unpacked_bundle(archive: Path, *, cache_dir: Path | None = None, destination: Path | None = None) -> Path:
    """Return the folder with the content of `archive`, unpacking it if it is not cached.

    Processes that need the same archive wait for one another. `destination` is used instead of the cache; other files
    in it stay.
    """
    digest = archive_digest(archive)
    if destination is not None:
        marker = destination / EXTRACTED
        if not marker.is_file() or marker.read_text() != digest:
            marker.unlink(missing_ok=True)
            extract_submission_archive(archive, destination)
            marker.write_text(digest)
        return destination
    cache = usable_cache_dir(cache_dir)
    folder = cache / f"{digest}.d"
    with exclusive_file_lock(cache / f"{digest}.lock"):
        if not (folder / EXTRACTED).is_file():
            shutil.rmtree(folder, ignore_errors=True)
            _unpack(archive, folder, digest)
        (folder / EXTRACTED).touch()  # its time says when the bundle was last used
    return folder


def usable_cache_dir(cache_dir: Path | None = None) -> Path:
    """Return the cache folder, creating it if missing. Raises PermissionError if it belongs to another user."""
    cache = DEFAULT_POLICY_CACHE_DIR if cache_dir is None else cache_dir
    cache.mkdir(parents=True, exist_ok=True, mode=0o700)
    if hasattr(os, "geteuid") and cache.stat().st_uid != os.geteuid():
        cache = cache.with_name(f"{cache.name}-{os.geteuid()}")
        cache.mkdir(exist_ok=True, mode=0o700)
        if cache.stat().st_uid != os.geteuid():
            raise PermissionError(f"The policy cache {cache} belongs to another user; remove it or set TMPDIR")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        # Boxes that root starts have users of their own, which enter the folder; only root lists it.
        cache.chmod(0o711)
    return cache


@contextlib.contextmanager
def separate_cache(folder: Path) -> Iterator[None]:
    """Use an empty bundle cache in `folder` for this process inside the block."""
    global DEFAULT_POLICY_CACHE_DIR
    before, DEFAULT_POLICY_CACHE_DIR = DEFAULT_POLICY_CACHE_DIR, folder
    try:
        yield
    finally:
        DEFAULT_POLICY_CACHE_DIR = before


@contextlib.contextmanager
def exclusive_file_lock(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on a file inside the block; waits until it is free."""
    with path.open("a") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def is_own_file(name: str) -> bool:
    """Return whether a file in an unpacked bundle is ours rather than part of the bundle."""
    return name in _OWN_FILES or (name.startswith(".setup-") and name.endswith((".done", ".lock")))


def remove_at_exit(path: Path) -> None:
    """Delete a file or folder when the process exits."""
    if path not in _leaving:
        _leaving.add(path)
        atexit.register(_remove, path)


_leaving: set[Path] = set()


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _unpack(archive: Path, folder: Path, digest: str) -> None:
    """Unpack next to `folder` and rename, so that a partly unpacked bundle is never visible."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name[:32]}."))
    try:
        extract_submission_archive(archive, temporary)
        if archive_digest(archive) != digest:
            raise ValueError(f"{archive} was changed while it was being read; load it again")
        (temporary / EXTRACTED).write_text(digest)
        temporary.chmod(0o755)
        with contextlib.suppress(FileExistsError):
            temporary.rename(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
