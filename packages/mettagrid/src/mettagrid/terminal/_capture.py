"""What others print while the screen is drawn: kept in a file, told afterwards."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile

__all__ = ["Capture"]

_MOST_TOLD = 1 << 18


class Capture:
    """Stands in for the standard output and error of the process, and of those it starts, where they are terminals."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="terminal-", mode="a+b", buffering=0)  # noqa: SIM115 - until `stop`
        self._kept: dict[int, int] = {}
        self._size = 0
        self._tail = ""

    def fileno(self) -> int:
        """The file that holds it; a copy may be given to another process."""
        return self._file.fileno()

    def start(self) -> None:
        _flush()
        for descriptor in (1, 2):
            if not os.isatty(descriptor):
                continue
            self._kept[descriptor] = os.dup(descriptor)
            os.dup2(self._file.fileno(), descriptor)

    def stop(self) -> None:
        """Put everything back as it was and tell what was said meanwhile."""
        _flush()
        for descriptor, kept in self._kept.items():
            os.dup2(kept, descriptor)
            os.close(kept)
        speaks = next(iter(self._kept), None)
        self._kept = {}
        if speaks is not None:
            self._tell(speaks)
        self._file.close()

    def tail(self, most: int = 4096) -> str:
        """The end of what was said, read again only when there is more."""
        size = os.fstat(self._file.fileno()).st_size
        if size != self._size:
            self._size = size
            data = os.pread(self._file.fileno(), most, max(0, size - most))
            self._tail = data.decode("utf-8", "replace")
        return self._tail

    def _tell(self, descriptor: int) -> None:
        size = os.fstat(self._file.fileno()).st_size
        if size > _MOST_TOLD:
            note = f"(the first {size - _MOST_TOLD:,} bytes of what was printed are left out)\n"
            _write(descriptor, note.encode())
        _write(descriptor, os.pread(self._file.fileno(), _MOST_TOLD, max(0, size - _MOST_TOLD)))


def _write(descriptor: int, data: bytes) -> None:
    with contextlib.suppress(OSError):  # a terminal that is gone
        while data:
            data = data[os.write(descriptor, data) :]


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
