"""Exchange the levels of rate limits with other servers through the database, which also keeps them over a restart.

Each server checks requests against its own buckets and writes nothing for a request. Once a second it subtracts what
its callers have used from the level in the database, and adopts the result; only callers who have used half of their
burst are written, and those who try to sign in. A caller of N servers can therefore make N bursts at most before the
servers know of each other; the calls beyond one burst are subtracted from what the caller may do next, so that the rate
over a longer time is the same as with one server.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping

import anyio
import anyio.to_thread
from sqlalchemy import Connection, text
from sqlalchemy.exc import SQLAlchemyError

from observatory.database import Database
from observatory.errors import ObservatoryError
from observatory.http.limits import Buckets

__all__ = ["SharedRates"]

logger = logging.getLogger(__name__)

EXCHANGE_SECONDS = 1.0
KEEP_SECONDS = 3600.0
"""a bucket is full again after much less"""
_ELAPSED = "CASE WHEN {now} > rate_levels.updated_at THEN {now} - rate_levels.updated_at ELSE 0 END"
_FILLED = f"rate_levels.level + ({_ELAPSED}) * :rate"
_LEFT = f"(CASE WHEN {_FILLED} > :burst THEN :burst ELSE {_FILLED} END) - :calls"
_TAKE = (
    "INSERT INTO rate_levels (limiter, caller, level, updated_at) VALUES (:limiter, :caller, :burst - :calls, {now}) "
    "ON CONFLICT (limiter, caller) DO UPDATE SET updated_at = {now}, "
    f"level = CASE WHEN {_LEFT} < -:burst THEN -:burst ELSE {_LEFT} END RETURNING level"
)
_READ = "SELECT limiter, caller, level, {now} - updated_at FROM rate_levels WHERE updated_at > :since"
_DELETE = "DELETE FROM rate_levels WHERE updated_at < {now} - :seconds"


class SharedRates:
    """Shares the buckets of some limiters, by their names. `always` are those whose every call is shared."""

    def __init__(self, database: Database, limiters: Mapping[str, Buckets], *, always: frozenset[str]) -> None:
        self._database, self._limiters, self._always = database, limiters, always
        self._read_until = 0.0
        self._deleted_at = time.monotonic()

    async def run(self) -> None:
        """Exchange until cancelled, and once more at the end."""
        threads = anyio.CapacityLimiter(1)  # a separate limiter: the thread may have to wait for the write gate
        try:
            while True:
                try:
                    await anyio.to_thread.run_sync(self.exchange, limiter=threads)
                except (ObservatoryError, SQLAlchemyError, OSError) as problem:
                    logger.warning("Rate limits could not be exchanged: %s", str(problem).partition("\n")[0])
                await anyio.sleep(EXCHANGE_SECONDS)
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(self._try_last, limiter=threads)

    def exchange(self) -> None:
        """Write what callers of this server have used, and adopt what they have used at others."""
        used = [
            (name, caller, calls)
            for name, buckets in self._limiters.items()
            for caller, calls in buckets.take_unshared(below=1.0 if name in self._always else 0.5).items()
        ]
        is_time_to_delete = time.monotonic() - self._deleted_at > KEEP_SECONDS
        if not used and not is_time_to_delete and self._database.is_sqlite and self._read_until:
            return
        try:
            if self._database.is_sqlite:
                with self._database.transaction() as session:
                    self._exchange(session.connection(), sorted(used), delete=is_time_to_delete)
            else:
                # Not in the order of all writes: nothing else depends on these rows.
                with self._database.engine.connect() as connection, connection.begin():
                    self._exchange(connection, sorted(used), delete=is_time_to_delete)
        except BaseException:
            for name, caller, calls in used:
                self._limiters[name].put_back(caller, calls)
            raise

    def _exchange(self, connection: Connection, used: list[tuple[str, str, int]], *, delete: bool) -> None:
        clock = "CAST(:now AS FLOAT)" if self._database.is_sqlite else "extract(epoch FROM clock_timestamp())::float8"

        def statement(template: str) -> str:
            return template.replace("{now}", clock)

        now = {"now": time.time()} if self._database.is_sqlite else {}
        until = float(connection.scalar(text(f"SELECT {clock}"), now) or 0.0)
        for name, caller, calls in used:
            buckets = self._limiters[name]
            values = {"limiter": name, "caller": caller, "calls": calls, "burst": buckets.burst, "rate": buckets.rate}
            level = connection.scalar(text(statement(_TAKE)), values | now)
            buckets.set_level(caller, float(level))
        mine = {(name, caller) for name, caller, _ in used}
        since = {"since": self._read_until or until - KEEP_SECONDS}
        for name, caller, level, age in connection.execute(text(statement(_READ)), since | now).all():
            if (name, caller) not in mine and name in self._limiters:
                buckets = self._limiters[name]
                buckets.set_level(caller, level + max(0.0, age) * buckets.rate)
        # Rows of transactions that began before and end later must not be missed.
        self._read_until = until - 2 * EXCHANGE_SECONDS
        if delete:
            connection.execute(text(statement(_DELETE)), {"seconds": KEEP_SECONDS} | now)
            self._deleted_at = time.monotonic()

    def _try_last(self) -> None:
        try:
            self.exchange()
        except (ObservatoryError, SQLAlchemyError, OSError) as problem:
            logger.warning("Rate limits could not be stored: %s", str(problem).partition("\n")[0])
