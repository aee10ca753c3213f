"""One thread, one seed and a virtual clock for everything: servers, workers, users and the network between them.

`Scheduler` is an event loop whose time passes only while all tasks wait: it then jumps to the next timer. Code that a
server runs in threads runs in greenlets instead, which can be suspended at every transaction. Clocks and the source of
random numbers of the operating system are replaced while a season runs, so one seed gives one history.
"""

from __future__ import annotations

import asyncio
import contextvars
import gc
import hashlib
import inspect
import io
import os
import random
import tempfile
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar
from unittest import mock

import anyio
import anyio.to_thread
import greenlet
from sqlalchemy.util import await_only, greenlet_spawn

from observatory.database import base

__all__ = ["EPOCH", "Deadlock", "Process", "Scheduler", "await_here", "current_process", "point"]

Result = TypeVar("Result")
EPOCH = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
_TICK = 1e-6
"""the least that the clock moves, in seconds: a wait of less could repeat for ever"""
_MAX_TURNS = 200_000
"""of the event loop in one second of the virtual clock; a busy second has some thousands"""
_MAX_BUSY_TURNS = 50
"""without a wait, after which time passes"""
_process: contextvars.ContextVar[Process | None] = contextvars.ContextVar("process", default=None)


class Deadlock(Exception):
    """Everything waits for ever, or tasks wake each other for ever and no time passes."""


