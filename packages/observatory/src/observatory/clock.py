"""The time, from one place, so that tests can set it."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated

from fastapi import Depends, Request

__all__ = ["Clock", "ClockDep", "ClockWatch", "Now", "utc_now"]

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    return datetime.now(UTC)


def _since_boot() -> float:
    """Return seconds of a monotonic clock that continues while the machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class ClockWatch:
    """Detects that a clock was set, forwards or backwards."""

    def __init__(self, clock: Clock, steady: Callable[[], float] = _since_boot) -> None:
        self._clock = clock
        self._steady = steady
        self._offset = self._difference()

    def set_by(self) -> float:
        """Return by how many seconds the clock was set since the last call."""
        before, self._offset = self._offset, self._difference()
        return self._offset - before

    def _difference(self) -> float:
        return self._clock().timestamp() - self._steady()


def _clock(request: Request) -> Clock:
    clock: Clock = request.app.state.clock
    return clock


def _now(request: Request) -> datetime:
    return _clock(request)()


ClockDep = Annotated[Clock, Depends(_clock)]

Now = Annotated[datetime, Depends(_now)]
"""the time of the request, always with a zone"""
