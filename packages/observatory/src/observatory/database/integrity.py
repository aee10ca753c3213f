"""Check the integrity of the database: read every page and row, and follow every reference."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

import observatory.database.tables  # noqa: F401 - completes the metadata
from observatory.database.base import Base
from observatory.database.engine import Database

__all__ = ["clock_problem", "integrity_problems"]

_TOLERANCE = timedelta(minutes=5)


def integrity_problems(database: Database, *, limit: int = 5) -> list[str]:
    """Return a sentence for each problem, at most this many; empty for an intact database."""
    with database.engine.connect() as connection:
        return list(islice(_problems(connection, database), limit))


def _problems(connection: sa.Connection, database: Database) -> Iterator[str]:
    if database.is_sqlite:
        try:
            for (line,) in connection.exec_driver_sql("PRAGMA integrity_check(20)"):
                if line != "ok":
                    yield str(line).strip().replace("\n", "; ")
        except DBAPIError as problem:
            yield f"the file cannot be read: {problem.orig}"
            return
    for table in Base.metadata.sorted_tables:
        try:
            _read_all(connection, table, database)
            for reference in table.foreign_keys:
                count = _orphans(connection, table, reference)
                if count:
                    where = f"{table.name}.{reference.parent.name}"
                    yield f"{count} rows of {where} name a row of {reference.column.table.name} that is missing"
        except DBAPIError as problem:
            connection.rollback()
            yield f"the table {table.name} cannot be read: {str(problem.orig).splitlines()[0]}"


def _read_all(connection: sa.Connection, table: sa.Table, database: Database) -> None:
    """Read every value of a table. SQLite's own check has done that."""
    if not database.is_sqlite:
        connection.exec_driver_sql(f'SELECT sum(length(t::text)) FROM "{table.name}" AS t').one()


def _orphans(connection: sa.Connection, table: sa.Table, reference: sa.ForeignKey) -> int:
    parent = reference.column.table.alias("parent")
    has_parent = sa.exists().where(parent.c[reference.column.name] == reference.parent)
    statement = sa.select(sa.func.count()).select_from(table).where(reference.parent.is_not(None), ~has_parent)
    return int(connection.scalar(statement) or 0)


def clock_problem(database: Database, now: datetime) -> str | None:
    """Return a sentence when the database has rows from the future: the clock of this machine was set back."""
    newest: datetime | None = None
    with database.engine.connect() as connection:
        for table in Base.metadata.sorted_tables:
            if "created_at" in table.c:
                latest = connection.scalar(sa.select(sa.func.max(table.c.created_at)))
                newest = latest if newest is None or (latest is not None and latest > newest) else newest
    if newest is None or newest <= now + _TOLERANCE:
        return None
    return (
        f"The clock says {now:%Y-%m-%d %H:%M} UTC, and the database has rows of {newest:%Y-%m-%d %H:%M} UTC: set the "
        "clock; until then expired tokens count as good and leases do not end"
    )
