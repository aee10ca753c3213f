"""The interface of a store. Keys are paths such as `jobs/<id>/results.json`."""

from __future__ import annotations

import mimetypes
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from datetime import datetime
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
    def modified_at(self, key: str) -> datetime | None:
        """Return when an object was written, by the clock of the store; None if there is none."""

    @abstractmethod
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
        """Return a signed URL to PUT an object with this content type, valid until it expires.

        An empty content type accepts every type, and none: some clients send none. With `exact` the object has
        `max_bytes`, neither more nor fewer.

        Without `replace` the folder store accepts one object through it and rejects a second. S3 accepts as many as
        come: so an upload counts only after the server has moved it to a key for which no URL is signed.
        """

    @abstractmethod
    def download_url(
        self, key: str, *, seconds: int, content_type: str | None = None, filename: str | None = None
    ) -> str:
        """Return a signed URL to GET an object, or a range of it, valid until it expires.

        `content_type` replaces the object's own; `filename` makes browsers save it under this name.
        """

    @property
    def is_remote(self) -> bool:
        """Whether clients fetch objects from a host other than the server."""
        return False
