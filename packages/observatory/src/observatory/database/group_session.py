"""The session of PostgreSQL by which a server belongs to the group of servers on one database: locks and notifications.

PostgreSQL releases the locks of a session and stops its notifications when the connection ends. Each method raises when
the connection is lost.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version

from sqlalchemy import Connection, insert, text

from observatory.database.engine import CHANNEL, Database
from observatory.database.migrate import check_supported, latest_revision
from observatory.database.presence import LEADER_LOCK, SERVER_LOCK
from observatory.database.tables.servers import ServerProcess

__all__ = ["GroupSession", "open_group_session"]

KEEPALIVE = {"keepalives": 1, "keepalives_idle": 5, "keepalives_interval": 2, "keepalives_count": 3}
"""a machine that disappears is noticed after eleven seconds, by its peers, too"""


class GroupSession:
    """A session that is open."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def join(self, number: int, server_id: uuid.UUID, url: str) -> None:
        """Hold the lock of this server, receive notifications from now on, and announce the server."""
        connection = self._connection
        check_supported(connection)
        lock = {"lock": SERVER_LOCK, "number": number}
        connection.execute(text("SELECT pg_advisory_lock(:lock, :number)"), lock)
        connection.execute(text(f"LISTEN {CHANNEL}"))
        connection.execute(text("DELETE FROM server_processes WHERE id = :id"), {"id": server_id})
        connection.execute(
            insert(ServerProcess).values(
                id=server_id,
                number=number,
                url=url,
                version=version("observatory"),
                revision=latest_revision(),
                started_at=datetime.now(UTC),
            )
        )

    def try_to_lead(self) -> bool:
        """Return whether this session got the lock of the leader."""
        return bool(self._connection.scalar(text("SELECT pg_try_advisory_lock(:lock, 0)"), {"lock": LEADER_LOCK}))

    def check(self) -> None:
        """Raise if the connection, and the locks with it, is lost."""
        self._connection.execute(text("SELECT 1"))

    def notifications(self, seconds: float) -> Iterator[str]:
        """Yield the notifications that come first, or none within some seconds."""
        driver = self._connection.connection.driver_connection
        assert driver is not None
        for notification in driver.notifies(timeout=seconds, stop_after=1):
            yield notification.payload


@contextmanager
def open_group_session(database: Database) -> Iterator[GroupSession]:
    """Open a session outside the pool; it ends with the block."""
    with database.connect_alone(KEEPALIVE) as connection:
        yield GroupSession(connection)
