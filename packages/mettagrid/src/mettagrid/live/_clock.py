"""Decide when the next step of a live game begins."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Literal, Protocol, get_args

from mettagrid.live.errors import BadOrder

__all__ = ["Clock", "People", "TickMode"]

TickMode = Literal["fixed", "tick_when_act"]

SLOWEST, FASTEST = 0.01, 1000.0
_MAX_LAG_SECONDS = 0.1
"""longest lag in seconds that the game makes up for after a slow step"""


class People(Protocol):
    """The players that the clock may have to wait for."""

    def waiting_for(self) -> list[int]:
        """Return the slots that people drive, if none of them has a pending action."""

    def acts_now(self) -> bool:
        """Return whether a player has just chosen an action, so that the step should run at once."""


class Clock:
    """Control play, pause, single steps, speed and whether the game waits for people. All methods are thread-safe.

    In mode `fixed` steps begin at a fixed rate. In mode `tick_when_act`, while people drive, a step begins when one of
    them has acted, or after `human_action_timeout_seconds` without any action; the others do nothing in that step.
    Single steps requested while the game is paused do not wait for people.
    """

    def __init__(
        self,
        *,
        paused: bool = True,
        steps_per_second: float = 10.0,
        tick_mode: TickMode = "fixed",
        human_action_timeout_seconds: float = 5.0,
    ) -> None:
        self.changed = threading.Condition(threading.RLock())
        """guards all controls of the game; notified after each change"""
        self._paused = paused
        self._ended = False
        self._granted = 0
        self._speed = steps_per_second
        self._mode: TickMode = tick_mode
        self.human_action_timeout_seconds = human_action_timeout_seconds
        self._next = 0.0
        self._waiting_since: float | None = None
        self._listeners: list[Callable[[], None]] = []

    @property
    def paused(self) -> bool:
        return self._paused

    @property
    def ended(self) -> bool:
        return self._ended

    @property
    def steps_per_second(self) -> float:
        return self._speed

    @property
    def tick_mode(self) -> TickMode:
        return self._mode

    def play(self) -> None:
        with self.changed:
            if self._paused:
                self._next = time.monotonic()
            self._paused = False
            self._granted = 0
            self.notify()

    def pause(self) -> None:
        with self.changed:
            self._paused = True
            self._granted = 0
            self.notify()

    def step(self, count: int = 1) -> None:
        """Take `count` more steps and then pause; adds to the single steps that are still pending."""
        if count < 1:
            raise BadOrder(f"The number of steps must be at least 1, not {count}")
        with self.changed:
            self._granted = min(self._granted + count, 1_000_000) if self._paused else count
            self._paused = True
            self._next = time.monotonic()
            self.notify()

    def set_speed(self, steps_per_second: float) -> None:
        """Set the speed; raises BadOrder unless it is from 0.01 to 1000."""
        if not SLOWEST <= steps_per_second <= FASTEST:
            raise BadOrder(f"The speed must be from {SLOWEST} to {FASTEST:g} steps per second, not {steps_per_second}")
        with self.changed:
            self._speed = float(steps_per_second)
            self._next = min(self._next, time.monotonic() + 1 / self._speed)
            self.notify()

    def set_mode(self, tick_mode: TickMode) -> None:
        if tick_mode not in get_args(TickMode):
            raise BadOrder(f"The mode must be one of {', '.join(get_args(TickMode))}, not {tick_mode!r}")
        with self.changed:
            self._mode = tick_mode
            self.notify()

    def end(self) -> None:
        """End the game: `wait` returns False from now on."""
        with self.changed:
            self._ended = True
            self.notify()

    def listen(self, listener: Callable[[], None]) -> None:
        """Register a function to call after each change. It must be fast and may be called from any thread."""
        self._listeners.append(listener)

    def notify(self) -> None:
        """Signal a change: re-check whether the next step may begin, and call the listeners."""
        with self.changed:
            self.changed.notify_all()
        for listener in self._listeners:
            listener()

    def wait(self, people: People, idle: Callable[[], None] | None = None, idle_seconds: float = 0.03) -> bool:
        """Wait until the next step may begin; return False if the game was ended instead.

        `idle` is called in the waiting thread every `idle_seconds`, and at least once. Views that run in the game's own
        thread use it.
        """
        while True:
            if idle is not None:
                idle()
            with self.changed:
                left = self._left(people, time.monotonic())
                if left is not None and left <= 0:
                    self._waiting_since = None
                    return not self._ended
                if idle is not None:
                    left = idle_seconds if left is None else min(left, idle_seconds)
                self.changed.wait(left)

    def _left(self, people: People, now: float) -> float | None:
        """Return the seconds until the next step, or None to wait for a change; at 0, count the step as taken."""
        if self._ended:
            return 0.0
        at_once = False
        if self._paused:
            self._waiting_since = None
            if self._granted == 0:
                return None
        elif self._mode == "tick_when_act":
            if people.waiting_for():
                if self._waiting_since is None:
                    self._waiting_since = now
                left = self._waiting_since + self.human_action_timeout_seconds - now
                if left > 0:
                    return left
                at_once = True  # the timeout has passed
            else:
                at_once = people.acts_now()
        left = 0.0 if at_once else self._next - now
        if left <= 0:
            due = now if at_once else max(self._next, now - _MAX_LAG_SECONDS)
            self._next = due + 1 / self._speed
            self._granted -= self._granted > 0
        return left
