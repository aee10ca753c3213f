"""Follow something on a server until it has finished: `--watch`. Prints a line per change, on a terminal or a pipe."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from softmax.cli.output import print_error, settings
from softmax.client.errors import Unreachable

__all__ = ["follow"]

T = TypeVar("T")
LOST_SECONDS = 300.0
"""how long a server may be unreachable, such as while it restarts, before following fails"""


def follow(read: Callable[[], T], *, is_done: Callable[[T], bool], line: Callable[[T], str], seconds: float) -> T:
    """Call `read` until `is_done`, with a pause between calls; print `line` on stderr whenever it changes.

    A server that becomes unreachable is tried again for some minutes; one that is unreachable at first is an error.
    """
    shown, last_read = "", None
    while True:
        try:
            state = read()
        except Unreachable as error:
            if last_read is None or time.monotonic() - last_read > LOST_SECONDS:
                raise
            text, has_ended = f"{error}; trying again", False
        else:
            text, has_ended, last_read = line(state), is_done(state), time.monotonic()
        if text != shown and not settings.quiet:
            print_error(text)
            shown = text
        if has_ended:
            return state
        time.sleep(seconds)
