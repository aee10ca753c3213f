"""The matches that are watched on this server: what their workers have sent, for any number of watchers.

A broadcast holds each message once. A watcher has a position in the list and no queue of its own, so that a slow
watcher needs no memory and delays nothing but itself.
"""

from __future__ import annotations

import asyncio
import math
import struct
import time
import uuid
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from observatory.errors import TooManyRequests
from observatory.live.subjects import Subject

__all__ = ["Broadcast", "Broadcasts", "Entry", "Malformed"]

_HEAD = struct.Struct("<dI")
"""of a message of a worker: seconds since its last tick was played, and that tick"""
_KINDS = (1, 2, 3, 5, 6)
"""first bytes of messages for watchers: a replay, a chunk, new objects (`docs/concepts/live.md`); the opening and the
scenes of a BitWorld match (`bitworld.broadcast`)"""
_PACKED = b"\x04"
"""before a compressed message: it is compressed once, and not for each watcher"""
_WORTH_PACKING = 512
FULL = "This server has too many people watching now; try again later, or watch the replay"


class Malformed(ValueError):
    """A worker sent something that is not a message."""


@dataclass(frozen=True)
class Entry:
    """A message for watchers, which no watcher gets before `due`."""

    due: float
    tick: int
    data: bytes


class Broadcast:
    """One match: the messages of its current attempt, and how many people watch."""

    def __init__(self, match_id: uuid.UUID, *, max_bytes: int, clock: Callable[[], float]) -> None:
        self.match_id = match_id
        self.attempt = 0
        """counts the connections of workers; the messages are those of the last one"""
        self.entries: list[Entry] = []
        self.is_connected = self.has_ended = self.is_full = False
        self.is_own = True
        """whether the worker is connected to this server"""
        self.watchers = 0
        self.subject: Subject | None = None
        """the newest facts about the match while someone watches"""
        self.follower: asyncio.Task[None] | None = None
        self.upstream: asyncio.Task[None] | None = None
        """brings the messages from the server to which the worker is connected, if it is another one"""
        self._max_bytes, self._clock, self._bytes = max_bytes, clock, 0
        self._changed = asyncio.Event()

    @property
    def is_wanted(self) -> bool:
        """Return whether the worker should send."""
        return self.watchers > 0 and not self.is_full

    @property
    def stored_bytes(self) -> int:
        return self._bytes

    def begin(self, *, is_own: bool = True) -> int:
        """Forget the messages of an earlier attempt; return the number of this one."""
        self.attempt += 1
        self.is_own = is_own
        self.entries, self._bytes = [], 0
        self.is_connected, self.has_ended, self.is_full = True, False, False
        self.notify()
        return self.attempt

    def take(self, data: bytes, *, delay_seconds: float) -> None:
        """Add a message of the worker; raise `Malformed` if it is none."""
        if len(data) <= _HEAD.size or data[_HEAD.size] not in _KINDS:
            raise Malformed("not a message of a broadcast")
        age, tick = _HEAD.unpack_from(data)
        if not math.isfinite(age) or self.is_full:
            return
        self.add(_packed(data[_HEAD.size :]), tick, due=self._clock() - max(0.0, age) + delay_seconds)

    def add(self, message: bytes, tick: int, *, due: float) -> None:
        """Add a message as watchers get it."""
        if self.is_full:
            return
        self._bytes += len(message)
        if self._bytes > self._max_bytes:
            self.entries, self._bytes, self.is_full = [], 0, True
        else:
            self.entries.append(Entry(due, tick, message))
        self.notify()

    def end(self, attempt: int, *, is_over: bool) -> None:
        """Note that the worker's connection has ended; `is_over` if the game had ended before."""
        if attempt == self.attempt:
            self.is_connected, self.has_ended = False, is_over
            self.notify()

    def notify(self) -> None:
        """Wake all that wait."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def wait(self, seconds: float | None) -> None:
        """Wait for a change, at most so long."""
        changed = self._changed
        try:
            async with asyncio.timeout(seconds):
                await changed.wait()
        except TimeoutError:
            pass


class Broadcasts:
    """The broadcasts of this process by their matches, and the number of watchers of each address."""

    def __init__(self, *, max_bytes: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.max_bytes, self.clock = max_bytes, clock
        self._broadcasts: dict[uuid.UUID, Broadcast] = {}
        self._watchers: Counter[str] = Counter()

    @property
    def watchers(self) -> int:
        return self._watchers.total()

    def find(self, match_id: uuid.UUID) -> Broadcast | None:
        return self._broadcasts.get(match_id)

    @contextmanager
    def sending(self, match_id: uuid.UUID, *, is_own: bool = True) -> Iterator[Broadcast]:
        """Give a worker, or another server, the broadcast of its match."""
        broadcast = self._of(match_id)
        attempt = broadcast.begin(is_own=is_own)
        try:
            yield broadcast
        finally:
            broadcast.end(attempt, is_over=broadcast.has_ended)
            self._forget(broadcast)

    @contextmanager
    def watching(self, match_id: uuid.UUID, address: str, *, most: int, most_of_address: int) -> Iterator[Broadcast]:
        """Count a watcher; raise `TooManyRequests` for one too many."""
        if self.watchers >= most or self._watchers[address] >= most_of_address:
            raise TooManyRequests(FULL, retry_after=30)
        broadcast = self._of(match_id)
        self._watchers[address] += 1
        broadcast.watchers += 1
        broadcast.notify()
        try:
            yield broadcast
        finally:
            broadcast.watchers -= 1
            self._watchers[address] -= 1
            if not self._watchers[address]:
                del self._watchers[address]
            if not broadcast.watchers:
                for task in (broadcast.follower, broadcast.upstream):
                    if task is not None:
                        task.cancel()
                broadcast.follower = broadcast.upstream = None
            broadcast.notify()
            self._forget(broadcast)

    def _of(self, match_id: uuid.UUID) -> Broadcast:
        if match_id not in self._broadcasts:
            self._broadcasts[match_id] = Broadcast(match_id, max_bytes=self.max_bytes, clock=lambda: self.clock())
        return self._broadcasts[match_id]

    def _forget(self, broadcast: Broadcast) -> None:
        if not broadcast.watchers and not broadcast.is_connected:
            self._broadcasts.pop(broadcast.match_id, None)


def _packed(message: bytes) -> bytes:
    """Return a message compressed, if that makes it smaller. A replay is compressed already."""
    if message[0] == 1 or len(message) < _WORTH_PACKING:
        return message
    packed = _PACKED + zlib.compress(message, 1)
    return packed if len(packed) < len(message) else message
