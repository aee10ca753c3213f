"""Read the gauges of `/metrics` from the database and the store."""

from __future__ import annotations

import math
from datetime import datetime

from sqlalchemy import text
from sqlalchemy.orm import Session
from sqlalchemy.pool import QueuePool

from observatory.database import Database
from observatory.jobs import repository as jobs
from observatory.jobs import workers_seen
from observatory.jobs.fair_queue import waiting_by_labels
from observatory.jobs.stored_total import StoredTotal
from observatory.metrics import Metrics
from observatory.store import Store

__all__ = ["read_gauges"]


def read_gauges(
    metrics: Metrics, session: Session, database: Database, store: Store, total: StoredTotal, *, now: datetime
) -> None:
    """Set the gauges whose values are not counted as they change."""
    for status, count in jobs.open_counts(session).items():
        metrics.jobs.labels(status.value).set(count)
    oldest = jobs.oldest_pending(session)
    metrics.oldest_pending.set(0 if oldest is None else max(0.0, (now - oldest).total_seconds()))
    connected = workers_seen.recent(session, now)
    metrics.workers.set(len(connected))
    metrics.workers_taking_jobs.set(len(workers_seen.taking_jobs(session, connected)))
    metrics.set_queue(waiting_by_labels(session))
    metrics.store_bytes.set(total.read(session))
    free = store.free_bytes()
    metrics.store_free_bytes.set(math.inf if free is None else free)
    metrics.database_bytes.set(_database_bytes(session, database))
    pool = database.engine.pool
    metrics.database_connections.set(pool.checkedout() if isinstance(pool, QueuePool) else 0)


def _database_bytes(session: Session, database: Database) -> int:
    if database.is_sqlite:
        return 0 if database.path is None else database.path.stat().st_size
    return int(session.scalar(text("SELECT pg_database_size(current_database())")) or 0)
