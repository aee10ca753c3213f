"""A progress bar on stderr, shown only on a terminal."""

from __future__ import annotations

import sys
from types import TracebackType

from softmax.cli.output import settings

__all__ = ["ProgressBar"]

WIDTH = 30


class ProgressBar:
    """Call it with (done, total); it clears its line at the end."""

    def __init__(self, label: str = "episodes") -> None:
        self._label = label
        self._visible = sys.stderr.isatty() and not settings.quiet
        self._has_line = False

    def __enter__(self) -> ProgressBar:
        return self

    def __call__(self, done: int, total: int) -> None:
        if not self._visible:
            return
        filled = WIDTH * done // max(total, 1)
        print(f"\r[{'#' * filled}{'.' * (WIDTH - filled)}] {done}/{total} {self._label}", end="", file=sys.stderr)
        sys.stderr.flush()
        self._has_line = True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._has_line:
            print("\r\x1b[K", end="", file=sys.stderr)
