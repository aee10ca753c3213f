"""Errors of run folders."""

from __future__ import annotations

import errno
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

__all__ = ["RunFolderError", "explained"]

FULL = (errno.ENOSPC, errno.EDQUOT)


class RunFolderError(Exception):
    """A run cannot be read or written; `hints` are commands or steps that help."""

    def __init__(self, message: str, hints: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.hints = list(hints)


@contextmanager
def explained(action: str, path: Path, consequence: str = "") -> Iterator[None]:
    """Raise errors of the file system inside the block as one sentence: `Cannot <action>: <reason>`."""
    try:
        yield
    except OSError as error:
        after = f"; {consequence}" if consequence else ""
        if error.errno in FULL:
            raise RunFolderError(
                f"Cannot {action}: the disk of {path} is full{after}",
                ["free some space, then run the same command again to continue"],
            ) from error
        raise RunFolderError(f"Cannot {action}: {error.strerror or error}: {error.filename or path}{after}") from error
