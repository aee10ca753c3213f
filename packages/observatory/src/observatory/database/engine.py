"""Sessions: any number that read, one at a time that writes.

Reads run on their own connections. A write holds the process's gate for the whole of its transaction, and on the
database itself `BEGIN IMMEDIATE` (SQLite) or an advisory lock (PostgreSQL), so that the data a transaction has read
stays current until it commits, even with other processes. On PostgreSQL a transaction also notifies other servers of
what it has changed; they get the notification if and when it is committed.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import threading
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import anyio
from sqlalchemy import Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.orm import Session
from sqlalchemy.pool import NullPool

from observatory.database.cache import MAX_VALUES, Cache, SessionCache
from observatory.database.change_wire import MAX_BYTES, encode_changes
from observatory.database.threads import run_to_end
from observatory.errors import Unavailable
from observatory.events import Hub, recorded

__all__ = ["CHANNEL", "WRITE_LOCK", "Database", "DatabaseGone"]

Result = TypeVar("Result")

_WRITES = "observatory_writes"
WRITE_LOCK = 0x0B5E17A7
"""the advisory lock of all transactions that write"""
CHANNEL = "observatory"
"""of the notifications between servers"""
# Transactions that write are serial, so that their numbers have the order of their commits on all servers.
_NOTIFY = text(
    "SELECT pg_notify(:channel, left(:payload, -1) || ',\"number\":' || pg_current_xact_id()::text || '}'), "
    "pg_current_xact_id()::text::bigint"
)
_MAX_CONNECTIONS = 48  # one per thread that answers requests, and some


class DatabaseGone(Unavailable):
    """The database file is missing."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"The database {path.name} is missing; the server continues when it is back, for example from a backup"
        )


