"""The database and the store of a simulated server: the real ones on a disk in memory, which may be slow or fail."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

from sqlalchemy import Engine, event
from sqlalchemy.orm import Session

from observatory.database import Database
from observatory.store.folder import FolderStore, Incoming
from tests.simulation.scheduler import Scheduler, await_here, point

if TYPE_CHECKING:
    from tests.simulation.servers import Cluster

__all__ = ["MOVES", "Disk", "FaultyStore", "Gate", "SimulatedDatabase", "WriteLock"]

_POLL_SECONDS = 0.01
MOVES = "simulated_moves"
"""of jobs in a session: job, state, attempt"""
_NOTIFICATIONS = "simulated_notifications"
_NUMBER = "simulated_number"
_CLUSTER = "simulated_cluster"


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

    def __init__(self, url: str, server_name: str, cluster: Cluster, *, has_peers: bool) -> None:
        self.server_name, self._cluster = server_name, cluster
        super().__init__(url)
        self.has_peers = has_peers
        self._gate = Gate(cluster.lock)  # type: ignore[assignment]

    def _make_engine(self) -> Engine:
        if self.server_name not in self.engines:
            self.engines[self.server_name] = super()._make_engine()
        return self.engines[self.server_name]

    def check_file(self) -> None:
        """Every session begins here."""
        point()
        super().check_file()

    def _write_session(self) -> Session:
        session = super()._write_session()
        session.info[_CLUSTER] = self._cluster
        return session

    def _notify(self, transaction: Any, payload: str) -> int:
        """Add the number of the transaction, as PostgreSQL does."""
        number: int = transaction.info.get(_NUMBER) or self._cluster.next_number()
        transaction.info[_NUMBER] = number
        transaction.info.setdefault(_NOTIFICATIONS, []).append(f'{payload[:-1]},"number":{number}}}')
        return number

    def close(self) -> None:
        """Keep the connections: the next process of this server uses them."""


def _before_commit(session: Session) -> None:
    if _CLUSTER in session.info:
        point()


def _after_commit(session: Session) -> None:
    cluster: Cluster | None = session.info.get(_CLUSTER)
    if cluster is not None:
        cluster.committed(session.info.pop(MOVES, ()), session.info.pop(_NOTIFICATIONS, ()))
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
