"""How many workers a fleet should have: a function of the queue."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Scale", "Scaling"]


@dataclass(frozen=True)
class Scale:
    """The limits of a fleet."""

    minimum: int
    maximum: int
    calm_seconds: float = 60.0
    """how long fewer workers must have been enough before the fleet shrinks"""

    def __post_init__(self) -> None:
        if not 0 <= self.minimum <= self.maximum or self.maximum < 1:
            raise ValueError(
                f"A fleet of {self.minimum} to {self.maximum} workers is not possible; use --min and --max"
            )

    def needed(self, jobs: int) -> int:
        """Return the number of workers for the jobs that wait or are in work: one for each, within the limits."""
        return min(self.maximum, max(self.minimum, jobs))


class Scaling:
    """Follows the queue: a fleet grows at once, and shrinks to the most that was needed in the last calm period."""

    def __init__(self, scale: Scale) -> None:
        self._scale = scale
        self._history: list[tuple[float, int]] = []

    def wanted(self, jobs: int, now: float) -> int:
        """Return the number of workers to have now."""
        self._history = [(at, number) for at, number in self._history if now - at < self._scale.calm_seconds]
        self._history.append((now, self._scale.needed(jobs)))
        return max(number for _, number in self._history)
