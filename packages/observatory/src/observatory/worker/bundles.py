"""The bundles of policies that a worker has downloaded. A version never changes, so its bundle can be used again."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import uuid
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

__all__ = ["Bundles"]

MAX_BUNDLES = 64
MAX_BYTES = 2 << 30


class Bundles:
    """A folder of bundles by policy version, which evicts those that were used least recently."""

    def __init__(self, *, max_bundles: int = MAX_BUNDLES, max_bytes: int = MAX_BYTES) -> None:
        self._max_bundles, self._max_bytes = max_bundles, max_bytes
        self._folder: Path | None = None
        self._sizes: OrderedDict[uuid.UUID, int] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def versions(self) -> list[uuid.UUID]:
        """The versions whose bundles are here, the last one used last."""
        with self._lock:
            return list(self._sizes)

    def fetch(self, version: uuid.UUID, target: Path, download: Callable[[Path], None]) -> None:
        """Put the bundle of a version at `target`; download it if it is not here."""
        with self._lock:
            if version in self._sizes:
                self._sizes.move_to_end(version)
                _link(self._path(version), target)
                return
        download(target)
        with self._lock:
            if version not in self._sizes:
                _link(target, self._path(version))
                self._sizes[version] = target.stat().st_size
                self._evict()

    def clear(self) -> None:
        """Remove all bundles, and the folder."""
        with self._lock:
            self._sizes.clear()
            if self._folder is not None:
                shutil.rmtree(self._folder, ignore_errors=True)
                self._folder = None

    def _path(self, version: uuid.UUID) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="observatory-bundles-"))
        return self._folder / f"{version}.zip"

    def _evict(self) -> None:
        while len(self._sizes) > 1 and (
            len(self._sizes) > self._max_bundles or sum(self._sizes.values()) > self._max_bytes
        ):
            version, _ = self._sizes.popitem(last=False)
            self._path(version).unlink(missing_ok=True)


def _link(source: Path, target: Path) -> None:
    """Make a file visible at another path, without a copy where the disk allows it."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
