"""One cache: values by key, each stale as soon as a kind of data that it depends on has changed.

Services report changes with `events.note`; the hub counts them by kind. A value is stored with the versions of its
dependencies from before it was computed. It is fresh while the versions are the same, and for a few seconds at most:
another process may write to the same database, and its changes are not counted here.
"""

from __future__ import annotations

import math
import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy.orm import Session

from observatory.events import OF_DIVISIONS, ChangeKind, Dependency, Hub, Versions, versions_in

__all__ = ["FRESH_SECONDS", "Cache", "Entry", "SessionCache", "cached_value", "of_division", "show_division"]

Value = TypeVar("Value")
FRESH_SECONDS = 5.0
"""after which a value is computed again even without a change"""
MAX_VALUES = 500
_SESSION_CACHE = "observatory_cache"


@dataclass(slots=True)
class Entry:
    """A cached value."""

    value: Any
    dependencies: tuple[Dependency, ...]
    versions: Versions
    """of the dependencies, before the value was computed"""
    confirmed_at: float
    """when it was last known to be fresh"""
    expires_at: float
    size: int


class Cache:
    """Values by key; evicts the least recently used. Safe to use from any thread."""

    def __init__(self, *, max_entries: int, max_bytes: float = math.inf) -> None:
        self._lock = threading.Lock()
        self._entries: OrderedDict[Hashable, Entry] = OrderedDict()
        self._max_entries, self._max_bytes = max_entries, max_bytes
        self._bytes = 0

    def get(self, key: Hashable) -> Entry | None:
        """Return the entry of a key, fresh or stale."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is not None:
                self._entries.move_to_end(key)
            return entry

    def fresh(self, key: Hashable, versions: Callable[[Iterable[Dependency]], Versions]) -> Entry | None:
        """Return the entry of a key if it is fresh; `versions` returns the current ones."""
        entry, now = self.get(key), time.monotonic()
        if entry is None or now > entry.expires_at or entry.versions != versions(entry.dependencies):
            return None
        entry.confirmed_at = now
        return entry

    def put(
        self,
        key: Hashable,
        value: Any,
        dependencies: Iterable[Dependency],
        versions: Versions,
        *,
        began: float | None = None,
        seconds: float = FRESH_SECONDS,
        size: int = 0,
    ) -> Entry:
        """Store a value. `versions` are those of its dependencies at `began`, before it was computed."""
        began = time.monotonic() if began is None else began
        entry = Entry(value, tuple(dependencies), versions, began, began + seconds, size)
        with self._lock:
            self._store(key, entry)
        return entry

    def setdefault(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a key, made on its first use. It is never stale: the caller keeps it up to date."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                entry = Entry(make(), (), (), time.monotonic(), math.inf, 0)
                self._store(key, entry)
            self._entries.move_to_end(key)
            value: Value = entry.value
            return value

    def invalidate(self, key: Hashable | None = None) -> None:
        """Remove the entry of a key, or all entries."""
        with self._lock:
            for old in list(self._entries) if key is None else [key]:
                self._remove(old)

    def _store(self, key: Hashable, entry: Entry) -> None:
        self._remove(key)
        self._entries[key] = entry
        self._bytes += entry.size
        while len(self._entries) > self._max_entries or self._bytes > self._max_bytes:
            self._remove(next(iter(self._entries)))

    def _remove(self, key: Hashable) -> None:
        old = self._entries.pop(key, None)
        if old is not None:
            self._bytes -= old.size


class SessionCache:
    """The values that sessions of one database share. Only sessions that read have it: others may be rolled back."""

    def __init__(self, hub: Hub, cache: Cache) -> None:
        self.cache = cache
        self.began = time.monotonic_ns()
        """when the session began: it sees all data committed by then"""
        self.division: uuid.UUID | None = None
        """the only one whose rounds the session's result shows"""
        self._versions = hub.all_versions()

    @staticmethod
    def of(session: Session) -> SessionCache | None:
        """Return the cache of a session; None for a session that writes."""
        return session.info.get(_SESSION_CACHE)

    def info(self) -> dict[str, Any]:
        """Return the `info` of a session with this cache."""
        return {_SESSION_CACHE: self}

    def versions(self, dependencies: Iterable[Dependency]) -> Versions:
        """Return the versions as of the session's start: the session reads data at least as new."""
        return versions_in(self._versions, dependencies)


def cached_value(
    session: Session, key: Hashable, dependencies: Sequence[Dependency], compute: Callable[[], Value]
) -> Value:
    """Return what `compute` reads, cached until a dependency changes.

    A session that writes always computes. Threads share the returned value: change it only in thread-safe ways.
    """
    shared = SessionCache.of(session)
    if shared is None:
        return compute()
    entry = shared.cache.fresh(key, shared.versions)
    if entry is None:
        entry = shared.cache.put(key, compute(), dependencies, shared.versions(dependencies))
    value: Value = entry.value
    return value


def show_division(session: Session, division_id: uuid.UUID) -> None:
    """Declare that the response shows rounds, state and table of this division only, not those of any other."""
    shared = SessionCache.of(session)
    if shared is not None:
        shared.division = division_id


def of_division(dependencies: Iterable[ChangeKind], division_id: uuid.UUID | None) -> tuple[Dependency, ...]:
    """Limit those of the dependencies to a division that are counted by division; None leaves them as they are."""
    if division_id is None:
        return tuple(dependencies)
    return tuple((kind, division_id) if kind in OF_DIVISIONS else kind for kind in dependencies)
