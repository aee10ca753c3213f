"""Named timers with laps and rates.

    stopwatch = Stopwatch()
    with stopwatch("rollout"):
        ...
    stopwatch.lap_all(steps=1_000)
    stopwatch.get_lap_time(-1, "rollout")

Every call without a name means the timer `global`. All methods may be called from several threads.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from typing import Any, TypeVar, cast

from mettagrid.profiling._timer import Checkpoint, Timer

__all__ = ["Checkpoint", "F", "Stopwatch", "Timer", "with_instance_timer", "with_lock", "with_timer"]

F = TypeVar("F", bound=Callable[..., Any])


def with_lock(func: F) -> F:
    """Run a method while holding the instance's `_lock`."""

    @wraps(func)
    def locked(self: Any, *args: Any, **kwargs: Any) -> Any:
        with self._lock:
            return func(self, *args, **kwargs)

    return cast(F, locked)


def with_timer(timer: Stopwatch, name: str, log_level: int | None = None) -> Callable[[F], F]:
    """Time every call of the decorated function on `timer`."""
    filename, lineno = _caller()

    def decorate(func: F) -> F:
        @wraps(func)
        def timed(*args: Any, **kwargs: Any) -> Any:
            with timer.time(name, log_level, filename, lineno):
                return func(*args, **kwargs)

        return cast(F, timed)

    return decorate


def with_instance_timer(name: str, log_level: int | None = None, timer_attr: str = "timer") -> Callable[[F], F]:
    """Time every call of the decorated method on the stopwatch that the instance holds as `timer_attr`."""
    filename, lineno = _caller()

    def decorate(func: F) -> F:
        @wraps(func)
        def timed(*args: Any, **kwargs: Any) -> Any:
            if not args:
                raise ValueError(
                    f"with_instance_timer can only be used on instance methods; `{func.__name__}` got no instance. "
                    "Decorate functions with `with_timer`"
                )
            stopwatch: Stopwatch = getattr(args[0], timer_attr)
            with stopwatch.time(name, log_level, filename, lineno):
                return func(*args, **kwargs)

        return cast(F, timed)

    return decorate