class Scheduler(asyncio.BaseEventLoop):
    """An event loop with a virtual clock, a source of chance and a log."""

    def __init__(self, seed: object) -> None:
        super().__init__()
        self.now = 0.0
        self.chance = random.Random(f"schedule/{seed}")
        self.show: Callable[[str], None] | None = None
        self.lines: list[str] = []
        self._turns = self._busy_turns = 0
        self.tasks = 0
        """how many were made"""
        self.slowness = 0.0
        """how long threads and disks take, in seconds, at most"""
        self._jitter = f"jitter/{seed}"
        """seeds the shared generator, from which workers draw their pauses"""
        self._bytes: dict[int, random.Random] = {}
        self._bytes_seed = f"bytes/{seed}"
        self._digest = hashlib.blake2b(digest_size=16)
        self._selector = self  # type: ignore[assignment]
        self.set_task_factory(_make_task)

    def time(self) -> float:
        return self.now

    def select(self, timeout: float | None) -> list[object]:
        """Wait as a selector does: the clock jumps to the next timer."""
        if timeout is None:
            raise Deadlock
        self._turns += 1
        if self._turns > _MAX_TURNS:
            raise Deadlock
        second = int(self.now)
        if not self._ready:  # all tasks wait
            self.now += max(timeout, _TICK)
            self._busy_turns = 0
        else:
            self._busy_turns += 1
            if self._busy_turns > _MAX_BUSY_TURNS and self._scheduled:
                # A cancel scope of anyio repeats its cancellation in every turn until all its tasks have ended.
                self.now = max(self.now, self._scheduled[0].when())
        if int(self.now) > second:
            self._turns = 0
        return []

    def call_at(self, when: float, callback: Any, *arguments: Any, context: Any = None) -> asyncio.TimerHandle:
        """Set a timer. Time passes before it: a loop that waits for less than the clock can show would not end."""
        return super().call_at(max(when, self.now + _TICK), callback, *arguments, context=context)

    def close(self) -> None:
        self._selector = None  # type: ignore[assignment]
        super().close()

    def _process_events(self, events: list[object]) -> None:
        pass

    def _write_to_self(self) -> None:
        pass

    def utc(self) -> datetime:
        return EPOCH + timedelta(seconds=self.now)

    def note(self, *words: object) -> None:
        """Add a line to the log."""
        line = " ".join([f"{self.now:9.4f}", *map(str, words)])
        self._digest.update(line.encode() + b"\n")
        self.lines.append(line)
        if self.show is not None:
            self.show(line)

    @property
    def digest(self) -> str:
        """Return the digest of the log so far."""
        return self._digest.hexdigest()

    def delay(self) -> float:
        """Return how long a step in a thread takes; most take no time."""
        return self.chance.random() * self.slowness if self.chance.random() < 0.3 else 0.0

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Replace clocks, random bytes and threads of this process while the block runs."""

        def urandom(size: int) -> bytes:
            # A stream for each size: libraries that draw something at their first use do not shift what others draw.
            if size not in self._bytes:
                self._bytes[size] = random.Random(f"{self._bytes_seed}/{size}")
            return self._bytes[size].randbytes(size)

        def sleep(seconds: float) -> None:
            await_here(asyncio.sleep(seconds))

        start = EPOCH.timestamp()
        with ExitStack() as patches:
            for place, name, new in (
                (time, "monotonic", lambda: 1000.0 + self.now),
                (time, "monotonic_ns", self._tick),
                (time, "clock_gettime", lambda _: 1000.0 + self.now),
                (time, "time", lambda: start + self.now),
                (time, "time_ns", lambda: int((start + self.now) * 1e9)),
                (time, "sleep", sleep),
                (os, "urandom", urandom),
                (random, "_urandom", urandom),
                (base, "_last_stamp", 0),
                (tempfile, "_name_sequence", None),  # seeds its generator at its first use
                (anyio.to_thread, "run_sync", _run_sync),
                (gc, "freeze", lambda: None),  # a server that starts means its own process
            ):
                patches.enter_context(mock.patch.object(place, name, new))
            self._ticks = 0
            state = random.getstate()
            random.seed(self._jitter)
            try:
                yield
            finally:
                random.setstate(state)

    def _tick(self) -> int:
        """Return a clock that never shows the same time twice."""
        self._ticks += 1
        return int((1000.0 + self.now) * 1e9) + self._ticks


class Process:
    """Something that can be killed at any await and any transaction: a server, a worker, a user."""

    def __init__(self, name: str, scheduler: Scheduler) -> None:
        self.name, self.scheduler = name, scheduler
        self.is_alive = True
        self.tasks: list[asyncio.Task[Any]] = []
        self.points = 0
        """how often it could have died so far"""
        self.dies_at: int | None = None

    def spawn(self, work: Coroutine[Any, Any, Result]) -> asyncio.Task[Result]:
        """Run a coroutine, and all tasks that it starts, as part of this process."""
        context = contextvars.copy_context()
        context.run(_process.set, self)
        return context.run(self.scheduler.create_task, work)

    def spawn_thread(self, function: Callable[..., Result], *arguments: object) -> asyncio.Task[Result]:
        """Run a function that blocks as part of this process."""
        return self.spawn(greenlet_spawn(function, *arguments))

    def kill(self) -> None:
        """Stop all its tasks where they are; what they hold in memory is gone."""
        if self.is_alive:
            self.scheduler.note("kill", self.name, "at", self.points)
            self.is_alive = False
            self._cancel()

    def _cancel(self) -> None:
        for task in list(self.tasks):
            _cancel(task)
        if self.tasks:  # `asyncio.wait_for` drops a cancellation that comes together with its result
            self.scheduler.call_later(0.01, self._cancel)

    def pass_point(self) -> None:
        """Die here if the plan says so."""
        self.points += 1
        if self.points == self.dies_at:
            self.kill()


def current_process() -> Process | None:
    """Return the process that runs this code."""
    return _process.get()


def point(wait: bool = True) -> None:
    """Mark a place in blocking code where the process may be suspended or killed; no effect outside of processes."""
    process = _process.get()
    if process is None:
        return
    if process.is_alive:
        process.pass_point()
    if not process.is_alive:
        raise asyncio.CancelledError
    if wait and _is_in_greenlet() and (delay := process.scheduler.delay()):
        await_only(asyncio.sleep(delay))


def await_here(work: Awaitable[Result]) -> Result:
    """Wait in blocking code, which runs in a greenlet."""
    process = _process.get()
    if process is not None and not process.is_alive:
        if asyncio.iscoroutine(work):
            work.close()
        raise asyncio.CancelledError
    return await_only(work)


def _is_in_greenlet() -> bool:
    return getattr(greenlet.getcurrent(), "__sqlalchemy_greenlet_provider__", False)


class _Task(asyncio.Task[Any]):
    """A task whose place in a set does not depend on its address: sets of tasks have an order that repeats."""

    def __init__(self, work: Any, *, loop: Scheduler, context: Any) -> None:
        loop.tasks += 1
        self._number = loop.tasks
        super().__init__(work, loop=loop, name=str(self._number), context=context)

    def __hash__(self) -> int:
        return self._number


def _make_task(loop: Any, work: Any, context: Any = None) -> asyncio.Task[Any]:
    task = _Task(work, loop=loop, context=context)
    process = _process.get()
    if process is not None:
        process.tasks.append(task)
        task.add_done_callback(process.tasks.remove)
        if not process.is_alive:
            _cancel(task)
    return task


def _cancel(task: asyncio.Task[Any]) -> None:
    """Cancel a task; one that has not begun begins first, so that no coroutine it was given is left without an end."""
    work = task.get_coro()
    if inspect.iscoroutine(work) and inspect.getcoroutinestate(work) == inspect.CORO_CREATED:
        task.get_loop().call_soon(task.cancel)
    else:
        task.cancel()


async def _run_sync(
    function: Callable[..., Any],
    *arguments: Any,
    abandon_on_cancel: bool = False,
    cancellable: bool | None = None,
    limiter: anyio.CapacityLimiter | None = None,
) -> Any:
    """Run a function as `anyio.to_thread.run_sync` does, without a thread."""
    process = _process.get()
    if process is not None:
        try:
            if process.is_alive:
                process.pass_point()
                await asyncio.sleep(process.scheduler.delay())  # ends with CancelledError if the process dies
        finally:
            closes_file = isinstance(getattr(function, "__self__", None), io.IOBase) and function.__name__ == "close"
            if closes_file and not process.is_alive:
                function()  # the operating system closes the files of a process that has ended
        if not process.is_alive:
            raise asyncio.CancelledError
    if limiter is None:
        with anyio.CancelScope(shield=not abandon_on_cancel):
            return await greenlet_spawn(function, *arguments)
    async with limiter:
        with anyio.CancelScope(shield=not abandon_on_cancel):
            return await greenlet_spawn(function, *arguments)
