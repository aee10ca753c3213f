"""The database and the store of a simulated server: the real ones on a disk in memory, which may be slow or fail."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from sqlalchemy import Engine, event
from sqlalchemy.orm import Session

from observatory.database import Database
from observatory.store.folder import FolderStore, Incoming
from tests.simulation.scheduler import Process, Scheduler, await_here, point

__all__ = ["Disk", "FaultyStore", "Gate", "SimulatedDatabase", "WriteLock"]

_POLL_SECONDS = 0.01


class Disk:
    """How the disk of the store behaves now."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self.failures = 0.0
        """the part of writes that fail"""

    def fails(self) -> bool:
        return self.failures > 0 and self._scheduler.chance.random() < self.failures


class WriteLock:
    """The lock that SQLite holds on a file while a transaction writes."""

    def __init__(self) -> None:
        self.holder: Gate | None = None


class Gate:
    """The gate of a server's writers. Stands for `threading.Lock`, and waits for other servers' transactions, too."""

    def __init__(self, lock: WriteLock) -> None:
        self._lock = lock

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        waited = 0.0
        while self._lock.holder is not None:
            if not blocking or 0 <= timeout <= waited:
                return False
            await_here(asyncio.sleep(_POLL_SECONDS))
            waited += _POLL_SECONDS
        self._lock.holder = self
        return True

    def release(self) -> None:
        assert self._lock.holder is self
        self._lock.holder = None


class SimulatedDatabase(Database):
    """A database whose engine is kept for the next season: it has all statements compiled."""

    engines: ClassVar[dict[str, Engine]] = {}

    def __init__(self, url: str, slot: str, lock: WriteLock, process: Process, **options: Any) -> None:
        self._slot, self._process = slot, process
        super().__init__(url, **options)
        self._gate = Gate(lock)  # type: ignore[assignment]

    def _make_engine(self) -> Engine:
        if self._slot not in self.engines:
            self.engines[self._slot] = super()._make_engine()
        return self.engines[self._slot]

    def check_file(self) -> None:
        """Every session begins here."""
        point()
        super().check_file()


def _before_commit(session: Session) -> None:
    point()


def _after_commit(session: Session) -> None:
    point()


event.listen(Session, "before_commit", _before_commit)
event.listen(Session, "after_commit", _after_commit)


class FaultyStore(FolderStore):
    """The folder of the store. Every operation may be the last one of its server; writes may fail, too."""

    disk: Disk

    @contextmanager
    def receive(self, key: str, *, once: str = "") -> Iterator[Incoming]:
        point()
        with super().receive(key, once=once) as incoming:
            yield incoming
            point()
            if self.disk.fails():
                raise OSError(errno.EIO, "The disk failed")

    def move(self, source: str, target: str) -> None:
        point()
        super().move(source, target)
        point()

    def delete(self, key: str) -> None:
        point()
        super().delete(key)

    def size(self, key: str) -> int | None:
        point(wait=False)
        return super().size(key)

    def get(self, key: str) -> bytes:
        point(wait=False)
        return super().get(key)
