"""Logs of policies: one file for each policy of a job. They count against the owner's quota and expire."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory.database import Database
from observatory.database.tables.jobs import Job, PolicyLog
from observatory.database.tables.policies import PolicyVersion
from observatory.jobs import specs
from observatory.jobs.files import output_files
from observatory.quotas import stored_bytes
from observatory.settings import Settings
from observatory.store import Store, job_key

__all__ = ["expire_logs", "log_name", "store_logs"]

_AT_ONCE = 500


def log_name(assignments: Sequence[int], policy_index: int) -> str:
    """Return the file with the log of a policy in a match: its first agent gives the name."""
    return f"policy_agent_{list(assignments).index(policy_index)}.txt"


def store_logs(session: Session, job: Job, *, store: Store, settings: Settings, now: datetime) -> None:
    """Record the owners of the logs of a job that ends; remove logs that exceed their owner's quota."""
    names = {file.policy_index: file.name for file in output_files(job) if file.is_log}
    for index, uri in enumerate(job.stored_spec.get("policy_uris", [])):
        version_id = specs.policy_version_id(uri)
        version = None if version_id is None else session.get(PolicyVersion, version_id)
        if version is None or index not in names:
            continue
        key = job_key(job.id, names[index])
        size = store.size(key)
        if not size or session.get(PolicyLog, (job.id, index)) is not None:
            continue
        if stored_bytes(session, version.policy.user_id) + size > settings.max_stored_bytes_per_user:
            store.delete(key)
            continue
        session.add(
            PolicyLog(
                job_id=job.id, policy_index=index, policy_version_id=version.id, key=key, bytes=size, created_at=now
            )
        )
        session.flush()


def expire_logs(database: Database, store: Store, *, now: datetime, days: float) -> int:
    """Remove logs that are older than this; return how many."""
    old = select(PolicyLog).where(PolicyLog.created_at < now - timedelta(days=days)).limit(_AT_ONCE)
    removed = 0
    while True:
        with database.transaction() as session:
            logs = list(session.scalars(old))
            for log in logs:
                store.delete(log.key)
                session.delete(log)
        removed += len(logs)
        if len(logs) < _AT_ONCE:
            return removed
