"""Insert rows by the million: prepared tuples for SQLite, COPY for PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import inspect, text
from sqlalchemy.orm import Session

__all__ = ["BulkInsert", "prepare"]

Rows = Sequence[Mapping[str, Any]]


def prepare(session: Session) -> None:
    """Give SQLite room for the pages of the indexes; 2 MB are far too few for a million rows."""
    if session.get_bind().dialect.name == "sqlite":
        session.execute(text("PRAGMA cache_size=-2000000"))


class BulkInsert:
    """Inserts rows of one table, which all have the same attributes."""

    def __init__(self, session: Session, model: type[Any]) -> None:
        self._session, self._table, self._attributes = session, model.__table__, inspect(model).columns
        self._columns: list[tuple[str, Callable[[Any], Any] | None]] = []
        self._defaults: dict[str, Any] = {}

    def insert(self, rows: Rows) -> None:
        connection = self._session.connection()
        dialect = connection.dialect
        if not self._columns:
            missing = [(name, column) for name, column in self._attributes.items() if name not in rows[0]]
            self._defaults = {name: column.default.arg for name, column in missing if column.default is not None}
            names = [*rows[0], *self._defaults]
            types = [(name, self._attributes[name].type.dialect_impl(dialect)) for name in names]
            self._columns = [(name, kind.bind_processor(dialect)) for name, kind in types]
        values = [
            tuple(
                full[name] if process is None or full[name] is None else process(full[name])
                for name, process in self._columns
            )
            for full in ({**self._defaults, **row} for row in rows)
        ]
        names = ", ".join(f'"{self._attributes[name].name}"' for name, _ in self._columns)
        cursor = connection.connection.cursor()
        try:
            if dialect.name == "sqlite":
                places = ", ".join("?" for _ in self._columns)
                cursor.executemany(f"INSERT INTO {self._table.name} ({names}) VALUES ({places})", values)
                return
            with cursor.copy(f"COPY {self._table.name} ({names}) FROM STDIN") as copy:
                for row in values:
                    copy.write_row(row)
        finally:
            cursor.close()
