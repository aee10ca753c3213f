"""The event log of a report: a parquet file with the columns `ts`, `player`, `key`, `value`.

Written without a parquet library, because the file has one fixed shape: four required columns, one row group, one
page per column, plain encoding, and snappy blocks that only use literals (every reader decodes them; nothing is made
smaller). An empty log is a valid file too.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import NamedTuple

EVERYBODY = -1
"""the `player` of an event that belongs to no seat"""

_INT64, _BYTE_ARRAY = 2, 6
_COLUMNS = (("ts", _INT64), ("player", _INT64), ("key", _BYTE_ARRAY), ("value", _BYTE_ARRAY))
_MAGIC = b"PAR1"
_PLAIN, _RLE, _SNAPPY, _REQUIRED, _UTF8 = 0, 3, 1, 0, 0


class Event(NamedTuple):
    """One row."""

    ts: int
    """the tick, or another increasing time"""
    player: int
    """the seat, or `EVERYBODY`"""
    key: str
    value: str


def write_event_log(events: Iterable[Event]) -> bytes:
    """Return the file's bytes; the same rows give the same bytes."""
    rows = list(events)
    body = bytearray(_MAGIC)
    chunks = []
    for index, (name, kind) in enumerate(_COLUMNS):
        values = [row[index] for row in rows]
        plain = _plain(kind, values)
        packed = _snappy(plain)
        header = _struct(
            (1, _i32(0)),  # a data page
            (2, _i32(len(plain))),
            (3, _i32(len(packed))),
            (5, _nested(_struct((1, _i32(len(rows))), (2, _i32(_PLAIN)), (3, _i32(_RLE)), (4, _i32(_RLE))))),
        )
        offset = len(body)
        body += header + packed
        meta = _struct(
            (1, _i32(kind)),
            (2, _list(_I32, [_varint(_zigzag(_PLAIN))])),
            (3, _list(_BINARY, [_string(name)])),
            (4, _i32(_SNAPPY)),
            (5, _i64(len(rows))),
            (6, _i64(len(header) + len(plain))),
            (7, _i64(len(header) + len(packed))),
            (9, _i64(offset)),
        )
        chunks.append(_struct((2, _i64(offset)), (3, _nested(meta))))
    footer = _struct(
        (1, _i32(2)),
        (2, _list(_STRUCTURE, _schema())),
        (3, _i64(len(rows))),
        (4, _list(_STRUCTURE, [_row_group(chunks, len(body) - len(_MAGIC), len(rows))])),
        (6, _text("coworld")),
    )
    return bytes(body) + footer + struct.pack("<I", len(footer)) + _MAGIC


def _schema() -> list[bytes]:
    elements = [_struct((4, _text("schema")), (5, _i32(len(_COLUMNS))))]
    for name, kind in _COLUMNS:
        fields = [(1, _i32(kind)), (3, _i32(_REQUIRED)), (4, _text(name))]
        if kind == _BYTE_ARRAY:
            fields += [(6, _i32(_UTF8)), (10, _nested(_struct((1, _nested(_struct())))))]
        elements.append(_struct(*fields))
    return elements


def _row_group(chunks: Sequence[bytes], size: int, rows: int) -> bytes:
    return _struct((1, _list(_STRUCTURE, chunks)), (2, _i64(size)), (3, _i64(rows)))


def _plain(kind: int, values: Sequence[object]) -> bytes:
    if kind == _INT64:
        return struct.pack(f"<{len(values)}q", *values)
    texts = [str(value).encode() for value in values]
    return b"".join(struct.pack("<I", len(text)) + text for text in texts)


def _snappy(data: bytes) -> bytes:
    blocks = [_varint(len(data))]
    for start in range(0, len(data), 1 << 16):
        block = data[start : start + (1 << 16)]
        blocks += [bytes([61 << 2]), struct.pack("<H", len(block) - 1), block]
    return b"".join(blocks)


# --- thrift's compact protocol, as far as parquet's footers need it

_I32, _I64, _BINARY, _LIST, _STRUCTURE = 5, 6, 8, 9, 12

_Field = tuple[int, bytes]
"""type and encoded value"""


def _zigzag(value: int) -> int:
    return value << 1 if value >= 0 else (-value << 1) - 1


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*encoded, value])


def _i32(value: int) -> _Field:
    return _I32, _varint(_zigzag(value))


def _i64(value: int) -> _Field:
    return _I64, _varint(_zigzag(value))


def _string(value: str) -> bytes:
    data = value.encode()
    return _varint(len(data)) + data


def _text(value: str) -> _Field:
    return _BINARY, _string(value)


def _nested(value: bytes) -> _Field:
    return _STRUCTURE, value


def _list(kind: int, items: Sequence[bytes]) -> _Field:
    head = bytes([len(items) << 4 | kind]) if len(items) < 15 else bytes([0xF0 | kind]) + _varint(len(items))
    return _LIST, head + b"".join(items)


def _struct(*fields: tuple[int, _Field]) -> bytes:
    encoded, last = bytearray(), 0
    for number, (kind, value) in fields:
        encoded += bytes([(number - last) << 4 | kind]) + value
        last = number
    return bytes(encoded) + b"\x00"
