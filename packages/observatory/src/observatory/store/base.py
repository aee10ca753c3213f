"""The interface of a store. Keys are paths such as `jobs/<id>/results.json`."""

from __future__ import annotations

import mimetypes
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from observatory.errors import NotFound

__all__ = ["Missing", "Store", "check_key", "content_type_of"]

_PART = r"[A-Za-z0-9_][A-Za-z0-9._-]{0,200}"
_KEY = re.compile(rf"{_PART}(/{_PART})*")
_MAX_KEY_CHARACTERS = 300


class Missing(NotFound):
    """The store has no object under the key."""

    def __init__(self, key: str) -> None:
        super().__init__(f"The store has no {key.rsplit('/', 1)[-1]}")
        self.key = key


def check_key(key: str) -> str:
    """Return the key; raise `ValueError` if it could escape the store."""
    if len(key) > _MAX_KEY_CHARACTERS or not _KEY.fullmatch(key):
        raise ValueError(f"{key[:80]!r} is not a valid store key")
    return key


def content_type_of(key: str) -> str:
    return mimetypes.guess_type(key)[0] or "application/octet-stream"


class Store(ABC):
    """Objects under keys. Writes are atomic: an object exists completely or not at all."""

    @abstractmethod
    def put(self, key: str, data: bytes) -> None:
        """Write an object; replace an existing one."""

    @abstractmethod
    def put_file(self, key: str, path: Path) -> None:
        """As `put`, from a file, which stays."""

    @abstractmethod
    def put_stream(self, key: str, pieces: Iterable[bytes]) -> None:
        """As `put`, from pieces that are never in memory together; if they raise, nothing is written."""

    @abstractmethod
    def get(self, key: str) -> bytes:
        """Return an object as bytes; raise `Missing` if there is none."""

    @abstractmethod
    def stream(self, key: str) -> Iterator[bytes]:
        """Return an object in chunks; raise `Missing` immediately if there is none."""

    @abstractmethod
    def local(self, key: str) -> AbstractContextManager[Path]:
        """Open the object as a local file, to be read inside the `with` only."""

    @abstractmethod
    def size(self, key: str) -> int | None:
        """Return the size of an object in bytes; None if there is none."""

    @abstractmethod
    def etag(self, key: str) -> str | None:
        """Return the ETag of an object, in quotes, for the header `If-Match`; None if there is none."""

    def free_bytes(self) -> int | None:
        """Return the free space in bytes; None if the store has no known limit."""
        return None

    def refused_size(self, key: str) -> int | None:
        """Return the size of an upload to this key that the store itself rejected as too large, if any."""
        return None

    @abstractmethod
    def move(self, source: str, target: str) -> None:
        """Move an object to another key; raise `Missing` if there is none."""

    @abstractmethod
    def delete(self, key: str) -> None:
        """Delete an object; do nothing if there is none."""

    @abstractmethod
    def keys(self, prefix: str) -> list[str]:
        """Return the keys with this prefix, sorted. The prefix ends with `/` or is empty."""

    @abstractmethod
    def upload_url(self, key: str, *, content_type: str, max_bytes: int, seconds: int, replace: bool = False) -> str:
        """Return a signed URL to PUT an object with this content type, valid until it expires.

        An empty content type accepts every type, and none: some clients send none.

        Without `replace` the folder store accepts one object through it and rejects a second.
        """

    @abstractmethod
    def download_url(self, key: str, *, seconds: int) -> str:
        """Return a signed URL to GET an object, valid until it expires."""
