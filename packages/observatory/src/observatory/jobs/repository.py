"""Every query on jobs, and who may see one."""

from __future__ import annotations

import math
import uuid
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.database.tables.administration import DrainedWorker
from observatory.database.tables.jobs import Job, JobFault
from observatory.job_states import EPISODE, IN_WORK, JobStatus, Lane
from observatory.jobs.fair_queue import waiting_groups
from observatory.jobs.specs import policy_version_id

__all__ = [
    "claim",
    "expired",
    "held_with",
    "is_drained",
    "job",
    "leases_expiring_after",
    "oldest_pending",
    "open_counts",
    "seconds_to_work",
    "versions_of",
    "visible_job",
    "visible_jobs",
    "withheld",
]

_MAX_WITHHELD = 500
"""the number of a worker's last faults that are considered"""


def job(session: Session, job_id: uuid.UUID) -> Job | None:
    return session.get(Job, job_id)


def claim(session: Session, job_id: uuid.UUID) -> Job | None:
    """Return a waiting job, locked for this transaction; None if another transaction holds it or has taken it.

    Leases come one after another, because they share the accounts of the queue; the lock makes sure that a job is
    leased once even if that order is ever given up. SQLite has one writer.
    """
    statement = select(Job).where(Job.id == job_id, Job.status == JobStatus.PENDING)
    statement = statement.with_for_update(of=Job, skip_locked=True)
    return session.scalar(statement.execution_options(populate_existing=True))


def visible_job(session: Session, job_id: uuid.UUID, principal: Principal) -> Job | None:
    """Return a job if the caller requested it or is an administrator; None otherwise."""
    row = session.get(Job, job_id)
    return row if row is not None and (principal.is_admin or row.user_id == principal.user_id) else None


def visible_jobs(principal: Principal, status: JobStatus | None) -> Select[Any]:
    """Select the jobs that the caller may see, newest first."""
    statement = select(Job)
    if principal.is_admin:
        statement = statement.order_by(Job.id.desc())  # ids are in the order of creation, and indexed
    else:
        statement = statement.where(Job.user_id == principal.user_id)
        statement = statement.order_by(Job.created_at.desc(), Job.id.desc())
    return statement if status is None else statement.where(Job.status == status)


def withheld(session: Session, worker: str, live: Collection[str]) -> list[uuid.UUID]:
    """Return waiting jobs that a worker does not get: its machine has failed them, and other `live` ones have not."""
    failed = select(JobFault.job_id).where(JobFault.worker == worker).order_by(JobFault.created_at.desc())
    failed_here = set(session.scalars(failed.limit(_MAX_WITHHELD)))
    if not failed_here:
        return []
    # Of some jobs by id; a condition on the state would let SQLite read all that wait.
    states = session.execute(select(Job.id, Job.status).where(Job.id.in_(failed_here)))
    workers: dict[uuid.UUID, set[str]] = {job_id: set() for job_id, status in states if status is JobStatus.PENDING}
    faults = select(JobFault.job_id, JobFault.worker).where(JobFault.job_id.in_(workers))
    for job_id, name in session.execute(faults):
        workers[job_id].add(name)
    return [job_id for job_id, names in workers.items() if set(live) - {worker} - names]


def expired(session: Session, now: datetime) -> Sequence[Job]:
    """Return jobs whose lease has expired."""
    return session.scalars(select(Job).where(Job.status.in_(IN_WORK), Job.lease_expires_at <= now)).all()


def leases_expiring_after(session: Session, latest: datetime) -> Sequence[Job]:
    """Return jobs whose lease ends later than a lease of now would: the clock was set back."""
    return session.scalars(select(Job).where(Job.status.in_(IN_WORK), Job.lease_expires_at > latest)).all()


def held_with(session: Session, token_id: uuid.UUID) -> Sequence[Job]:
    """Return the jobs in work that were leased with a token."""
    return session.scalars(select(Job).where(Job.status.in_(IN_WORK), Job.worker_token_id == token_id)).all()


def is_drained(session: Session, worker: str) -> bool:
    """Return whether an administrator has decided that a worker gets no more jobs."""
    return session.get(DrainedWorker, worker) is not None


def seconds_to_work(
    session: Session,
    now: datetime,
    *,
    lease_seconds: float,
    worker: str,
    lane: Lane = EPISODE,
    labels: Collection[str] = (),
) -> float:
    """Return the seconds until a worker can lease a job if none is queued meanwhile; 0 if it can lease one now."""
    if is_drained(session, worker):
        return math.inf
    if waiting_groups(session, lane, labels):
        return 0.0
    ends = select(func.min(Job.lease_expires_at), func.max(Job.lease_expires_at)).where(Job.status.in_(IN_WORK))
    first, last = session.execute(ends).one()
    if first is None or last is None:
        return math.inf
    is_in_the_future = last > now + timedelta(seconds=lease_seconds)
    return 0.0 if is_in_the_future else max(0.0, (first - now).total_seconds())


def versions_of(session: Session, job_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, set[str]]:
    """Return the ids of the policy versions that jobs play, by job."""
    rows = session.execute(select(Job.id, Job.stored_spec).where(Job.id.in_(job_ids)))
    return {
        job_id: {str(version) for uri in spec.get("policy_uris", []) if (version := policy_version_id(uri))}
        for job_id, spec in rows
    }


def open_counts(session: Session) -> dict[JobStatus, int]:
    """Return how many jobs wait and how many are in work, by state; those that have ended are too many to count."""
    states = [JobStatus.PENDING, *sorted(IN_WORK)]
    rows = session.execute(select(Job.status, func.count()).where(Job.status.in_(states)).group_by(Job.status)).all()
    return dict.fromkeys(states, 0) | {row[0]: row[1] for row in rows}


def oldest_pending(session: Session) -> datetime | None:
    return session.scalar(select(func.min(Job.created_at)).where(Job.status == JobStatus.PENDING))
