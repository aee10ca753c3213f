"""The plan that the guard receives, as (key, value) pairs; native/base.hpp reads it."""

import struct
from collections.abc import Iterable

from cogbox.errors import BadRequest

Pairs = list[tuple[str, str]]


def encode(pairs: Iterable[tuple[str, str]]) -> bytes:
    parts = []
    for key, value in pairs:
        if "\0" in value:
            raise BadRequest(f"the {key} of a box must not contain a zero byte")
        parts.append(key.encode() + b"\0" + value.encode("utf-8", "surrogateescape") + b"\0")
    return b"".join(parts)


def framed(message: bytes) -> bytes:
    return struct.pack("<I", len(message)) + message


def lines(*fields: object) -> str:
    """Join several fields into one value, one per line."""
    words = [str(field) for field in fields]
    for word in words:
        if "\n" in word:
            raise BadRequest(f"{word!r} must not contain a line break")
    return "\n".join(words)
