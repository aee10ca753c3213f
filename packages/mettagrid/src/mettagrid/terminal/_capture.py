"""Capture what other code prints while the screen is drawn, and print it afterwards."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile

__all__ = ["Capture"]

_MAX_PRINTED = 1 << 18


class Capture:
    """Replaces stdout and stderr of the process and its children by a file, where they are terminals."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="terminal-", mode="a+b", buffering=0)  # noqa: SIM115 - until `stop`
        self._originals: dict[int, int] = {}
        self._size = 0
        self._tail = ""

    def fileno(self) -> int:
        """Return the descriptor of the file; a duplicate may be given to another process."""
        return self._file.fileno()

    def start(self) -> None:
        _flush()
        for descriptor in (1, 2):
            if not os.isatty(descriptor):
                continue
            self._originals[descriptor] = os.dup(descriptor)
            os.dup2(self._file.fileno(), descriptor)

    def stop(self) -> None:
        """Restore stdout and stderr, and print the captured output."""
        _flush()
        for descriptor, original in self._originals.items():
            os.dup2(original, descriptor)
            os.close(original)
        speaks = next(iter(self._originals), None)
        self._originals = {}
        if speaks is not None:
            self._tell(speaks)
        self._file.close()

    def tail(self, max_bytes: int = 4096) -> str:
        """Return the end of the captured output; the file is read only if it has grown."""
        size = os.fstat(self._file.fileno()).st_size
        if size != self._size:
            self._size = size
            data = os.pread(self._file.fileno(), max_bytes, max(0, size - max_bytes))
            self._tail = data.decode("utf-8", "replace")
        return self._tail

    def _tell(self, descriptor: int) -> None:
        size = os.fstat(self._file.fileno()).st_size
        if size > _MAX_PRINTED:
            note = f"(the first {size - _MAX_PRINTED:,} bytes of output are omitted)\n"
            _write(descriptor, note.encode())
        _write(descriptor, os.pread(self._file.fileno(), _MAX_PRINTED, max(0, size - _MAX_PRINTED)))


def _write(descriptor: int, data: bytes) -> None:
    with contextlib.suppress(OSError):  # the terminal was closed
        while data:
            data = data[os.write(descriptor, data) :]


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
