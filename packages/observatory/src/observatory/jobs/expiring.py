"""Files of episodes that are old: replays and what policies did. Results stay, in the database and in the store.

How far it has come is an object of the store, so that each job is looked at once.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy import select

from observatory.database import Database
from observatory.jobs.tables import Job
from observatory.store import Missing, Store, job_key

__all__ = ["expire_replays"]

_MARK = "expired/replays.txt"
_FILES = ("replay.json.z", "actions.json.z")


def expire_replays(database: Database, store: Store, *, now: datetime, days: float) -> int:
    """Remove the replays of jobs that ended longer ago than this, and what their lost leases left; how many jobs."""
    begin, end = _mark(store), now - timedelta(days=days)
    ended = select(Job.id).where(Job.completed_at > begin, Job.completed_at <= end).order_by(Job.completed_at, Job.id)
    with database.read() as session:
        found = list(session.scalars(ended))
    for job_id in found:
        for name in _FILES:
            store.delete(job_key(job_id, name))
        for key in store.keys(f"jobs/{job_id}/"):
            if "/attempt-" in key:
                store.delete(key)
    if found:
        store.put(_MARK, end.isoformat().encode())
    return len(found)


def _mark(store: Store) -> datetime:
    try:
        return datetime.fromisoformat(store.get(_MARK).decode())
    except (Missing, ValueError):
        return datetime(2000, 1, 1, tzinfo=UTC)
