"""Move a job from state to state. Every change of a job's state goes through `move`.

Matches and assays wait for jobs, and this module does not know them: `observatory.outcomes` registers the function that
updates them. Without it no job moves, because a result would be lost.
"""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Protocol

from sqlalchemy.orm import Session

from observatory import events
from observatory.database.tables.jobs import Job
from observatory.events import Change, ChangeKind
from observatory.job_states import IN_WORK, JobStatus, may_move
from observatory.jobs.shares import charge

__all__ = ["Follower", "IllegalMove", "follow_with", "move"]


class Follower(Protocol):
    """Updates whatever waits for a job, in the transaction that moved it."""

    def __call__(self, session: Session, job: Job, *, now: datetime) -> uuid.UUID | None:
        """Return the season of the job's match; None if it plays no match."""


class IllegalMove(RuntimeError):
    """The table of legal moves does not have this one; the caller should have checked the state first."""

    def __init__(self, job: Job, to: JobStatus) -> None:
        super().__init__(f"Job {job.id} is {job.status.value} and cannot become {to.value}; see observatory.job_states")


_follower: Follower | None = None


def follow_with(follower: Follower) -> None:
    """Register the function that updates matches and assays. A program has one."""
    global _follower
    if _follower not in (None, follower):
        raise RuntimeError(f"Jobs are followed by {_follower!r} already; a second follower would replace it")
    _follower = follower


def move(session: Session, job: Job, to: JobStatus, *, now: datetime) -> None:
    """Set the state of a job and the times that go with it, then update whatever waits for the job.

    Results and errors have to be set before the job ends: the follower reads them. Raise `IllegalMove` for a move that
    the table does not have.
    """
    if _follower is None:
        raise RuntimeError(
            "Nothing follows jobs, so their results would be lost; call `observatory.outcomes.install()`"
        )
    if not may_move(job.status, to):
        raise IllegalMove(job, to)
    if job.status in IN_WORK and to not in IN_WORK and job.dispatched_at is not None:
        seconds = (now - job.dispatched_at).total_seconds()
        charge(session, job, seconds, is_complete=to is JobStatus.COMPLETED)
    job.status = to
    match to:
        case JobStatus.PENDING:
            job.worker = job.job_token_hash = job.lease_expires_at = job.secrets_given_at = None
            job.dispatched_at = job.running_at = None
        case JobStatus.DISPATCHED:
            job.dispatched_at = now
        case JobStatus.RUNNING:
            job.running_at = now
        case JobStatus.COMPLETED | JobStatus.FAILED:
            job.completed_at, job.lease_expires_at = now, None
    session.flush()
    season_id = _follower(session, job, now=now)
    events.note(session, Change(ChangeKind.QUEUE, season_id, frozenset({job.id})))
