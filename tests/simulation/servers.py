"""Servers of one league: the real application and its loops, on one database and one store. Any may be killed."""

from __future__ import annotations

import asyncio
import functools
import itertools
import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from unittest import mock
from urllib.parse import unquote

import anyio.to_thread
from fastapi import FastAPI
from sqlalchemy.orm import Session

from observatory import app as app_module
from observatory import outcomes
from observatory.app import create_app, open_state
from observatory.database.tables.jobs import Job
from observatory.jobs import transitions
from observatory.routes import jobs, seasons, store
from observatory.settings import Settings
from tests.simulation.group import Group
from tests.simulation.network import Headers, Reply
from tests.simulation.scheduler import EPOCH, Process, Scheduler
from tests.simulation.sockets import Sockets
from tests.simulation.store import MOVES, Disk, FaultyStore, SimulatedDatabase, WriteLock
from tests.simulation.webhooks import Webhooks

__all__ = ["Cluster", "Move", "Observer", "Server", "application"]

Move = tuple[float, str, str, int]
"""when a move of a job was committed, the job, its new state, and its attempt"""


@functools.cache
def application(number: int, folder: Path) -> FastAPI:
    """Return an application. Making one takes long, so all servers of this number share it, one after the other.

    It has all routes, those that seasons use before others: finding a route takes a tenth of the time of a season.
    """
    first = [jobs.router, store.router, seasons.router]
    others = [router for router in app_module._routers() if router not in first]
    with mock.patch.object(app_module, "_routers", lambda: [*first, *others]):
        return create_app(settings(folder))


@functools.cache
def settings(folder: Path, kind: str = "") -> Settings:
    return Settings(
        data_dir=folder,
        seed_seasons=False,
        public_url="http://league",
        lease_seconds=4.0,
        max_job_attempts=1000,  # no policy is at fault, however often machines are lost
        anonymous_rate=1e9,
        user_rate=1e9,
        max_live_watchers=0,
        play_seasons=kind != "league",
        play_rounds=kind == "league",
    )


class Cluster:
    """The state that all servers share: files, a write lock, sessions of PostgreSQL and the list of commits."""

    def __init__(self, scheduler: Scheduler, folder: Path) -> None:
        self.scheduler, self.folder = scheduler, folder
        self.lock = WriteLock()
        self.group = Group(scheduler)
        self.disk = Disk(scheduler)
        self.webhooks = Webhooks(scheduler)
        self.sockets = Sockets(scheduler)
        self.moves: list[Move] = []
        self._numbers = itertools.count(1)
        self.committed_at = 0.0
        self.problems: list[str] = []

    def next_number(self) -> int:
        """Return the number of a transaction. Only one writes at a time, so numbers have the order of commits."""
        return next(self._numbers)

    def committed(self, moves: Sequence[tuple[str, str, int]], notifications: Sequence[str]) -> None:
        """Note what a transaction has changed, and notify all servers, as PostgreSQL does with the commit."""
        for job, state, attempt in moves:
            self.scheduler.note("job", job, state, attempt)
            self.moves.append((self.scheduler.now, job, state, attempt))
            self.committed_at = self.scheduler.now
        for payload in notifications:
            self.group.publish(payload)


