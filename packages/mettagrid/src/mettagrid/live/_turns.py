"""Several games in one process, of which one runs at a time.

Policies draw from the random generators that the whole process shares, and the runner keeps a policy's state of them in
place while it plays. A game that stops to wait therefore gives its turn away, and its generators with it.
"""

from __future__ import annotations

import threading
from contextlib import ExitStack

from mettagrid.runner.episode.generators import kept_generators

__all__ = ["Turn", "Turns"]


class Turns:
    """Makes turns that exclude one another."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last: Turn | None = None

    def turn(self) -> Turn:
        return Turn(self)


class Turn:
    """Whoever has it may run. Between `give` and `take` of the same turn the generators stay as they were."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        self._generators = ExitStack()

    def take(self) -> None:
        """Wait until nobody else runs."""
        turns = self._turns
        turns._lock.acquire()
        if turns._last is not self:
            if turns._last is not None:
                turns._last._generators.enter_context(kept_generators())
            self._generators.close()
            turns._last = self

    def give(self) -> None:
        """Let others run."""
        self._turns._lock.release()

    def leave(self) -> None:
        """Let others run, and never come back."""
        self._turns._last = None
        self._turns._lock.release()