class Stopwatch:
    """A set of named timers; one is created at its first use."""

    _GLOBAL_TIMER_NAME = "global"

    def __init__(self, log_level: int | None = None, max_laps: int = 4) -> None:
        self.logger = logging.getLogger(f"Stopwatch.{id(self)}")
        if log_level is not None:
            self.logger.setLevel(log_level)
        self.max_laps = max_laps
        self._timers: dict[str, Timer] = {}
        self._lock = threading.RLock()
        self._create_timer(self._GLOBAL_TIMER_NAME)

    @property
    def GLOBAL_TIMER_NAME(self) -> str:
        """Name of the timer that calls without a name mean."""
        return self._GLOBAL_TIMER_NAME

    def __call__(self, name: str | None = None, log_level: int | None = None) -> AbstractContextManager[Stopwatch]:
        """Time a `with` block; log how long it took at `log_level`, if given."""
        filename, lineno = _caller()
        return self.time(name, log_level, filename, lineno)

    def time(
        self,
        name: str | None = None,
        log_level: int | None = None,
        filename: str | None = None,
        lineno: int | None = None,
    ) -> AbstractContextManager[Stopwatch]:
        """Time a `with` block; `filename` and `lineno` default to the caller's."""
        if filename is None or lineno is None:
            filename, lineno = _caller()
        return self._timing(name, log_level, filename, lineno)

    @contextmanager
    def _timing(self, name: str | None, log_level: int | None, filename: str, lineno: int) -> Iterator[Stopwatch]:
        self.start(name, filename, lineno)
        try:
            yield self
        finally:
            elapsed = self.stop(name)
            if log_level is not None:
                self.logger.log(log_level, "%s took %.3fs", name or self._GLOBAL_TIMER_NAME, elapsed)

    def start(self, name: str | None = None, filename: str | None = None, lineno: int | None = None) -> None:
        """Start a timer; a running one is left as it is, with a warning in the log."""
        if filename is None or lineno is None:
            filename, lineno = _caller()
        with self._lock:
            timer = self._get_timer(name)
            if timer.is_running():
                self.logger.warning("Timer '%s' already running", timer.name)
                return
            timer.references.add((filename, lineno))
            timer.start_time = time.time()

    @with_lock
    def stop(self, name: str | None = None) -> float:
        """Stop a timer and return the seconds since its start; 0 with a warning in the log when it is not running."""
        timer = self._get_timer(name)
        if not timer.is_running():
            self.logger.warning("Timer '%s' not running", timer.name)
            return 0.0
        timer.last_elapsed = timer.running_for()
        timer.total_elapsed += timer.last_elapsed
        timer.start_time = None
        return timer.last_elapsed

    @with_lock
    def reset(self, name: str | None = None) -> None:
        """Stop a timer and set it to zero."""
        timer_name = name or self._GLOBAL_TIMER_NAME
        if timer_name in self._timers:
            self._timers[timer_name].reset()
        else:
            self._create_timer(timer_name)

    @with_lock
    def reset_all(self) -> None:
        """Reset every timer."""
        for timer in self._timers.values():
            timer.reset()

    @with_lock
    def checkpoint(self, steps: int | None = None, checkpoint_name: str | None = None, name: str | None = None) -> None:
        """Record the elapsed time; `steps` defaults to the number of checkpoints, the name to `_lap_N`."""
        timer = self._get_timer(name)
        timer.lap_counter += 1
        checkpoint_name = checkpoint_name or f"_lap_{timer.lap_counter}"
        timer.checkpoints.pop(checkpoint_name, None)
        timer.checkpoints[checkpoint_name] = Checkpoint(
            elapsed_time=timer.elapsed(), steps=timer.lap_counter if steps is None else steps
        )
        timer.cleanup_old_checkpoints()

    @with_lock
    def checkpoint_all(self, steps: int | None = None, checkpoint_name: str | None = None) -> None:
        """Record a checkpoint on every timer."""
        for name in self._timers:
            self.checkpoint(steps, checkpoint_name, name)

    @with_lock
    def lap(self, steps: int | None = None, name: str | None = None) -> float:
        """Record a checkpoint and return the seconds since the one before."""
        timer = self._get_timer(name)
        lap_time = timer.elapsed() - timer.last_checkpoint()["elapsed_time"]
        self.checkpoint(steps, name=name)
        return lap_time

    @with_lock
    def lap_all(self, steps: int | None = None, exclude_global: bool = True) -> dict[str, float]:
        """Lap every timer and return the lap times by name; the global timer laps only without `exclude_global`."""
        names = [name for name in self._timers if not (exclude_global and name == self._GLOBAL_TIMER_NAME)]
        return {name: self.lap(steps, name) for name in names}

    @with_lock
    def get_elapsed(self, name: str | None = None) -> float:
        """Return the seconds of all intervals of a timer, the running one included."""
        return self._get_timer(name).elapsed()

    @with_lock
    def get_last_elapsed(self, name: str | None = None) -> float:
        """Return the seconds of the running interval, or of the last one while the timer is stopped."""
        timer = self._get_timer(name)
        return timer.running_for() if timer.is_running() else timer.last_elapsed

    @with_lock
    def get_all_elapsed(self, exclude_global: bool = True) -> dict[str, float]:
        """Return the elapsed seconds of every timer by name."""
        return {
            name: timer.elapsed()
            for name, timer in self._timers.items()
            if not (exclude_global and name == self._GLOBAL_TIMER_NAME)
        }

    @with_lock
    def get_rate(self, current_steps: int, name: str | None = None) -> float:
        """Return steps per elapsed second; 0 before any time has elapsed."""
        elapsed = self._get_timer(name).elapsed()
        return current_steps / elapsed if elapsed > 0 else 0.0

    @with_lock
    def get_lap_rate(self, current_steps: int, name: str | None = None) -> float:
        """Return steps per second since the last checkpoint."""
        timer = self._get_timer(name)
        last = timer.last_checkpoint()
        elapsed = timer.elapsed() - last["elapsed_time"]
        return (current_steps - last["steps"]) / elapsed if elapsed > 0 else 0.0

    @with_lock
    def get_lap_steps(self, lap_index: int = -1, name: str | None = None) -> int | None:
        """Return the steps of a finished lap, -1 for the last one; None when it is not recorded."""
        ends = self._get_lap_checkpoints(lap_index, name)
        return None if ends is None else ends[1]["steps"] - ends[0]["steps"]

    @with_lock
    def get_lap_time(self, lap_index: int = -1, name: str | None = None) -> float | None:
        """Return the seconds of a finished lap, -1 for the last one; None when it is not recorded."""
        ends = self._get_lap_checkpoints(lap_index, name)
        return None if ends is None else ends[1]["elapsed_time"] - ends[0]["elapsed_time"]

    @with_lock
    def estimate_remaining(self, current_steps: int, total_steps: int, name: str | None = None) -> tuple[float, str]:
        """Return the seconds until `total_steps` at the average rate, as a number and as text."""
        rate = self.get_rate(current_steps, name)
        if rate <= 0:
            return float("inf"), "unknown"
        seconds = (total_steps - current_steps) / rate
        return seconds, self.format_time(seconds)

    def format_time(self, seconds: float) -> str:
        """Return seconds as text in the largest unit that fits: sec, min, hours, days."""
        for unit, size in (("days", 86_400), ("hours", 3_600), ("min", 60)):
            if seconds >= size:
                return f"{seconds / size:.1f} {unit}"
        return f"{seconds:.0f} sec"

    @with_lock
    def log_progress(
        self, current_steps: int, total_steps: int, name: str | None = None, prefix: str = "Progress"
    ) -> None:
        """Log steps, rate, percentage and remaining time at level INFO."""
        label = f"{prefix} [{name}]" if name else prefix
        percent = 100 * current_steps / total_steps if total_steps > 0 else 0.0
        _, remaining = self.estimate_remaining(current_steps, total_steps, name)
        rate = self.get_rate(current_steps, name)
        text = "%s: %d/%d [%.0f steps/sec] (%.2f%%) - %s remaining"
        self.logger.info(text, label, current_steps, total_steps, rate, percent, remaining)

    @with_lock
    def get_filename(self, name: str | None = None) -> str:
        """Return the file that starts a timer: `unknown` for none, `multifile` for several."""
        filenames = {filename for filename, _ in self._get_timer(name).references}
        if len(filenames) > 1:
            return "multifile"
        return next(iter(filenames), "unknown")

    @with_lock
    def get_summary(self, name: str | None = None) -> dict[str, Any]:
        """Return a timer's name, elapsed time, state, checkpoints and references."""
        timer = self._get_timer(name)
        return {
            "name": timer.name,
            "total_elapsed": timer.elapsed(),
            "is_running": timer.is_running(),
            "checkpoints": dict(timer.checkpoints),
            "references": list(timer.references),
            "max_laps": timer.max_laps,
        }

    @with_lock
    def get_all_summaries(self) -> dict[str, dict[str, Any]]:
        """Return the summaries of all timers that have measured something, by name."""
        used = [name for name, timer in self._timers.items() if timer.total_elapsed > 0 or timer.is_running()]
        return {name: self.get_summary(name) for name in used}

    @with_lock
    def save_state(self) -> dict[str, Any]:
        """Return all timers as plain data for `load_state`."""
        timers = {name: timer.to_dict() for name, timer in self._timers.items()}
        return {"version": "1.0", "max_laps": self.max_laps, "timers": timers}

    @with_lock
    def load_state(self, state: dict[str, Any], resume_running: bool = True) -> None:
        """Replace all timers by saved ones; those that were running continue with `resume_running`.

        Raises ValueError unless `state` is a dict with `timers`.
        """
        if not isinstance(state, dict) or "timers" not in state:
            raise ValueError("Invalid state format: expected the dict that `save_state` returned, with a key `timers`")
        self.max_laps = state.get("max_laps", self.max_laps)
        self._timers = {}
        for name, data in state["timers"].items():
            timer = Timer.from_dict(data)
            timer.start_time = time.time() if resume_running and data.get("_was_running") else None
            self._timers[name] = timer
        self._get_timer()

    def _create_timer(self, name: str) -> Timer:
        start = {"_start": Checkpoint(elapsed_time=0.0, steps=0)}
        timer = self._timers[name] = Timer(name, checkpoints=start, max_laps=self.max_laps)
        return timer

    def _get_timer(self, name: str | None = None) -> Timer:
        name = name or self._GLOBAL_TIMER_NAME
        return self._timers.get(name) or self._create_timer(name)

    def _get_lap_checkpoints(
        self, lap_index: int = -1, name: str | None = None
    ) -> tuple[Checkpoint, Checkpoint] | None:
        """Return the checkpoints at the beginning and the end of a lap, counted from the end."""
        checkpoints = list(self._get_timer(name).checkpoints.values())
        if lap_index >= 0 or len(checkpoints) + lap_index < 1:
            return None
        return checkpoints[lap_index - 1], checkpoints[lap_index]


def _caller() -> tuple[str, int]:
    """Return the file name and line number of the code that called this module."""
    frame = sys._getframe(2)
    return frame.f_code.co_filename, frame.f_lineno
