"""Follow something on a server until it has finished: `--watch`. Prints a line per change, on a terminal or a pipe."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from softmax.cli.output import print_error, settings

__all__ = ["follow"]

T = TypeVar("T")


def follow(read: Callable[[], T], *, is_done: Callable[[T], bool], line: Callable[[T], str], seconds: float) -> T:
    """Call `read` until `is_done`, with a pause between calls; print `line` on stderr whenever it changes."""
    shown = ""
    while True:
        state = read()
        text = line(state)
        if text != shown and not settings.quiet:
            print_error(text)
            shown = text
        if is_done(state):
            return state
        time.sleep(seconds)
