"""The trainer state as a file that detects damage.

The file is what `torch.save` writes, with the SHA-256 of its content as the comment of the zip archive, so that
`torch.load` and other tools still read it.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["StateDamaged", "decode_state", "encode_state", "read_state"]

_MARK = b"sha256:"
_COMMENT_BYTES = len(_MARK) + 64
_END_OF_ARCHIVE = b"PK\x05\x06"
_END_BYTES = 22  # of an end record without comment


class StateDamaged(ValueError):
    """The file is incomplete or its content has changed."""


def encode_state(state: Mapping[str, Any]) -> bytes:
    """Return the content of a state file. Raise `TypeError` for a value that `decode_state` would refuse.

    Values may be tensors, numbers, texts, bytes, None, and lists, tuples and dicts of them.
    """
    import torch

    _check(dict(state), "state")
    buffer = io.BytesIO()
    torch.save(dict(state), buffer)
    content = buffer.getvalue()
    if content[-_END_BYTES:][:4] != _END_OF_ARCHIVE:
        raise ValueError("torch.save wrote an archive with an unknown ending")
    head = content[:-2] + _COMMENT_BYTES.to_bytes(2, "little")
    return head + _MARK + hashlib.sha256(head).hexdigest().encode()


def decode_state(content: bytes) -> dict[str, Any]:
    """Return the state. Raise `StateDamaged` for anything but a complete file.

    A file without checksum, as the published trainer writes it, is accepted if it can be read.
    """
    import torch

    head, comment = content[:-_COMMENT_BYTES], content[-_COMMENT_BYTES:]
    if comment.startswith(_MARK) and comment != _MARK + hashlib.sha256(head).hexdigest().encode():
        raise StateDamaged("its content does not match its checksum")
    try:
        state = torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
    except Exception as error:  # torch.load raises many types for damaged files
        raise StateDamaged(f"it cannot be read: {str(error).splitlines()[0] if str(error) else error!r}") from error
    if not isinstance(state, dict):
        raise StateDamaged("it holds no state")
    return state


def read_state(path: Path) -> dict[str, Any]:
    """Read a state file; raise `StateDamaged` or `OSError`."""
    return decode_state(path.read_bytes())


def _check(value: object, place: str) -> None:
    import torch

    if isinstance(value, dict):
        for key, item in value.items():
            _check(key, f"a key of {place}")
            _check(item, f"{place}[{key!r}]")
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            _check(item, f"{place}[{index}]")
    elif not isinstance(value, torch.Tensor) and type(value) not in (bool, int, float, str, bytes, type(None)):
        raise TypeError(f"{place} is a {type(value).__name__}; a trainer state holds tensors and plain values")
