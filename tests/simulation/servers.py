"""Servers of one league: the real application and its loops, on one database and one store. Any may be killed."""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from fastapi import FastAPI
from sqlalchemy import event
from sqlalchemy.orm import Session

from observatory import outcomes
from observatory.app import create_app, open_state
from observatory.database.tables.jobs import Job
from observatory.jobs import transitions
from observatory.settings import Settings
from tests.simulation.network import Headers, Reply
from tests.simulation.scheduler import EPOCH, Process, Scheduler
from tests.simulation.store import Disk, FaultyStore, SimulatedDatabase, WriteLock

__all__ = ["Cluster", "Move", "Server", "application"]

Move = tuple[float, str, str, int]
"""when a move of a job was committed, the job, its new state, and its attempt"""
_MOVES = "simulated_moves"


@functools.cache
def application(number: int, folder: Path) -> FastAPI:
    """Return an application. Making one takes long, so all servers of this number share it, one after the other."""
    return create_app(settings(folder))


def settings(folder: Path) -> Settings:
    return Settings(
        data_dir=folder,
        seed_seasons=False,
        public_url="http://league",
        lease_seconds=4.0,
        max_job_attempts=1000,  # no policy is at fault, however often machines are lost
        anonymous_rate=1e9,
        user_rate=1e9,
        max_live_watchers=0,
    )


class Cluster:
    """What servers share: files, a write lock, and the list of everything that was committed."""

    def __init__(self, scheduler: Scheduler, folder: Path) -> None:
        self.scheduler, self.folder = scheduler, folder
        self.lock = WriteLock()
        self.disk = Disk(scheduler)
        self.moves: list[Move] = []
        self.committed_at = 0.0
        self.problems: list[str] = []


class Server:
    """A place for a server; `start` and `kill` make processes in it. Loops run only while it leads."""

    def __init__(self, cluster: Cluster, number: int, loops: Sequence[str]) -> None:
        self.name = "AB"[number] if number < 2 else "C"
        self._cluster, self._number, self._loops = cluster, number, loops
        self._settings = settings(cluster.folder)
        self.app = application(number, cluster.folder)
        self.skew = 0.0
        """seconds by which its clock is wrong"""
        self.life = 0
        """how often it was started"""
        self.process: Process | None = None
        self._leading: list[asyncio.Task[Any]] = []

    @property
    def is_up(self) -> bool:
        return self.process is not None and self.process.is_alive

    def clock(self) -> datetime:
        return EPOCH + timedelta(seconds=self._cluster.scheduler.now + self.skew)

    def start(self) -> None:
        cluster = self._cluster
        self.life += 1
        self.process = Process(self.name, cluster.scheduler)
        cluster.scheduler.note("start", self.name)
        database = SimulatedDatabase(self._settings.sqlalchemy_url(), self.name, cluster.lock, self.process)
        open_state(self.app, self._settings, database, self.clock)
        store: FaultyStore = self.app.state.store
        store.__class__ = FaultyStore
        store.disk = cluster.disk

    def lead(self) -> None:
        """Begin to schedule; another server may still do so, too."""
        if self.is_up and not self._leads():
            assert self.process is not None
            self._cluster.scheduler.note("lead", self.name)
            state = self.app.state
            self._leading = [self.process.spawn(getattr(state, name).run()) for name in self._loops]

    def follow(self) -> None:
        """Stop to schedule."""
        for task in self._leading:
            task.cancel()

    def _leads(self) -> bool:
        return any(not task.done() for task in self._leading)

    @property
    def leads(self) -> bool:
        return self.is_up and self._leads()

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()

    def handle(self, method: str, path: str, headers: Headers, body: bytes) -> asyncio.Future[Reply]:
        """Serve a request; `ConnectionError` if the server is killed meanwhile."""
        assert self.process is not None
        answer: asyncio.Future[Reply] = self._cluster.scheduler.create_future()
        task = self.process.spawn(self._serve(method, path, headers, body))

        def done(task: asyncio.Task[Reply]) -> None:
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
    session.info.setdefault(_MOVES, []).append((str(job.id), job.status.value, job.attempts))
    return outcomes.job_changed(session, job, now=now)


class Observer:
    """Sees what is committed: the moves of jobs, and errors in logs."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._handler = _Handler(cluster.problems)

    def __enter__(self) -> None:
        transitions._follower = _observed
        event.listen(Session, "after_commit", self._committed)
        self._logger = logging.getLogger("observatory")
        self._disabled, self._propagates = logging.root.manager.disable, self._logger.propagate
        logging.disable(logging.WARNING)
        self._logger.propagate = False
        self._logger.addHandler(self._handler)

    def __exit__(self, *_: object) -> None:
        transitions._follower = outcomes.job_changed
        event.remove(Session, "after_commit", self._committed)
        logging.disable(self._disabled)
        self._logger.propagate = self._propagates
        self._logger.removeHandler(self._handler)

    def _committed(self, session: Session) -> None:
        scheduler = self._cluster.scheduler
        for job, state, attempt in session.info.pop(_MOVES, ()):
            scheduler.note("job", job, state, attempt)
            self._cluster.moves.append((scheduler.now, job, state, attempt))
            self._cluster.committed_at = scheduler.now


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
