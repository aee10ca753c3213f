"""Every query on jobs, and who may see one."""

from __future__ import annotations

import math
import uuid
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Select, exists, func, select
from sqlalchemy.orm import Session, selectinload

from observatory.accounts.principal import Principal
from observatory.database.tables.jobs import Job, JobFault
from observatory.job_states import COMMISSIONER, EPISODE, HOSTED, IN_WORK, JobStatus, Lane

__all__ = [
    "counts",
    "expired",
    "job",
    "leases_expiring_after",
    "next_pending",
    "oldest_pending",
    "seconds_to_work",
    "visible_job",
    "visible_jobs",
]

_MAX_RETRIED = 100
"""the number of jobs that a worker has failed which are considered for it again"""


def job(session: Session, job_id: uuid.UUID) -> Job | None:
    return session.get(Job, job_id)


def visible_job(session: Session, job_id: uuid.UUID, principal: Principal) -> Job | None:
    """Return a job if the caller requested it or is an administrator; None otherwise."""
    row = session.get(Job, job_id)
    return row if row is not None and (principal.is_admin or row.user_id == principal.user_id) else None


def visible_jobs(principal: Principal, status: JobStatus | None) -> Select[Any]:
    """Select the jobs that the caller may see, newest first."""
    statement = select(Job).order_by(Job.created_at.desc(), Job.id.desc())
    if not principal.is_admin:
        statement = statement.where(Job.user_id == principal.user_id)
    return statement if status is None else statement.where(Job.status == status)


def _in_lane(lane: Lane) -> ColumnElement[bool]:
    return Job.job_type.not_in((COMMISSIONER, HOSTED)) if lane == EPISODE else Job.job_type == lane


def next_pending(session: Session, worker: str, live: Collection[str], *, lane: Lane = EPISODE) -> Job | None:
    """Return the next job of a lane for a worker: the oldest among those with the highest priority.

    A job that this worker's machine has failed is left to the other `live` workers that have not failed it.
    """
    waiting = select(Job).where(Job.status == JobStatus.PENDING, _in_lane(lane))
    waiting = waiting.order_by(Job.priority.desc(), Job.created_at, Job.id)
    failed_here = exists().where(JobFault.job_id == Job.id, JobFault.worker == worker)
    first = session.scalar(waiting.where(~failed_here).limit(1))
    retried = waiting.where(failed_here).options(selectinload(Job.faults)).limit(_MAX_RETRIED)
    for job in session.scalars(retried):
        if set(live) - {worker} - {fault.worker for fault in job.faults}:
            continue
        return job if first is None or _turn(job) < _turn(first) else first
    return first


def _turn(job: Job) -> tuple[int, datetime, uuid.UUID]:
    return -job.priority, job.created_at, job.id


def expired(session: Session, now: datetime) -> Sequence[Job]:
    """Return jobs whose lease has expired."""
    return session.scalars(select(Job).where(Job.status.in_(IN_WORK), Job.lease_expires_at <= now)).all()


def leases_expiring_after(session: Session, latest: datetime) -> Sequence[Job]:
    """Return jobs whose lease ends later than a lease of now would: the clock was set back."""
    return session.scalars(select(Job).where(Job.status.in_(IN_WORK), Job.lease_expires_at > latest)).all()


def seconds_to_work(session: Session, now: datetime, *, lease_seconds: float, lane: Lane = EPISODE) -> float:
    """Return the seconds until a job can be leased if none is queued meanwhile; 0 if one can be leased now."""
    if session.scalar(select(Job.id).where(Job.status == JobStatus.PENDING, _in_lane(lane)).limit(1)) is not None:
        return 0.0
    ends = select(func.min(Job.lease_expires_at), func.max(Job.lease_expires_at)).where(Job.status.in_(IN_WORK))
    first, last = session.execute(ends).one()
    if first is None or last is None:
        return math.inf
    is_in_the_future = last > now + timedelta(seconds=lease_seconds)
    return 0.0 if is_in_the_future else max(0.0, (first - now).total_seconds())


def counts(session: Session) -> dict[JobStatus, int]:
    rows = session.execute(select(Job.status, func.count()).group_by(Job.status)).all()
    return dict.fromkeys(JobStatus, 0) | {row[0]: row[1] for row in rows}


def oldest_pending(session: Session) -> datetime | None:
    return session.scalar(select(func.min(Job.created_at)).where(Job.status == JobStatus.PENDING))
