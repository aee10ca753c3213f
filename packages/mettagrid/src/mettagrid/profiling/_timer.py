"""One named timer of a `Stopwatch`, as plain data that can be saved as JSON."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypedDict, cast

__all__ = ["Checkpoint", "Timer"]


class Checkpoint(TypedDict):
    """Seconds on a timer and the caller's step counter at one moment."""

    elapsed_time: float
    steps: int


@dataclass
class Timer:
    """Accumulated time, checkpoints in chronological order, and the source lines that started the timer."""

    name: str
    start_time: float | None = None
    """`time.time()` of the running interval; None while stopped."""
    total_elapsed: float = 0.0
    """Seconds of all finished intervals."""
    last_elapsed: float = 0.0
    """Seconds of the last finished interval."""
    checkpoints: dict[str, Checkpoint] = field(default_factory=dict)
    lap_counter: int = 0
    references: set[tuple[str, int]] = field(default_factory=set)
    """File names and line numbers that started the timer."""
    max_laps: int = 4

    def is_running(self) -> bool:
        """Return whether the timer has been started and not stopped."""
        return self.start_time is not None

    def running_for(self) -> float:
        """Return the seconds of the running interval; 0 while stopped."""
        return 0.0 if self.start_time is None else time.time() - self.start_time

    def elapsed(self) -> float:
        """Return the seconds of all intervals, the running one included."""
        return self.total_elapsed + self.running_for()

    def last_checkpoint(self) -> Checkpoint:
        """Return the newest checkpoint; zeros when there is none."""
        return next(reversed(self.checkpoints.values()), Checkpoint(elapsed_time=0.0, steps=0))

    def cleanup_old_checkpoints(self) -> None:
        """Drop the oldest checkpoints so that `max_laps` laps remain."""
        for name in list(self.checkpoints)[: -(self.max_laps + 1)]:
            del self.checkpoints[name]

    def reset(self) -> None:
        """Stop the timer and set it to zero; its references stay."""
        self.start_time = None
        self.total_elapsed = 0.0
        self.last_elapsed = 0.0
        self.lap_counter = 0
        self.checkpoints = {"_reset": Checkpoint(elapsed_time=0.0, steps=0)}

    def to_dict(self) -> dict[str, Any]:
        """Return the state as `Stopwatch.save_state` stores it: stopped, with a note of whether it was running."""
        running_for = self.running_for()
        state: dict[str, Any] = {
            "name": self.name,
            "start_time": None,
            "total_elapsed": self.total_elapsed + running_for,
            "last_elapsed": self.last_elapsed,
            "checkpoints": {name: dict(checkpoint) for name, checkpoint in self.checkpoints.items()},
            "lap_counter": self.lap_counter,
            "references": list(self.references),
            "max_laps": self.max_laps,
            "_was_running": self.is_running(),
        }
        if self.is_running():
            state["_was_running_for"] = running_for
        return state

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Timer:
        """Build a timer from saved state; only `name` is required, unknown keys are ignored."""
        return cls(
            name=data["name"],
            start_time=data.get("start_time"),
            total_elapsed=data.get("total_elapsed", 0.0),
            last_elapsed=data.get("last_elapsed", 0.0),
            checkpoints={key: cast(Checkpoint, dict(value)) for key, value in data.get("checkpoints", {}).items()},
            lap_counter=data.get("lap_counter", 0),
            references={(filename, lineno) for filename, lineno in data.get("references", ())},
            max_laps=data.get("max_laps", 4),
        )
