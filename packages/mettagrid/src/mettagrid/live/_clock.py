"""When the next step of a live game begins."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Literal, Protocol, get_args

from mettagrid.live.errors import BadOrder

__all__ = ["Clock", "People", "TickMode"]

TickMode = Literal["fixed", "tick_when_act"]

SLOWEST, FASTEST = 0.01, 1000.0
_MOST_BEHIND = 0.1
"""seconds that a game may catch up after a slow step"""


class People(Protocol):
    """Those for whom the clock may have to wait."""

    def waiting_for(self) -> list[int]:
        """Slots that people drive, when none of them has anything to do yet."""

    def acts_now(self) -> bool:
        """Whether somebody has just chosen an action, and would like to see it."""


class Clock:
    """Play, pause, single steps, speed, and whether the game waits for people. Any thread may call any method.

    In mode `fixed` a step begins when its time has come. In mode `tick_when_act`, while people drive, it begins when
    one of them has acted, or when nobody has for `human_action_timeout_seconds`; those who have not do nothing in it.
    Steps that were asked for one by one while the game pauses wait for nobody.
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
        """held while anything of the game's controls is read or written; notified when it has changed"""
        self._paused = paused
        self._ended = False
        self._granted = 0
        self._speed = steps_per_second
        self._mode: TickMode = tick_mode
        self.human_action_timeout_seconds = human_action_timeout_seconds
        self._next = 0.0
        self._asked_since: float | None = None
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
        """Take so many steps and pause; steps that were asked for before and not taken yet count too."""
        if count < 1:
            raise BadOrder(f"A game can go on by one step or more, not by {count}")
        with self.changed:
            self._granted = min(self._granted + count, 1_000_000) if self._paused else count
            self._paused = True
            self._next = time.monotonic()
            self.notify()

    def set_speed(self, steps_per_second: float) -> None:
        """BadOrder unless it is from 0.01 to 1000."""
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
        """Nobody waits from now on."""
        with self.changed:
            self._ended = True
            self.notify()

    def listen(self, listener: Callable[[], None]) -> None:
        """Have a function called whenever something has changed; it must be quick, and may be called in any thread."""
        self._listeners.append(listener)

    def notify(self) -> None:
        """Something has changed: look again whether the next step may begin, and tell the listeners."""
        with self.changed:
            self.changed.notify_all()
        for listener in self._listeners:
            listener()

    def wait(self, people: People, idle: Callable[[], None] | None = None, idle_seconds: float = 0.03) -> bool:
        """Until the next step may begin; False when the game has been ended instead.

        `idle` is called, in the waiting thread, every `idle_seconds`, and once in any case: for views that live in the
        game's own thread.
        """
        while True:
            if idle is not None:
                idle()
            with self.changed:
                left = self._left(people, time.monotonic())
                if left is not None and left <= 0:
                    self._asked_since = None
                    return not self._ended
                if idle is not None:
                    left = idle_seconds if left is None else min(left, idle_seconds)
                self.changed.wait(left)

    def _left(self, people: People, now: float) -> float | None:
        """Seconds until the next step, None for as long as nothing changes; takes the step when there are none left."""
        if self._ended:
            return 0.0
        at_once = False
        if self._paused:
            self._asked_since = None
            if self._granted == 0:
                return None
        elif self._mode == "tick_when_act":
            if people.waiting_for():
                if self._asked_since is None:
                    self._asked_since = now
                left = self._asked_since + self.human_action_timeout_seconds - now
                if left > 0:
                    return left
                at_once = True  # long enough
            else:
                at_once = people.acts_now()
        left = 0.0 if at_once else self._next - now
        if left <= 0:
            due = now if at_once else max(self._next, now - _MOST_BEHIND)
            self._next = due + 1 / self._speed
            self._granted -= self._granted > 0
        return left
