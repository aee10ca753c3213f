"""Durations of the worker's phases, for `WORKER_TIMINGS_URI`."""

import contextlib
import time
from collections.abc import Iterator
from datetime import UTC, datetime


class Timings:
    """Phases in the order in which they began."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._started_at = datetime.now(UTC)
        self._phases: list[dict[str, object]] = []

    @contextlib.contextmanager
    def phase(self, name: str) -> Iterator[None]:
        began = time.monotonic()
        entry: dict[str, object] = {"name": name, "begin_seconds": round(began - self._began, 3), "seconds": None}
        self._phases.append(entry)
        try:
            yield
        finally:
            entry["seconds"] = round(time.monotonic() - began, 3)

    def document(self) -> dict[str, object]:
        return {"schema_version": "1", "started_at": self._started_at.isoformat(), "phases": self._phases}
