"""PostgreSQL as a group of servers uses it: sessions, the lock of the leader, notifications. Connections may break.

`observatory.database.link`, which decides what a server does with them, runs as it is. A connection breaks at both
ends, and each end notices it at another time: while PostgreSQL has released the lock and the old leader has not noticed
it, two servers lead.
"""

from __future__ import annotations

import asyncio
import math
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from types import SimpleNamespace
from typing import Any
from unittest import mock

from observatory.database import link
from observatory.database.presence import RunningServer
from observatory.http import shared_responses
from tests.simulation.scheduler import Process, Scheduler, await_here, current_process

__all__ = ["NOTICE_SECONDS", "Group"]

NOTICE_SECONDS = 11.0
"""after which either end notices a connection that is dead, as the keepalives of `group_session` say"""
_LOCK_SECONDS = 15.0
"""how long a statement waits for a lock"""


class ConnectionLost(Exception):
    """The connection to PostgreSQL is lost."""


class Group:
    """The sessions of all servers."""

    def __init__(self, scheduler: Scheduler) -> None:
        self.scheduler = scheduler
        self.sessions: list[Session] = []
        """as PostgreSQL sees them: those that joined, and whose end it has not noticed"""
        self.leader: Session | None = None
        self.changed_at = 0.0
        """when a session or the lead began or ended"""
        self.latency = 0.002
        self.unreachable: set[str] = set()
        """servers that cannot connect"""

    def is_whole(self, servers: int) -> bool:
        """Return whether so many servers are connected, and one of them leads."""
        connected = [session for session in self.sessions if not session.is_broken]
        return len(connected) == servers and self.leader in connected

    def connected_since(self, server: str) -> float:
        """Return when a server began to receive all notifications; infinity if its connection is broken."""
        times = [session.joined_at for session in self.sessions if session.server == server and not session.is_broken]
        return min(times, default=math.inf)

    def publish(self, payload: str) -> None:
        """Deliver the notification of a transaction that was committed just now."""
        for session in self.sessions:
            session.deliver(payload)

    def disconnect(self, server: str, *, noticed_here: float, noticed_there: float) -> None:
        """Break the connection of a server. It notices it after some seconds, PostgreSQL after some other ones."""
        for session in self.sessions:
            if session.server == server and not session.is_broken:
                self.scheduler.note("disconnect", server, f"{noticed_here:.2f}", f"{noticed_there:.2f}")
                session.is_broken = True
                self.scheduler.call_later(noticed_here, session.lose)
                self.scheduler.call_later(noticed_there, self.end, session)

    def end(self, session: Session) -> None:
        """End a session, as PostgreSQL does when it notices that the client is gone: its locks are free."""
        if session in self.sessions:
            self.sessions.remove(session)
            self.changed_at = self.scheduler.now
        if self.leader is session:
            self.scheduler.note("free", session.server)
            self.leader = None

    @contextmanager
    def open(self, server: str) -> Iterator[Session]:
        """Stand for `open_group_session`."""
        session = Session(self, server)
        session.call()
        if server in self.unreachable:
            raise ConnectionLost
        try:
            yield session
        finally:
            self._close(session)

    def _close(self, session: Session) -> None:
        process = current_process()
        if session.is_broken:
            return  # PostgreSQL notices it later
        is_machine_lost = process is not None and not process.is_alive and self.scheduler.chance.random() < 0.3
        if is_machine_lost:
            session.is_broken = True
            self.scheduler.call_later(self.scheduler.chance.random() * NOTICE_SECONDS, self.end, session)
        else:
            self.end(session)

    def running_servers(self, _: object) -> list[RunningServer]:
        """Stand for `database.presence.running_servers`; the names of the servers are the hosts of their addresses."""
        return [
            RunningServer(session.server_id, f"http://{session.server}", "1", "1", session is self.leader)
            for session in self.sessions
            if session.server_id is not None
        ]

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Let the links of servers use these sessions, and greenlets for their threads."""
        names = SimpleNamespace(Thread=_Thread, Event=_Event)
        with ExitStack() as patches:
            patches.enter_context(mock.patch.object(link, "threading", names))
            patches.enter_context(mock.patch.object(shared_responses, "running_servers", self.running_servers))
            patches.enter_context(
                mock.patch.object(link, "open_group_session", lambda database: self.open(database.server_name))
            )
            yield


class Session:
    """Stands for `GroupSession`."""

    def __init__(self, group: Group, server: str) -> None:
        self._group, self.server = group, server
        self.number = 0
        self.server_id: uuid.UUID | None = None
        self.joined_at = 0.0
        self.is_broken = False
        """whether nothing passes between its ends"""
        self._is_lost = asyncio.Event()
        self._arrived = asyncio.Event()
        self._inbox: list[str] = []
        self._last_at = 0.0

    def join(self, number: int, server_id: uuid.UUID, url: str) -> None:
        until = self._group.scheduler.now + _LOCK_SECONDS
        while any(session.number == number for session in self._group.sessions):
            if self._group.scheduler.now > until:
                raise ConnectionLost("lock timeout")
            await_here(asyncio.sleep(0.1))
        self.number, self.server_id = number, server_id
        self._group.sessions.append(self)
        self._group.changed_at = self.joined_at = self._group.scheduler.now

    def try_to_lead(self) -> bool:
        self.call()
        if self._group.leader is None:
            self._group.leader = self
            self._group.changed_at = self._group.scheduler.now
            self._group.scheduler.note("lead", self.server)
        return self._group.leader is self

    def check(self) -> None:
        self.call()

    def notifications(self, seconds: float) -> Iterator[str]:
        if not self._inbox:
            await_here(_wait(self._arrived, seconds))
        if self._is_lost.is_set():
            raise ConnectionLost
        self._arrived.clear()
        while self._inbox:
            yield self._inbox.pop(0)

    def deliver(self, payload: str) -> None:
        """Send a notification; those of one connection arrive in their order."""
        scheduler = self._group.scheduler
        self._last_at = max(self._last_at, scheduler.now + scheduler.chance.random() * self._group.latency)
        scheduler.call_at(self._last_at, self._arrive, payload)

    def _arrive(self, payload: str) -> None:
        if not self.is_broken:
            self._inbox.append(payload)
            self._arrived.set()

    def lose(self) -> None:
        """Let the server notice that the connection is lost."""
        self._is_lost.set()
        self._arrived.set()

    def call(self) -> None:
        """Make a round trip to PostgreSQL."""
        await_here(asyncio.sleep(self._group.scheduler.chance.random() * self._group.latency))
        if self.is_broken:
            await_here(self._is_lost.wait())
        if self._is_lost.is_set():
            raise ConnectionLost


class _Event:
    """Stands for `threading.Event` in greenlets."""

    def __init__(self) -> None:
        self._event = asyncio.Event()
        self.is_set, self.set = self._event.is_set, self._event.set

    def wait(self, seconds: float | None = None) -> bool:
        await_here(_wait(self._event, seconds))
        return self.is_set()


class _Thread:
    """Stands for `threading.Thread`: a greenlet of the process that starts it."""

    def __init__(self, target: Any, name: str, daemon: bool) -> None:
        self._target = target
        self._task: asyncio.Task[Any] | None = None

    def start(self) -> None:
        process = current_process()
        assert isinstance(process, Process)
        self._task = process.spawn_thread(self._target)

    def is_alive(self) -> bool:
        return self._task is not None and not self._task.done()

    def join(self, seconds: float | None = None) -> None:
        assert self._task is not None
        await_here(asyncio.wait([self._task], timeout=seconds))


async def _wait(event: asyncio.Event, seconds: float | None) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
