"""Workers seen recently. Kept in memory: after a restart they call again within seconds."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import datetime, timedelta

__all__ = ["WorkersSeen"]

_RECENT = timedelta(seconds=60)
_MAX_WORKERS = 10_000


class WorkersSeen:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last: dict[str, datetime] = {}
        self._labels: dict[str, tuple[str, ...]] = {}

    def record(self, name: str, now: datetime, labels: Sequence[str] | None = None) -> None:
        with self._lock:
            self._last[name] = now
            if labels is not None:
                self._labels[name] = tuple(labels)
            if len(self._last) > _MAX_WORKERS:
                self._last = {name: at for name, at in self._last.items() if now - at < _RECENT}
                self._labels = {name: labels for name, labels in self._labels.items() if name in self._last}

    def labels(self, name: str) -> tuple[str, ...]:
        """Return the labels that a worker sent with its last request for a job."""
        with self._lock:
            return self._labels.get(name, ())

    def count(self, now: datetime) -> int:
        return len(self.recent(now))

    def recent(self, now: datetime) -> dict[str, datetime]:
        """Return when each worker of the last minute was last seen."""
        with self._lock:
            return {name: at for name, at in self._last.items() if now - at < _RECENT}

    def last_seen(self) -> dict[str, datetime]:
        """Return when each worker was last seen, by name."""
        with self._lock:
            return dict(self._last)
