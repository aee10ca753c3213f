"""Read and write replay files: detect the format and the compression."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

from mettagrid.replay._compact_read import read_compact
from mettagrid.replay._compact_write import MAGIC, compact_bytes
from mettagrid.replay._model import Replay
from mettagrid.replay._packing import gzip_bytes, zlib_bytes
from mettagrid.replay._v4_read import read_document
from mettagrid.replay._v4_write import v4_parts
from mettagrid.replay.errors import UnknownReplayFormat, UnreadableReplay

MAX_BYTES = 1 << 30
"""largest size of an unpacked replay"""

EXTENSION = ".cogreplay"
EXTENSIONS = (".json.z", ".json.gz", ".json", EXTENSION)


def load_replay(source: str | Path | bytes, *, max_bytes: int = MAX_BYTES) -> Replay:
    """Load a replay of any known format, detected by content, from a path, a URI (`s3://`, `http://`) or bytes.

    Raises `UnreadableReplay` for anything that is not a replay, and the usual errors if there is no such file.
    """
    return _read(_content(source), max_bytes)


def save_replay(replay: Replay, path: str | Path) -> None:
    """Write a replay in the format of its name: `.json.z`, `.json.gz`, `.json` (published), `.cogreplay` (ours)."""
    from mettagrid.util.file import write_data

    write_data(str(path), replay_bytes(replay, str(path)))


def replay_bytes(replay: Replay, name: str, *, default: str | None = None) -> bytes:
    """Return the bytes that `save_replay` writes to a file of this name; `default` applies to unknown endings."""
    ending = replay_ending(name, default=default)
    if ending == EXTENSION:
        return compact_bytes(replay)
    parts = v4_parts(replay)
    if ending == ".json.z":
        return zlib_bytes(parts)
    return gzip_bytes(parts) if ending == ".json.gz" else b"".join(parts)


def replay_ending(name: str, *, default: str | None = None) -> str:
    """Return the one of `EXTENSIONS` that a name ends in, or the default, if given."""
    ending = next((extension for extension in EXTENSIONS if name.endswith(extension)), default)
    if ending is None:
        raise UnknownReplayFormat(f"{Path(name).name!r} must end in one of {', '.join(EXTENSIONS)}")
    return ending


def _content(source: str | Path | bytes) -> bytes:
    if isinstance(source, bytes):
        return source
    if isinstance(source, str) and "://" in source:
        from mettagrid.util.file import read

        return read(source)
    return Path(source).read_bytes()


def _read(data: bytes, max_bytes: int) -> Replay:
    if data.startswith(MAGIC):
        return read_compact(data, max_bytes=max_bytes)
    if data.startswith(b"BITWORLD"):
        raise UnreadableReplay("This is a replay of a BitWorld game; open it with BitWorld's own viewer")
    return read_document(_document(_unpacked(data, max_bytes)))


def _unpacked(data: bytes, max_bytes: int) -> bytes:
    """Return the JSON inside, which may be plain or compressed by gzip or zlib."""
    if data.startswith(b"\x1f\x8b"):
        unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
    elif data[:1] == b"\x78" and len(data) > 1 and int.from_bytes(data[:2]) % 31 == 0:
        unpacker = zlib.decompressobj()
    else:
        unpacker = None
    if unpacker is None:
        if len(data) > max_bytes:
            raise _too_large(max_bytes)
        return data
    try:
        text = unpacker.decompress(data, max_bytes + 1)
        if len(text) > max_bytes:
            raise _too_large(max_bytes)
    except zlib.error:
        raise UnreadableReplay("The replay is damaged: it cannot be decompressed") from None
    if not unpacker.eof:
        raise UnreadableReplay("The replay is truncated: its compressed data ends early")
    return text


def _too_large(max_bytes: int) -> UnreadableReplay:
    return UnreadableReplay(f"The replay is larger than {max_bytes // (1 << 20)} MB when decompressed")


def _document(text: bytes) -> dict[str, Any]:
    try:
        document = json.loads(text.decode(), parse_constant=lambda _: None)
    except RecursionError:
        raise UnreadableReplay("The replay is nested too deeply") from None
    except (UnicodeDecodeError, ValueError):
        raise UnreadableReplay("This is not a replay: it is neither JSON nor compressed JSON") from None
    if not isinstance(document, dict):
        raise UnreadableReplay("This is not a replay: its JSON is not an object")
    return document
