"""Take turns among several games in one process, of which one runs at a time.

Policies draw from the random generators that the whole process shares, and the runner installs a policy's generator
state while the policy plays. A game that waits therefore gives up its turn, and saves its generators with it.
"""

from __future__ import annotations

import threading
from contextlib import ExitStack

from mettagrid.runner.episode.generators import restored_generators

__all__ = ["Turn", "Turns"]


class Turns:
    """Creates mutually exclusive turns."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last: Turn | None = None

    def turn(self) -> Turn:
        return Turn(self)


class Turn:
    """The right to run. The generators' state is preserved between `give` and `take` of the same turn."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        self._generators = ExitStack()

    def take(self) -> None:
        """Wait until no other game runs."""
        turns = self._turns
        turns._lock.acquire()
        if turns._last is not self:
            if turns._last is not None:
                turns._last._generators.enter_context(restored_generators())
            self._generators.close()
            turns._last = self

    def give(self) -> None:
        """Let other games run."""
        self._turns._lock.release()

    def leave(self) -> None:
        """Let other games run for good."""
        self._turns._last = None
        self._turns._lock.release()
