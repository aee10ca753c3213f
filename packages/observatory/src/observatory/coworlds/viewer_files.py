"""Read the files of replay viewers, which are stored as zip archives under their digests."""

from __future__ import annotations

import contextlib
import mimetypes
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from observatory.database.tables.coworlds import ContentKind
from observatory.errors import NotFound
from observatory.store import Missing, Store
from observatory.store.folder import FolderStore
from observatory.store.layout import content_key

__all__ = ["ViewerFiles", "content_type"]

MAX_ARCHIVES = 20
"""archives of a remote store that are cached on this machine"""
_PIECE = 1 << 18
_TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm", ".json": "application/json"}


def content_type(name: str) -> str:
    """Return the content type of a file of a viewer by its name."""
    suffix = PurePosixPath(name).suffix.lower()
    kind = _TYPES.get(suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind


class ViewerFiles:
    """The replay viewers of a store. Archives of a remote store are downloaded once."""

    def __init__(self, store: Store, cache: Path) -> None:
        self._store, self._cache = store, cache

    def open(self, sha256: str, name: str) -> Iterator[bytes]:
        """Return the pieces of a file of a viewer; `NotFound` if there is none.

        The archive was checked when it was uploaded: no links, no paths that leave it, no encrypted members.
        """
        pieces = self._pieces(sha256, name)
        next(pieces)  # raises before the response begins
        return pieces

    def _pieces(self, sha256: str, name: str) -> Iterator[bytes]:
        with self._archive(sha256) as archive:
            try:
                member = archive.open(name)
            except (KeyError, zipfile.BadZipFile):
                raise NotFound(f"The replay viewer has no file {name[:80]!r}") from None
            with member:
                yield b""
                while piece := member.read(_PIECE):
                    yield piece

    @contextmanager
    def _archive(self, sha256: str) -> Iterator[zipfile.ZipFile]:
        key = content_key(ContentKind.VIEWER_BUNDLE, sha256)
        try:
            if isinstance(self._store, FolderStore):
                with self._store.local(key) as path, zipfile.ZipFile(path) as archive:
                    yield archive
                return
            with self._downloaded(key, sha256).open("rb") as file, zipfile.ZipFile(file) as archive:
                yield archive
        except Missing:
            raise NotFound("The replay viewer of this game is not stored here") from None

    def _downloaded(self, key: str, sha256: str) -> Path:
        path = self._cache / f"{sha256}.zip"
        if path.is_file():
            os.utime(path)
            return path
        self._cache.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._evict()
        with self._store.local(key) as source:
            handle, name = tempfile.mkstemp(dir=self._cache)
            try:
                with os.fdopen(handle, "wb") as target, source.open("rb") as file:
                    shutil.copyfileobj(file, target)
                os.replace(name, path)
            finally:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(name)
        return path

    def _evict(self) -> None:
        """Delete the archives that were not used for the longest time."""
        by_age = sorted(self._cache.glob("*.zip"), key=lambda path: path.stat().st_mtime, reverse=True)
        for path in by_age[MAX_ARCHIVES - 1 :]:
            path.unlink(missing_ok=True)
