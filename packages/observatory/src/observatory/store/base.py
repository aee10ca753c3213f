"""What a store does. Keys are paths such as `jobs/<id>/results.json`."""

from __future__ import annotations

import mimetypes
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from observatory.errors import NotFound

__all__ = ["Missing", "Store", "check_key", "content_type_of"]

_PART = r"[A-Za-z0-9_][A-Za-z0-9._-]{0,200}"
_KEY = re.compile(rf"{_PART}(/{_PART})*")
_MAX_KEY_CHARACTERS = 300


class Missing(NotFound):
    """There is nothing under the key."""

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
    """Whole objects under keys: one is there completely or not at all."""

    @abstractmethod
    def put(self, key: str, data: bytes) -> None:
        """Write an object, in place of one that is there."""

    @abstractmethod
    def put_file(self, key: str, path: Path) -> None:
        """As `put`, from a file, which stays."""

    @abstractmethod
    def get(self, key: str) -> bytes:
        """All of an object; `Missing` when there is none."""

    @abstractmethod
    def stream(self, key: str) -> Iterator[bytes]:
        """An object in pieces; `Missing` at once when there is none."""

    @abstractmethod
    def local(self, key: str) -> AbstractContextManager[Path]:
        """A file on this machine with the object, to be read inside the `with` only."""

    @abstractmethod
    def size(self, key: str) -> int | None:
        """Bytes; None when there is no such object."""

    def free_bytes(self) -> int | None:
        """Room for more objects; None where the store knows of no end."""
        return None

    def refused_size(self, key: str) -> int | None:
        """The size of an upload to this key that was refused as too large, where the store itself refuses it."""
        return None

    @abstractmethod
    def move(self, source: str, target: str) -> None:
        """Give an object another key; `Missing` when there is none."""

    @abstractmethod
    def delete(self, key: str) -> None:
        """Does nothing when there is none."""

    @abstractmethod
    def keys(self, prefix: str) -> list[str]:
        """The keys that begin so, sorted. The prefix ends with `/` or is empty."""

    @abstractmethod
    def upload_url(self, key: str, *, content_type: str, max_bytes: int, seconds: int, replace: bool = False) -> str:
        """An address to PUT an object to with this content type, without any other proof, until it expires.

        Without `replace` the folder store takes one object by it and refuses a second.
        """

    @abstractmethod
    def download_url(self, key: str, *, seconds: int) -> str:
        """An address to GET an object from, without any other proof, until it expires."""
