"""Rules for jobs: which worker gets one, what a lease permits, and how a job ends.

A lease is a token for one job. Heartbeats renew it; when it expires, the job returns to the queue and the token is no
longer valid. Files of a lease are in a separate folder until the job is finished, so that a late worker cannot change
the final files.
"""

from __future__ import annotations

import hmac
import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.orm import Session

from observatory import events, tracing
from observatory.database.tables.jobs import Job, JobFault
from observatory.errors import Conflict, Forbidden, NotFound
from observatory.events import Change, ChangeKind
from observatory.job_states import COMMISSIONER, EPISODE, HOSTED, IN_WORK, TERMINAL, JobStatus, Lane, may_move_by_hand
from observatory.jobs import repository
from observatory.jobs.affinity import WINDOW, Affinity
from observatory.jobs.fair_queue import FairQueue
from observatory.jobs.schemas import ErrorInfo
from observatory.jobs.shares import OTHER, season_group
from observatory.jobs.transitions import move
from observatory.tokens import hash_token, mint_token

__all__ = [
    "Ending",
    "create_job",
    "end",
    "held_job",
    "move_by_hand",
    "release",
    "release_faulty",
    "release_held_with",
    "renew",
    "requeue_expired",
    "take_next",
]


@dataclass(frozen=True)
class Ending:
    """How a job ended: its result, the runtime facts of this run, and digests of its reproducible files."""

    status: JobStatus
    result: dict[str, Any] | None = None
    error: ErrorInfo | None = None
    runtime: dict[str, Any] | None = None
    digests: dict[str, str] | None = None
    sizes: Mapping[str, int] = field(default_factory=dict)
    """bytes of its files in the store, by name"""


def create_job(
    session: Session,
    spec: dict[str, Any],
    *,
    now: datetime,
    user_id: str | None = None,
    priority: int = 0,
    env_config_id: uuid.UUID | None = None,
    season_id: uuid.UUID | None = None,
    job_type: str = EPISODE,
    queue_group: str | None = None,
    queue_person: str | None = None,
) -> Job:
    """Queue an episode, or a job of another type.

    The spec is not validated here; `specs.check_spec` validates those of clients.

    With `env_config_id` the spec has no environment but, perhaps, a `map_seed`. `season_id` is the season of its match.
    `queue_group` and `queue_person` decide with which jobs it shares the workers' time; by default those of its season
    or of its type, and the user.
    """
    job = Job(
        stored_spec=spec,
        env_config_id=env_config_id,
        user_id=user_id,
        priority=priority,
        created_at=now,
    )
    job.attempts = job.lost_leases = 0
    job.job_type = job_type
    job.queue_group = queue_group or _group(job_type, season_id)
    job.queue_person = (user_id or "") if queue_person is None else queue_person
    with tracing.span("queue job", type=job_type):
        job.traceparent = tracing.current_traceparent()
        session.add(job)
        session.flush()
    events.note(session, Change(ChangeKind.QUEUE, season_id, frozenset({job.id})))
    return job


def _group(job_type: str, season_id: uuid.UUID | None) -> str:
    if season_id is not None:
        return season_group(season_id)
    return job_type if job_type in (HOSTED, COMMISSIONER) else OTHER


def take_next(
    session: Session,
    worker: str,
    *,
    live: Collection[str],
    now: datetime,
    lease_seconds: float,
    lane: Lane = EPISODE,
    labels: Collection[str] = (),
    unpacked: Collection[str] = (),
    affinity: Affinity | None = None,
    token_id: uuid.UUID | None = None,
) -> tuple[Job, str] | None:
    """Lease the next job of a lane; return it with its token, or None. `live` are the workers seen recently.

    `unpacked` are ids of policy versions that the worker has, which `affinity` prefers.
    """
    without = repository.withheld(session, worker, live)
    while True:
        queue = FairQueue(session, lane, without=without, labels=labels)
        turn = next(iter(queue), None)
        if turn is None:
            return None
        job_id = turn.job_id
        if affinity is not None and unpacked:
            first = queue.first_of(turn, WINDOW)
            job_id = affinity.choose(first, repository.versions_of(session, first), unpacked, now)
        job = repository.claim(session, job_id)
        if job is not None:
            break
        without = [*without, job_id]
    queue.save()
    token = mint_token("job_")
    job.attempts += 1
    job.worker, job.worker_token_id = worker, token_id
    job.job_token_hash = hash_token(token)
    job.lease_expires_at = now + timedelta(seconds=lease_seconds)
    job.secrets_given_at = None
    move(session, job, JobStatus.DISPATCHED, now=now)
    return job, token


