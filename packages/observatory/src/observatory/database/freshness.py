"""Track writes per table, so that values computed from the tables can be cached until the next write."""

from __future__ import annotations

import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, event
from sqlalchemy.orm import Session

__all__ = ["ENDED_MATCHES", "MADE_MATCHES", "Memory", "TableVersions", "remembered"]

Kept = TypeVar("Kept")
ENDED_MATCHES = "ended matches"
"""counted as if it were a table: tables of a season follow from the matches that have ended, and most changes of a
match are others"""
MADE_MATCHES = "made matches"
"""counted in the same way: how many there are does not change with what becomes of them"""
REMEMBERED_SECONDS = 5.0
"""after which a cached value is recomputed: another process may have changed the data"""
MOST_REMEMBERED = 500
MEMORY, BEGAN, VERSIONS = "memory", "began", "versions"
"""names in `Session.info`"""


class TableVersions:
    """Counts for each table the transactions of this process that have changed it.

    A cache calls `of(tables)` before it reads, and stores the result with the value: while `of(tables)` returns the
    same numbers, this process has not changed those tables.
    """

    def __init__(self, engine: Engine) -> None:
        self._lock = threading.Lock()
        self._written: set[str] = set()
        self._numbers: Counter[str] = Counter()
        self._database = 0
        event.listen(engine, "after_cursor_execute", self._saw)

    def of(self, tables: Iterable[str]) -> tuple[int, ...]:
        with self._lock:
            return self._database, *(self._numbers[table] for table in tables)

    def everything(self) -> Mapping[str, int]:
        """Return the numbers of all tables, as they are now."""
        with self._lock:
            return {"": self._database, **self._numbers}

    def forget(self) -> None:
        """Invalidate all tables: the database was replaced."""
        with self._lock:
            self._database += 1

    def begin(self) -> None:
        """A transaction that writes begins; there is one at a time."""
        self._written = set()

    def committed(self) -> None:
        """Count the tables that the committed transaction has written."""
        with self._lock:
            self._numbers.update(self._written)

    def _saw(
        self, connection: Connection, cursor: Any, statement: str, parameters: Any, context: Any, executemany: bool
    ) -> None:
        if context is None or not (context.isinsert or context.isupdate or context.isdelete):
            return
        table = context.compiled.statement.table.name
        self._written.add(table)
        if table == "matches":
            if context.isinsert or context.isdelete:
                self._written.add(MADE_MATCHES)
            if context.isdelete or _ends_a_match(context.compiled_parameters):
                self._written.add(ENDED_MATCHES)


def _ends_a_match(parameters: Sequence[Mapping[str, Any]]) -> bool:
    return any(row.get("completed_order") is not None for row in parameters)


class Memory:
    """The in-memory cache of one database, for sessions that only read: those that write may be rolled back."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._things: dict[type, Any] = {}

    @staticmethod
    def of(session: Session) -> Memory | None:
        """That of the session's database; None for a session that writes."""
        return session.info.get(MEMORY)

    @staticmethod
    def versions_seen(session: Session, tables: Iterable[str]) -> tuple[int, ...]:
        """Return `TableVersions.of` as of the session's start: the session reads data at least as new."""
        numbers: Mapping[str, int] = session.info[VERSIONS]
        return numbers[""], *(numbers.get(table, 0) for table in tables)

    @staticmethod
    def began(session: Session) -> int:
        """Return when the session began, in nanoseconds: it sees all data committed by then."""
        return int(session.info[BEGAN])

    def forget(self) -> None:
        """Drop all cached values: an immutable row was edited."""
        with self._lock:
            self._things.clear()

    def get(self, kind: type[Kept]) -> Kept:
        """Return the cache of this type, created on the first use."""
        with self._lock:
            if kind not in self._things:
                self._things[kind] = kind()
            kept: Kept = self._things[kind]
            return kept


def remembered(session: Session, key: Hashable, tables: Sequence[str], make: Callable[[], Kept]) -> Kept:
    """Return what `make` reads from these tables, cached until this process changes one of them.

    A session that writes always calls `make`. Threads share the returned value: change it only in thread-safe ways.
    """
    memory = Memory.of(session)
    if memory is None:
        return make()
    versions = Memory.versions_seen(session, tables)
    things = memory.get(_Remembered)
    found = things.find(key, versions)
    if found is None:
        found = make(), versions, time.monotonic() + REMEMBERED_SECONDS
        things.keep(key, found)
    thing: Kept = found[0]
    return thing


class _Remembered:
    """Cached values with their table versions and expiry; the least recently used are evicted first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._things: OrderedDict[Hashable, tuple[Any, tuple[int, ...], float]] = OrderedDict()

    def find(self, key: Hashable, versions: tuple[int, ...]) -> tuple[Any, tuple[int, ...], float] | None:
        with self._lock:
            found = self._things.get(key)
            if found is None or found[1] != versions or time.monotonic() > found[2]:
                return None
            self._things.move_to_end(key)
            return found

    def keep(self, key: Hashable, thing: tuple[Any, tuple[int, ...], float]) -> None:
        with self._lock:
            self._things[key] = thing
            self._things.move_to_end(key)
            while len(self._things) > MOST_REMEMBERED:
                self._things.popitem(last=False)