class Server:
    """A place for a server; `start`, `stop` and `kill` make and end processes in it.

    `kind` is that of the season. A server without one serves requests, and has no peers and no tasks of its own.
    """

    def __init__(self, cluster: Cluster, number: int, kind: str = "") -> None:
        self.name = "AB"[number] if number < 2 else "C"
        self._cluster, self._kind = cluster, kind
        cluster.sockets.servers[self.name] = self
        self._settings = settings(cluster.folder, kind)
        self.app = application(number, cluster.folder)
        self.skew = 0.0
        """seconds by which its clock is wrong"""
        self.life = 0
        """how often it was started"""
        self.process: Process | None = None
        self._is_ready = False
        self._stopping = asyncio.Event()
        self._requests = 0

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.is_alive

    @property
    def is_up(self) -> bool:
        """Whether it accepts requests."""
        return self.is_running and self._is_ready

    @property
    def leads(self) -> bool:
        return self.is_up and self.app.state.database.is_leader

    def clock(self) -> datetime:
        return EPOCH + timedelta(seconds=self._cluster.scheduler.now + self.skew)

    def start(self) -> None:
        cluster = self._cluster
        self.life += 1
        self.process = Process(self.name, cluster.scheduler)
        cluster.scheduler.note("start", self.name)
        url = self._settings.sqlalchemy_url()
        database = SimulatedDatabase(url, self.name, cluster, has_peers=bool(self._kind))
        open_state(self.app, self._settings, database, self.clock)
        self.app.state.response_cache._shared._connect = cluster.sockets.connect
        folder: FaultyStore = self.app.state.store
        folder.__class__ = FaultyStore
        folder.disk = cluster.disk
        self._is_ready, self._stopping, self._requests = not self._kind, asyncio.Event(), 0
        if self._kind:
            self.process.spawn(self._run(self.process, self._stopping))

    async def _run(self, process: Process, stopping: asyncio.Event) -> None:
        """Run as `observatory serve` does: with all its tasks, until it is stopped and has served all requests."""
        async with self.app.router.lifespan_context(self.app):
            self._is_ready = True
            self._cluster.scheduler.note("ready", self.name)
            await stopping.wait()
            self._is_ready = False
            self.app.state.stopping = True
            self.app.state.database.changes.close()
            await anyio.to_thread.run_sync(self.app.state.link.stop)
            while self._requests:
                await asyncio.sleep(0.05)
        self._cluster.scheduler.note("stopped", self.name)
        process.kill()

    def stop(self) -> None:
        """Stop as a server does that gets a signal."""
        self._stopping.set()

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()

    def handle(self, method: str, path: str, headers: Headers, body: bytes) -> asyncio.Future[Reply]:
        """Serve a request; `ConnectionError` if the server is killed meanwhile."""
        assert self.process is not None
        answer: asyncio.Future[Reply] = self._cluster.scheduler.create_future()
        task = self.process.spawn(self._serve(method, path, headers, body))
        life = self.life
        self._requests += 1

        def done(task: asyncio.Task[Reply]) -> None:
            if self.life == life:
                self._requests -= 1
            if answer.done():
                return
            if task.cancelled() or task.exception() is not None:
                if not task.cancelled():
                    self._cluster.problems.append(f"{method} {path}: {task.exception()!r}")
                answer.set_exception(ConnectionResetError())
                answer.exception()  # it may be that no one waits for it
            else:
                answer.set_result(task.result())

        task.add_done_callback(done)
        return answer

    async def _serve(self, method: str, path: str, headers: Headers, body: bytes) -> Reply:
        plain, _, query = path.partition("?")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(plain),
            "raw_path": plain.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(b"host", b"league"), *((n.encode(), v.encode()) for n, v in headers if n != "host")],
            "client": ("10.0.0.1", 1),
            "server": ("league", 80),
        }
        start: dict[str, Any] = {}
        parts: list[bytes] = []
        waiting = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Any:
            if waiting:
                return waiting.pop()
            await asyncio.Event().wait()  # the client stays connected

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
            else:
                parts.append(message.get("body", b""))

        await self.app(scope, receive, send)
        return Reply(start["status"], start["headers"], b"".join(parts), self)


def _observed(session: Session, job: Job, *, now: datetime) -> Any:
    """Note the move of a job, then do what follows from it."""
    session.info.setdefault(MOVES, []).append((str(job.id), job.status.value, job.attempts))
    return outcomes.job_changed(session, job, now=now)


class Observer:
    """Sees the moves of jobs, and errors in logs."""

    def __init__(self, cluster: Cluster) -> None:
        self._handler = _Handler(cluster.problems)

    def __enter__(self) -> None:
        transitions._follower = _observed
        self._logger = logging.getLogger("observatory")
        self._disabled, self._propagates = logging.root.manager.disable, self._logger.propagate
        logging.disable(logging.WARNING)
        self._logger.propagate = False
        self._logger.addHandler(self._handler)

    def __exit__(self, *_: object) -> None:
        transitions._follower = outcomes.job_changed
        logging.disable(self._disabled)
        self._logger.propagate = self._propagates
        self._logger.removeHandler(self._handler)


class _Handler(logging.Handler):
    def __init__(self, problems: list[str]) -> None:
        super().__init__(logging.ERROR)
        self._problems = problems

    def emit(self, record: logging.LogRecord) -> None:
        if record.name.startswith("observatory.worker"):
            return  # a machine that fails says so
        text = record.getMessage()
        if record.exc_info and record.exc_info[1] is not None:
            text = f"{text}: {record.exc_info[1]!r}"
        self._problems.append(f"logged: {text}")
