"""Workers that have called recently, as all servers on the database see them.

A row is written when a worker reports something new, or when its row is older than `WRITE_SECONDS`: most calls of a
worker write nothing.
"""

from __future__ import annotations

import math
import threading
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from observatory.database import Database
from observatory.database.tables.administration import DrainedWorker
from observatory.database.tables.jobs import Job
from observatory.database.tables.workers import ConnectedWorker
from observatory.job_states import IN_WORK
from observatory.jobs.labels import fits

__all__ = ["WorkerReport", "WorkersSeen", "can_play", "count", "forget_old", "recent", "suggested_wait", "taking_jobs"]

WRITE_SECONDS = 15.0
RECENT = timedelta(seconds=60)
KEPT = timedelta(days=1)
_MAX_WORKERS = 10_000
_WORKERS_PER_SECOND = 20.0
_LONGEST_WAIT = 30


@dataclass(frozen=True)
class WorkerReport:
    """What a worker says about itself when it asks for a job."""

    name: str
    labels: tuple[str, ...] = ()
    cpus: int | None = None
    gpus: int | None = None
    memory_mb: int | None = None
    unable: str | None = None
    token_id: uuid.UUID | None = None


@dataclass
class WorkersSeen:
    """Decides when a call of a worker is written to the database. Each server process has one."""

    _lock: threading.Lock = field(default_factory=threading.Lock)
    _written: dict[str, tuple[datetime, WorkerReport | None]] = field(default_factory=dict)

    def is_due(self, name: str, now: datetime, report: WorkerReport | None = None) -> bool:
        """Return whether the row of a worker is old, or says something else than this report."""
        with self._lock:
            at, last = self._written.get(name, (None, None))
        if at is None or abs((now - at).total_seconds()) >= WRITE_SECONDS:
            return True
        return report is not None and report != last

    def write(self, session: Session, name: str, now: datetime, report: WorkerReport | None = None) -> None:
        """Store that a worker was seen, with its report if it sent one."""
        row = session.get(ConnectedWorker, name)
        if row is None:
            row = ConnectedWorker(name=name, labels=[])
            session.add(row)
        row.last_seen_at = now
        if report is not None:
            row.labels, row.unable, row.token_id = list(report.labels), report.unable, report.token_id
            row.cpus, row.gpus, row.memory_mb = report.cpus, report.gpus, report.memory_mb
        with self._lock:
            if len(self._written) > _MAX_WORKERS:
                self._written.clear()
            last = self._written.get(name, (now, None))[1]
            self._written[name] = (now, last if report is None else report)


def recent(session: Session, now: datetime) -> dict[str, ConnectedWorker]:
    """Return the workers of the last minute, by name."""
    rows = session.scalars(select(ConnectedWorker).where(ConnectedWorker.last_seen_at > now - RECENT))
    return {row.name: row for row in rows}


def count(session: Session, now: datetime) -> int:
    statement = select(func.count()).select_from(ConnectedWorker)
    return session.scalar(statement.where(ConnectedWorker.last_seen_at > now - RECENT)) or 0


def taking_jobs(session: Session, workers: Mapping[str, ConnectedWorker]) -> list[ConnectedWorker]:
    """Return those of the workers that take jobs: neither drained nor unable."""
    drained = set(session.scalars(select(DrainedWorker.name)))
    return [row for name, row in workers.items() if name not in drained and row.unable is None]


def can_play(workers: Sequence[ConnectedWorker], required: Sequence[str]) -> bool:
    """Return whether one of the workers has the required labels."""
    return any(fits(required, worker.labels) for worker in workers)


def suggested_wait(session: Session, now: datetime) -> int:
    """Return the seconds for which a worker without a job should wait before it asks again.

    The pause grows with the number of idle workers, so that about 20 of them ask in each second, however many there
    are. A small fleet does not pause.
    """
    in_work = session.scalar(select(func.count()).select_from(Job).where(Job.status.in_(IN_WORK))) or 0
    idle = max(0, count(session, now) - in_work)
    return min(_LONGEST_WAIT, math.floor(idle / _WORKERS_PER_SECOND))


def forget_old(database: Database, now: datetime) -> None:
    """Remove workers that have not called for a day."""
    with database.transaction() as session:
        session.execute(delete(ConnectedWorker).where(ConnectedWorker.last_seen_at < now - KEPT))
