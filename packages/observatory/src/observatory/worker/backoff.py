"""Growing pauses between attempts, with jitter: many workers must not call a returning server at the same moment."""

from __future__ import annotations

import random

__all__ = ["Backoff"]


class Backoff:
    """Pauses that double from `first` to `longest` seconds, each shortened by up to half at random."""

    def __init__(self, first: float = 0.5, longest: float = 10.0) -> None:
        self._first, self._longest = first, longest
        self._next = first

    def pause(self) -> float:
        """Return the seconds to wait before the next attempt."""
        seconds = self._next
        self._next = min(2 * seconds, self._longest)
        return seconds * random.uniform(0.5, 1.0)

    def reset(self) -> None:
        """Begin with the shortest pause again, after a success."""
        self._next = self._first