def requeue_expired(session: Session, *, now: datetime, max_attempts: int, lease_seconds: float) -> int:
    """Take jobs back from workers without a recent heartbeat; return how many."""
    latest = now + timedelta(seconds=lease_seconds)
    for job in repository.leases_expiring_after(session, latest):
        job.lease_expires_at = latest  # after the clock was set back, workers get a normal lease period
    expired = repository.expired(session, now)
    for job in expired:
        job.lost_leases += 1
        if job.lost_leases < max_attempts:
            move(session, job, JobStatus.PENDING, now=now)
        else:
            message = f"{job.lost_leases} workers were lost while they played this episode; no policy is at fault"
            error = ErrorInfo(error_type="internal_error", message=message)
            end(session, job, Ending(JobStatus.FAILED, error=error), now=now)
    return len(expired)


def held_job(session: Session, job_id: uuid.UUID, token: str | None) -> Job:
    """Return the job that a token holds, or held last."""
    job = repository.job(session, job_id)
    if job is None:
        raise NotFound("There is no such job")
    if token is None or not hmac.compare_digest(hash_token(token), job.job_token_hash or ""):
        raise Forbidden("This token does not hold the job; its lease is over")
    return job


def renew(session: Session, job: Job, status: JobStatus, *, now: datetime, lease_seconds: float) -> datetime:
    """Renew the lease of a live worker; return when it expires."""
    if job.status not in IN_WORK:
        raise Conflict(f"The job is {job.status.value}")
    if status is JobStatus.RUNNING and job.status is JobStatus.DISPATCHED:
        move(session, job, JobStatus.RUNNING, now=now)
    job.lease_expires_at = now + timedelta(seconds=lease_seconds)
    return job.lease_expires_at


def release(session: Session, job: Job, *, now: datetime) -> None:
    """Put the job back into the queue: its worker has to leave, and another worker plays it."""
    if job.status not in IN_WORK:
        raise Conflict(f"The job is {job.status.value}")
    move(session, job, JobStatus.PENDING, now=now)


def release_held_with(session: Session, token_id: uuid.UUID, *, now: datetime) -> int:
    """Put all jobs back that were leased with a token, which was revoked; return how many."""
    jobs = repository.held_with(session, token_id)
    for job in jobs:
        move(session, job, JobStatus.PENDING, now=now)
    return len(jobs)


def release_faulty(
    session: Session, job: Job, fault: str, *, now: datetime, max_attempts: int, error_type: str | None = None
) -> None:
    """The worker's machine failed; the job is played again, by another worker where there is one.

    After `max_attempts` faults it fails, and no policy is at fault. With the game's own word for the fault, the error
    has this type and says what the game said.
    """
    if job.status not in IN_WORK:
        raise Conflict(f"The job is {job.status.value}")
    job.faults.append(JobFault(worker=job.worker or "", message=fault, created_at=now))
    job.lost_leases += 1
    if job.lost_leases < max_attempts:
        move(session, job, JobStatus.PENDING, now=now)
        return
    message = f"{job.lost_leases} machines failed while they played this episode; no policy is at fault"
    if error_type is not None:
        message = f"{job.lost_leases} attempts to play this episode failed, and no policy is at fault. {fault}"
    error = ErrorInfo(error_type=error_type or "internal_error", message=message)
    end(session, job, Ending(JobStatus.FAILED, error=error), now=now)


def end(session: Session, job: Job, ending: Ending, *, now: datetime) -> None:
    """End a job. Later calls change nothing."""
    if job.status in TERMINAL:
        return
    if job.status is JobStatus.DISPATCHED and ending.status is JobStatus.COMPLETED:
        move(session, job, JobStatus.RUNNING, now=now)
    job.result = ending.result
    job.runtime, job.digests = ending.runtime, ending.digests
    job.artifact_bytes = sum(ending.sizes.values())
    if ending.error is not None:
        job.error, job.error_type = ending.error.message, ending.error.error_type
        job.failed_policy_index = ending.error.failed_policy_index
    move(session, job, ending.status, now=now)


def move_by_hand(session: Session, job: Job, status: JobStatus | None, error: str | None, *, now: datetime) -> None:
    """Set the state of a job by hand; `Conflict` for an invalid transition. A missing error text may be added later."""
    if status is not None and status is not job.status:
        if not may_move_by_hand(job.status, status):
            raise Conflict(f"A job that is {job.status.value} cannot become {status.value}")
        if status in TERMINAL:
            info = (
                None
                if status is JobStatus.COMPLETED
                else ErrorInfo(error_type="unknown", message=error or "Ended by an operator")
            )
            end(session, job, Ending(status, error=info), now=now)
            return
        move(session, job, status, now=now)
    if error is not None and job.error is None:
        job.error = error
        session.flush()
        events.note(session, Change(ChangeKind.QUEUE, ids=frozenset({job.id})))
