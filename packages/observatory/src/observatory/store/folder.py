"""A store in a folder of the server, reached from outside by URLs that the server signs."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from observatory.errors import Conflict, Unavailable
from observatory.store.base import Missing, Store, check_key
from observatory.store.signed import UrlSigner

__all__ = ["FolderStore", "Incoming"]

_PIECE = 1024 * 1024
_MAX_REFUSED = 10_000
_LEFT_OVER_SECONDS = 24 * 3600


class FolderStore(Store):
    """Objects are files under `root/objects`; what arrives is in `root/incoming` until it is whole."""

    def __init__(self, root: Path, signer: UrlSigner) -> None:
        self.signer = signer
        self._objects = root / "objects"
        self._incoming = root / "incoming"
        self._used = root / "used"
        self._refused: dict[str, int] = {}
        for folder in (self._objects, self._incoming, self._used):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)

    def path(self, key: str) -> Path:
        return self._objects / check_key(key)

    def put(self, key: str, data: bytes) -> None:
        with self.receive(key) as incoming:
            incoming.write(data)

    def put_file(self, key: str, path: Path) -> None:
        with path.open("rb") as source, self.receive(key) as incoming:
            shutil.copyfileobj(source, incoming.file, _PIECE)

    def put_stream(self, key: str, pieces: Iterable[bytes]) -> None:
        with self.receive(key) as incoming:
            for piece in pieces:
                incoming.write(piece)

    def get(self, key: str) -> bytes:
        try:
            return self.path(key).read_bytes()
        except FileNotFoundError:
            raise Missing(key) from None

    def stream(self, key: str) -> Iterator[bytes]:
        try:
            file = self.path(key).open("rb")
        except FileNotFoundError:
            raise Missing(key) from None
        return _pieces(file)

    @contextmanager
    def local(self, key: str) -> Iterator[Path]:
        path = self.path(key)
        if not path.is_file():
            raise Missing(key)
        yield path

    def size(self, key: str) -> int | None:
        try:
            return self.path(key).stat().st_size
        except FileNotFoundError:
            return None

    def etag(self, key: str) -> str | None:
        try:
            status = self.path(key).stat()
        except FileNotFoundError:
            return None
        return f'"{status.st_mtime_ns:x}-{status.st_size:x}"'

    def free_bytes(self) -> int | None:
        stat = os.statvfs(self._incoming)
        return stat.f_bavail * stat.f_frsize

    def refused_size(self, key: str) -> int | None:
        return self._refused.get(key)

    def refuse_size(self, key: str, size: int) -> None:
        """Record in memory the size of an upload that was rejected as too large."""
        while len(self._refused) >= _MAX_REFUSED:
            self._refused.pop(next(iter(self._refused)))
        self._refused[key] = size

    def move(self, source: str, target: str) -> None:
        place = self.path(target)
        place.parent.mkdir(parents=True, exist_ok=True)
        try:
            self.path(source).replace(place)
        except FileNotFoundError:
            raise Missing(source) from None

    def delete(self, key: str) -> None:
        self.path(key).unlink(missing_ok=True)

    def keys(self, prefix: str) -> list[str]:
        folder = self._objects / prefix
        if not folder.is_dir():
            return []
        return sorted(path.relative_to(self._objects).as_posix() for path in folder.rglob("*") if path.is_file())

    def modified_at(self, key: str) -> datetime | None:
        try:
            return datetime.fromtimestamp(self.path(key).stat().st_mtime, UTC)
        except FileNotFoundError:
            return None

    def upload_url(
        self,
        key: str,
        *,
        content_type: str,
        max_bytes: int,
        seconds: int,
        replace: bool = False,
        exact: bool = False,
    ) -> str:
        # A shorter object is rejected when the upload completes, as one with another digest is.
        return self.signer.upload(
            check_key(key), content_type=content_type, max_bytes=max_bytes, seconds=seconds, replace=replace
        )

    def download_url(
        self, key: str, *, seconds: int, content_type: str | None = None, filename: str | None = None
    ) -> str:
        return self.signer.download(check_key(key), seconds=seconds)

    @contextmanager
    def receive(self, key: str, *, once: str = "") -> Iterator[Incoming]:
        """Open a file for a new object; it becomes the object when the `with` succeeds, and is deleted otherwise.

        `once` is consumed at that moment; `Conflict` if it was consumed before.
        """
        place = self.path(key)
        try:
            handle, name = tempfile.mkstemp(dir=self._incoming)
        except OSError as error:
            raise _unavailable(error) from error
        try:
            with os.fdopen(handle, "wb") as file:
                incoming = Incoming(file)
                yield incoming
                file.flush()
                os.fchmod(file.fileno(), 0o644)  # sandboxes read bundles; the parent folders block other users
                os.fsync(file.fileno())
            if once:
                self._use_up(once)
            place.parent.mkdir(parents=True, exist_ok=True)
            os.replace(name, place)
        except OSError as error:
            raise _unavailable(error) from error
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name)

    def was_used(self, once: str) -> bool:
        return bool(once) and (self._used / check_key(once)).exists()

    def sweep(self) -> int:
        """Remove the files of interrupted uploads; return how many."""
        removed = 0
        for folder in (self._incoming, self._used):
            for path in folder.iterdir():
                with contextlib.suppress(FileNotFoundError):
                    if path.stat().st_mtime < time.time() - _LEFT_OVER_SECONDS:
                        path.unlink()
                        removed += 1
        return removed

    def _use_up(self, once: str) -> None:
        try:
            os.close(os.open(self._used / check_key(once), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            raise Conflict("This URL was used already; ask for a new URL") from None


class Incoming:
    """A file that is being received."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.size = 0

    def write(self, data: bytes) -> None:
        self.file.write(data)
        self.size += len(data)


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while piece := file.read(_PIECE):
            yield piece


def _unavailable(error: OSError) -> Unavailable:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return Unavailable("The disk of the store is full; nothing was stored")
    return Unavailable("The store cannot be written to; nothing was stored")
