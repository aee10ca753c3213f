"""Workers seen recently. Kept in memory: after a restart they call again within seconds."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta

__all__ = ["WorkersSeen"]

_RECENT = timedelta(seconds=60)
_MAX_WORKERS = 10_000


class WorkersSeen:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last: dict[str, datetime] = {}

    def record(self, name: str, now: datetime) -> None:
        with self._lock:
            self._last[name] = now
            if len(self._last) > _MAX_WORKERS:
                self._last = {name: at for name, at in self._last.items() if now - at < _RECENT}

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
