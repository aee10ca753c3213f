"""Which server processes use a database now, and who of them leads.

A server holds two advisory locks on the connection of its `database.link`: one with its own number, and one that only
the leader has. PostgreSQL releases both when the connection ends, however the process ended, so that no heartbeat and
no timeout is needed.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from sqlalchemy import Connection, delete, inspect, select, text
from sqlalchemy.orm import Session

from observatory.database.tables.servers import ServerProcess

__all__ = ["LEADER_LOCK", "SERVER_LOCK", "RunningServer", "forget_stopped", "running_servers"]

SERVER_LOCK, LEADER_LOCK = 0x0B5E0001, 0x0B5E0002
"""first numbers of the two locks; the second ones are the number of the server, and 0"""
_HELD = text(
    "SELECT objid::bigint, classid::bigint, pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2 "
    "AND classid::bigint IN (:server, :leader) "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)


@dataclass(frozen=True)
class RunningServer:
    """A server process that is connected to the database."""

    id: uuid.UUID
    url: str
    version: str
    revision: str
    is_leader: bool


def running_servers(connection: Connection | Session) -> list[RunningServer]:
    """Return the servers that are connected; none on SQLite, which has one server."""
    bind = connection.get_bind() if isinstance(connection, Session) else connection
    if bind.dialect.name != "postgresql":
        return []
    if isinstance(connection, Connection) and not inspect(connection).has_table(ServerProcess.__tablename__):
        return []  # of a release before there were several
    held = connection.execute(_HELD, {"server": SERVER_LOCK, "leader": LEADER_LOCK}).all()
    leader = {pid for _, lock, pid in held if lock == LEADER_LOCK}
    numbers = {number: pid in leader for number, lock, pid in held if lock == SERVER_LOCK}
    table = ServerProcess.__table__.c
    columns = (table.id, table.url, table.version, table.revision, table.number)
    rows = connection.execute(select(*columns).where(table.number.in_(numbers)).order_by(table.started_at)).all()
    return [RunningServer(row.id, row.url, row.version, row.revision, numbers[row.number]) for row in rows]


def forget_stopped(session: Session) -> None:
    """Delete the rows of servers that are not connected."""
    running = [server.id for server in running_servers(session)]
    session.execute(delete(ServerProcess).where(ServerProcess.id.not_in(running)))
