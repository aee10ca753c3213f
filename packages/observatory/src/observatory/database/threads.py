"""Threads that work for a task of the event loop, and that the task outlives even if it is cancelled."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

import anyio
import anyio.to_thread

__all__ = ["run_to_end"]

Result = TypeVar("Result")

_LOOK_AGAIN_SECONDS = 0.002


async def run_to_end(function: Callable[[], Result], *, limiter: anyio.CapacityLimiter | None = None) -> Result:
    """Run a function in a thread. A task that is cancelled meanwhile waits until the function has returned.

    anyio waits only if one of its scopes is cancelled: after `Task.cancel` the thread would still use a session that
    its task has closed, on a connection that another session uses by then.
    """
    turn = threading.Lock()
    is_abandoned = False

    def run() -> Result:
        with turn:
            if is_abandoned:
                raise asyncio.CancelledError  # the result has no reader
            return function()

    try:
        return await anyio.to_thread.run_sync(run, limiter=limiter)
    except asyncio.CancelledError:
        is_abandoned = True
        with anyio.CancelScope(shield=True):
            while not turn.acquire(blocking=False):
                with suppress(asyncio.CancelledError):
                    await asyncio.sleep(_LOOK_AGAIN_SECONDS)
        turn.release()  # for a thread that has not begun yet
        raise
