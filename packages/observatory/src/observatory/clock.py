"""The time, from one place, so that tests can set it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated

from fastapi import Depends, Request

__all__ = ["Clock", "Now", "utc_now"]

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    return datetime.now(UTC)


def _now(request: Request) -> datetime:
    clock: Clock = request.app.state.clock
    return clock()


Now = Annotated[datetime, Depends(_now)]
"""the time of the request, always with a zone"""