class Database:
    """One database. `read` and `transaction` are for threads and commands, the asynchronous ones for requests.

    Waiting for the gate inside a thread that serves requests could deadlock the server: the holder of the gate needs
    such a thread to finish. Code that serves requests therefore uses `session_for_request` and `write`.
    """

    def __init__(self, url: str, *, timeout_seconds: float = 15.0) -> None:
        self.url = make_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self.path = Path(self.url.database) if self.is_sqlite and self.url.database else None
        self._timeout = timeout_seconds
        self._gate = threading.Lock()
        self._file_lock = threading.Lock()
        self._file_id: tuple[int, int] | None = None
        self.changes = Hub()
        """publishes what transactions have changed"""
        self.server_id = uuid.uuid4()
        """of this process among the servers of the database"""
        self.origin = secrets.token_hex(8)
        """names this process in notifications"""
        self.has_peers = not self.is_sqlite
        """whether other servers may use the database"""
        self.is_leader = True
        """whether this process schedules; `database.link` decides it among several servers"""
        self.cache = Cache(max_entries=MAX_VALUES)
        """values that sessions have computed"""
        self.engine = self._make_engine()
        self._writing = self.engine.execution_options(**{_WRITES: True})
        # In PostgreSQL a transaction around statements that read would only cost the messages that begin and end it.
        self._reading = self.engine if self.is_sqlite else self.engine.execution_options(isolation_level="AUTOCOMMIT")

    def _make_engine(self) -> Engine:
        if not self.is_sqlite:
            engine = create_engine(
                self.url,
                hide_parameters=True,  # errors are logged
                pool_pre_ping=True,
                pool_size=10,
                max_overflow=_MAX_CONNECTIONS - 10,
                pool_timeout=self._timeout,
                connect_args=self._connect_arguments(),
            )
            event.listen(engine, "begin", self._begin_postgres)
            return engine
        engine = create_engine(
            self.url,
            hide_parameters=True,
            pool_size=_MAX_CONNECTIONS,
            pool_timeout=self._timeout,
            connect_args={"check_same_thread": False, "timeout": self._timeout},
        )
        event.listen(engine, "do_connect", self._make_file)
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", self._begin_sqlite)
        return engine

    @contextmanager
    def read(self, *, in_transaction: bool = False) -> Iterator[Session]:
        """A session that changes nothing. It sees one state of SQLite; in PostgreSQL each statement sees the newest.

        In PostgreSQL, locks and statements with `yield_per` need a transaction.
        """
        self.check_file()
        info = SessionCache(self.changes, self.cache).info()
        with Session(self.engine if in_transaction else self._reading, expire_on_commit=False, info=info) as session:
            yield session

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """A session that is committed at the end, or rolled back on any exception."""
        self._wait_for_gate()
        try:
            with self._write_session() as session:
                yield session
                self._commit(session)
        finally:
            self._gate.release()

    @contextmanager
    def migration(self) -> Iterator[Connection]:
        """Open a transaction for schema changes. Foreign keys are checked at its end, so it may recreate tables."""
        self._wait_for_gate()
        try:
            with self._writing.connect() as connection:
                if self.is_sqlite:
                    connection.connection.execute("PRAGMA foreign_keys=OFF")  # means nothing once it has begun
                with connection.begin():
                    yield connection
                    if self.is_sqlite and connection.exec_driver_sql("PRAGMA foreign_key_check").first() is not None:
                        raise RuntimeError("A migration has broken a foreign key; nothing was changed")
                connection.invalidate()
        finally:
            self._gate.release()

    @asynccontextmanager
    async def session_for_request(self, *, writes: bool) -> AsyncIterator[Session]:
        """The transaction of one request; statements themselves are run in threads by its endpoints."""
        if not writes:
            with self.read() as session:
                try:
                    yield session
                finally:
                    await run_to_end(session.close)
            return
        async with self._gate_held():
            with self._write_session() as session:
                try:
                    yield session
                    await run_to_end(partial(self._commit, session))
                finally:
                    with anyio.CancelScope(shield=True):
                        await run_to_end(session.close)

    async def write(self, function: Callable[[Session], Result]) -> Result:
        """Run a function in a thread, in a separate transaction."""
        async with self.session_for_request(writes=True) as session:
            return await run_to_end(partial(function, session))

    async def query(self, function: Callable[[Session], Result]) -> Result:
        """Run a function that only reads in a thread."""
        async with self.session_for_request(writes=False) as session:
            return await run_to_end(partial(function, session))

    def notify(self, message: dict[str, Any]) -> None:
        """Send a message to all other servers now; there are none on SQLite."""
        if not self.has_peers:
            return
        payload = json.dumps({"from": self.origin, **message}, separators=(",", ":"))
        assert len(payload) <= MAX_BYTES
        with self.engine.connect() as connection, connection.begin():
            self._notify(connection, payload)

    @contextmanager
    def connect_alone(self, options: dict[str, Any]) -> Iterator[Connection]:
        """Open a connection outside the pool, for a server's own session; each statement is a transaction."""
        arguments = self._connect_arguments() | options
        arguments["options"] += " -c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3"
        engine = create_engine(self.url, hide_parameters=True, poolclass=NullPool, connect_args=arguments)
        try:
            with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                yield connection
        finally:
            engine.dispose()

    def _connect_arguments(self) -> dict[str, Any]:
        return {
            "connect_timeout": max(2, int(self._timeout)),
            "options": f"-c timezone=UTC -c lock_timeout={int(self._timeout * 1000)}",
        }

    def close(self) -> None:
        self.engine.dispose()

    def check_file(self) -> None:
        """Raise `DatabaseGone` when the file is missing; switch to another file that replaced it.

        SQLite itself would continue to read and write the deleted file.
        """
        if self.path is None:
            return
        try:
            status = self.path.stat()
        except FileNotFoundError:
            if self._file_id is None:
                return  # the first start makes it
            raise DatabaseGone(self.path) from None
        with self._file_lock:
            file_id = (status.st_dev, status.st_ino)
            if self._file_id not in (None, file_id):
                self.engine.dispose()
                self.changes.invalidate()
            self._file_id = file_id

    def _make_file(self, *_: Any) -> None:
        """Create the file with mode 0600: SQLite would make it world-readable. The files beside it inherit the mode."""
        if self.path is not None:
            with contextlib.suppress(OSError):  # there already, or SQLite will say why not
                os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))

    def _write_session(self) -> Session:
        self.check_file()
        return Session(self._writing, expire_on_commit=False)

    def _commit(self, session: Session) -> None:
        number = 0
        if self.has_peers:
            for payload in encode_changes(recorded(session), self.origin):
                number = self._notify(session, payload) or 0
        session.commit()
        self.changes.committed(session, number)

    def _notify(self, transaction: Session | Connection, payload: str) -> int | None:
        """Send a notification if and when the transaction is committed; return the number of the transaction."""
        return int(transaction.execute(_NOTIFY, {"channel": CHANNEL, "payload": payload}).one()[1])

    def _wait_for_gate(self) -> None:
        if not self._gate.acquire(timeout=self._timeout):
            raise Unavailable("The database is busy; try again in a moment")

    @asynccontextmanager
    async def _gate_held(self) -> AsyncIterator[None]:
        """As `_wait_for_gate`, with one thread for all who wait."""
        if not self._gate.acquire(blocking=False):
            await self._wait_in_line()
        try:
            yield
        finally:
            self._gate.release()

    async def _wait_in_line(self) -> None:
        try:
            with anyio.fail_after(self._timeout):
                async with self._line():
                    await self._wait_in_thread()
        except TimeoutError:
            raise Unavailable("The database is busy; try again in a moment") from None

    async def _wait_in_thread(self) -> None:
        """Wait for the gate, which is not left locked if the task is cancelled meanwhile."""
        is_held = False

        def wait() -> None:
            nonlocal is_held
            self._wait_for_gate()
            is_held = True

        try:
            with anyio.CancelScope(shield=True):
                await run_to_end(wait, limiter=anyio.CapacityLimiter(1))
        except asyncio.CancelledError:
            if is_held:
                self._gate.release()
            raise

    def _line(self) -> anyio.Lock:
        """Return the lock of the running event loop, created on its first use."""
        loop = anyio.lowlevel.current_token()
        cached: tuple[Any, anyio.Lock] | None = getattr(self, "_line_of_loop", None)
        if cached is None or cached[0] != loop:
            cached = (loop, anyio.Lock())
            self._line_of_loop = cached
        return cached[1]

    @staticmethod
    def _begin_postgres(connection: Connection) -> None:
        if connection.get_execution_options().get(_WRITES):
            connection.execute(text(f"SELECT pg_advisory_xact_lock({WRITE_LOCK})"))

    @staticmethod
    def _begin_sqlite(connection: Connection) -> None:
        writes = connection.get_execution_options().get(_WRITES)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # transactions are begun by `_begin_sqlite`, not by the driver
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", "temp_store=MEMORY"):
        connection.execute(f"PRAGMA {pragma}").close()
