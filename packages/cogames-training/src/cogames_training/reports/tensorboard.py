"""Write scalars as a TensorBoard event file, without TensorBoard.

The file is a list of records: length, masked CRC-32C of the length, an `Event` message, masked CRC-32C of the message.
The fields used of the messages:

    Event    1 wall_time (double)   2 step (varint)   3 file_version (text)   5 summary   7 session_log
    Summary  1 value (repeated)     Value  1 tag (text)   2 simple_value (float)
    SessionLog  1 status (1: start)
"""

from __future__ import annotations

import os
import platform
import struct
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from cogames_training.reports.crc32c import masked_crc32c

__all__ = ["EventWriter"]

_VARINT, _DOUBLE, _TEXT, _FLOAT = 0, 1, 2, 5


class EventWriter:
    """Appends scalars to a new event file in `folder`; every call of `add` is on disk when it returns.

    `purge_step` is for a run that continues: TensorBoard hides what older files have from that step on. Errors of the
    file system are raised as `OSError`.
    """

    def __init__(self, folder: Path, *, purge_step: int | None = None, clock: Callable[[], float] = time.time) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._clock = clock
        stem = f"events.out.tfevents.{int(clock()):010d}.{platform.node() or 'host'}.{os.getpid()}"
        number = 0
        while (folder / f"{stem}.{number}").exists():
            number += 1
        self.path = folder / f"{stem}.{number}"
        self._file = self.path.open("xb", buffering=0)
        self._write(_field(3, b"brain.Event:2"))
        if purge_step is not None:
            self._write(_number(2, purge_step) + _field(7, _number(1, 1)))

    def add(self, step: int, scalars: Mapping[str, float]) -> None:
        """Append values at a step."""
        values = (_field(1, _field(1, tag.encode()) + _float(2, value)) for tag, value in scalars.items())
        self._write(_number(2, step) + _field(5, b"".join(values)))

    def close(self) -> None:
        self._file.close()

    def _write(self, rest: bytes) -> None:
        message = _key(1, _DOUBLE) + struct.pack("<d", self._clock()) + rest
        length = struct.pack("<Q", len(message))
        record = memoryview(length + masked_crc32c(length) + message + masked_crc32c(message))
        start = self._file.tell()
        try:
            while record:  # a disk that becomes full takes a part of it
                record = record[self._file.write(record) :]
        except OSError:
            self._file.seek(start)
            self._file.truncate()  # readers stop at an incomplete record
            raise


def _key(number: int, kind: int) -> bytes:
    return _varint(number << 3 | kind)


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    parts = bytearray()
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])


def _number(number: int, value: int) -> bytes:
    return _key(number, _VARINT) + _varint(value)


def _float(number: int, value: float) -> bytes:
    try:
        return _key(number, _FLOAT) + struct.pack("<f", value)
    except OverflowError:  # beyond the range of float32
        return _key(number, _FLOAT) + struct.pack("<f", float("inf") if value > 0 else float("-inf"))


def _field(number: int, content: bytes) -> bytes:
    return _key(number, _TEXT) + _varint(len(content)) + content
