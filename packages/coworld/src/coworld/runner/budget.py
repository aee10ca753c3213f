"""The time budget of a whole episode."""

import time


class Budget:
    """Seconds that all steps of an episode share; None means unlimited."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self._began = time.monotonic()

    @property
    def used(self) -> float:
        return time.monotonic() - self._began

    @property
    def left(self) -> float | None:
        """Return the seconds that remain, never below 0; None when there is no limit."""
        return None if self.seconds is None else max(0.0, self.seconds - self.used)

    @property
    def over(self) -> bool:
        return self.left == 0.0

    def at_most(self, seconds: float) -> float:
        """Return `seconds`, or the rest of the budget when that is less."""
        left = self.left
        return seconds if left is None else min(seconds, left)
