"""HTTP endpoints of jobs, for workers and for users."""

from __future__ import annotations

import functools
import logging
import time
import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

import anyio.to_thread
from fastapi import Query, Request, Response
from sqlalchemy.orm import Session

from observatory import tracing
from observatory.accounts import repository as accounts
from observatory.clock import Clock, Now
from observatory.coworlds.launching import prepare_lease
from observatory.database import Database, DatabaseDep, SessionDep
from observatory.database.tables.accounts import Token
from observatory.database.tables.jobs import Job
from observatory.errors import BadRequest, Conflict, Forbidden, NotFound, Unauthorized, errors
from observatory.events import ChangeKind
from observatory.http.bodies import KILOBYTE
from observatory.http.callers import Admin, CurrentPrincipal, RequestToken, request_token
from observatory.http.deps import KeysDep, SettingsDep, StoreDep
from observatory.http.routing import Router, body_rule
from observatory.images.addresses import Registry
from observatory.job_states import EPISODE, TERMINAL, JobStatus
from observatory.jobs import artifacts, finishing, leasing, logs, repository, service, specs, workers_seen
from observatory.jobs.affinity import Affinity
from observatory.jobs.fair_queue import waiting_by_labels
from observatory.jobs.labels import MAX_LABELS, WorkerLabel, fits
from observatory.jobs.pulling import with_registry_login
from observatory.jobs.schemas import (
    FinishRequest,
    FinishResponse,
    Heartbeat,
    HeartbeatResponse,
    JobCreate,
    JobResponse,
    JobUpdate,
    Lease,
    LeaseRequest,
    PolicySecrets,
    QueueLength,
    ReleaseRequest,
    WaitingJobs,
)
from observatory.jobs.workers_seen import WorkerReport, WorkersSeen
from observatory.keys import Keys
from observatory.live.rules import rule_of_job, shows_itself
from observatory.matches.repository import hidden_jobs
from observatory.paging import PageDep, count_up_to, set_total
from observatory.secrecy import without_seeds
from observatory.settings import MEGABYTE, Settings
from observatory.store import Store
from observatory.store.room import StoreRoom
from observatory.tokens import TokenKind, hash_token

__all__ = ["job_holder", "router"]

logger = logging.getLogger(__name__)

router = Router()
work = Router(prefix="/work", tags=["work"])
jobs = Router(prefix="/jobs", tags=["jobs"])

_POLL_SECONDS = 1.0
"""new jobs wake the wait; this interval covers changes without a notification"""
MAX_BATCH = 1000
_UNABLE_SECONDS = 10


def _worker(request: Request, session: Session) -> Token:
    """Return the worker's token of a request; refuse a caller without one."""
    state = request.app.state
    token_hash = hash_token(request_token(request) or "")
    stored = accounts.valid_token(session, token_hash, state.clock())
    if stored is None or stored.kind is not TokenKind.WORKER:
        raise Unauthorized("A worker needs a worker token: `observatory admin token create`")
    return stored


def _check_worker(request: Request, session: Session) -> None:
    _worker(request, session)


def job_holder(request: Request, session: Session) -> None:
    """Refuse a caller that does not hold the job of the address."""
    try:
        job_id = uuid.UUID(request.path_params["job_id"])
    except ValueError:
        return  # the route reports the malformed id
    service.held_job(session, job_id, request_token(request))


@work.get("/queue", responses=errors(Unauthorized))
def queue_length(
    request: Request,
    _token: RequestToken,
    session: SessionDep,
    now: Now,
    label: Annotated[list[WorkerLabel] | None, Query(max_length=MAX_LABELS)] = None,
) -> QueueLength:
    """Return how much work there is for workers with these labels, for programs that start and stop workers."""
    _worker(request, session)
    parts = [
        WaitingJobs(lane=lane, labels=list(labels), waiting=waiting, in_work=in_work)
        for (lane, labels), (waiting, in_work) in sorted(waiting_by_labels(session).items())
    ]
    playable = [part for part in parts if part.lane == EPISODE and fits(part.labels, label or ())]
    return QueueLength(
        waiting=sum(part.waiting for part in playable),
        in_work=sum(part.in_work for part in playable),
        workers=workers_seen.count(session, now),
        parts=parts,
    )


@work.post(
    "/lease",
    responses={
        **errors(Unauthorized),
        204: {"description": "No job waits; `Retry-After` says for how long the worker should pause"},
    },
    response_model=Lease,
)
@body_rule(caller=_check_worker)
async def lease(
    body: LeaseRequest,
    _token: RequestToken,
    request: Request,
    database: DatabaseDep,
    settings: SettingsDep,
    store: StoreDep,
) -> Lease | Response:
    """Give a worker the next job, or 204 when none has come in the time it waits, or when the worker is unable."""
    state = request.app.state
    clock: Clock = state.clock
    token_id = await database.query(lambda session: _worker(request, session).id)
    report = _report(body, token_id) if body.lane == EPISODE else None
    room = StoreRoom(store, settings.min_free_bytes)
    deadline = time.monotonic() + body.wait_seconds
    with database.changes.subscribe_async() as changes:
        while True:
            await _record(database, state.workers_seen, body.worker, clock(), report)
            if body.unable is not None:
                return Response(status_code=204, headers={"Retry-After": str(_UNABLE_SECONDS)})
            versions = database.changes.versions([ChangeKind.QUEUE])
            wait = functools.partial(
                repository.seconds_to_work,
                now=clock(),
                lease_seconds=settings.lease_seconds,
                worker=body.worker,
                lane=body.lane,
                labels=body.labels,
            )
            pause = await database.query(wait)
            if not state.stopping and pause == 0.0 and room.is_left():
                take = functools.partial(
                    _take,
                    body=body,
                    token_id=token_id,
                    affinity=state.affinity,
                    settings=settings,
                    store=store,
                    keys=state.keys,
                    now=clock(),
                )
                lost, next_lease = await database.write(take)
                state.metrics.leases_lost.inc(lost)
                if next_lease is not None:
                    job, response = next_lease
                    state.metrics.dispatch_wait.observe((clock() - job.created_at).total_seconds())
                    return response
            next_check = min(deadline, time.monotonic() + min(pause or _POLL_SECONDS, _POLL_SECONDS))
            await changes.wait_for([ChangeKind.QUEUE], versions, next_check)
            if state.stopping or time.monotonic() >= deadline:
                suggest = functools.partial(workers_seen.suggested_wait, now=clock())
                seconds = 0 if state.stopping else await database.query(suggest)
                return Response(status_code=204, headers={"Retry-After": str(seconds)})


def _report(body: LeaseRequest, token_id: uuid.UUID) -> WorkerReport:
    return WorkerReport(
        name=body.worker,
        labels=tuple(body.labels),
        cpus=body.cpus,
        gpus=body.gpus,
        memory_mb=body.memory_mb,
        unable=body.unable,
        token_id=token_id,
    )


async def _record(database: Database, seen: WorkersSeen, name: str, now: datetime, report: WorkerReport | None) -> None:
    """Store that a worker has called, if the last row is old or says something else."""
    if seen.is_due(name, now, report):
        await database.write(functools.partial(seen.write, name=name, now=now, report=report))


def _take(
    session: Session,
    *,
    body: LeaseRequest,
    token_id: uuid.UUID,
    affinity: Affinity,
    settings: Settings,
    store: Store,
    keys: Keys,
    now: datetime,
) -> tuple[int, tuple[Job, Lease] | None]:
    """Return (leases that had run out, the next job)."""
    lost = service.requeue_expired(
        session, now=now, max_attempts=settings.max_job_attempts, lease_seconds=settings.lease_seconds
    )
    leased = leasing.lease_next(
        session,
        body.worker,
        live=workers_seen.recent(session, now),
        settings=settings,
        store=store,
        now=now,
        lane=body.lane,
        labels=body.labels,
        unpacked={str(version) for version in body.unpacked},
        affinity=affinity,
        token_id=token_id,
    )
    if leased is None:
        return lost, None
    job, lease = leased
    with tracing.span("lease job", parent=job.traceparent, job=str(job.id), worker=body.worker, attempt=job.attempts):
        lease = prepare_lease(session, job, lease, settings=settings, store=store, keys=keys)
        lease = lease.model_copy(update={"traceparent": tracing.current_traceparent()})
    if settings.max_live_watchers > 0 and body.lane == EPISODE:
        live = rule_of_job(session, job.id)
        hides_secrets = live is not None and live[1].hides_secrets
        is_live = live is not None or shows_itself(session, job.id)
        lease = lease.model_copy(update={"live": is_live, "hides_secrets": hides_secrets})
    seconds = settings.job_time_limit_seconds + leasing.GRACE_SECONDS
    return lost, (job, with_registry_login(lease, Registry(settings.base_url()), keys.secret, seconds=seconds))


@work.post("/jobs/{job_id}/heartbeat", responses=errors(Forbidden, NotFound, Conflict))
@body_rule(caller=job_holder)
def heartbeat(
    job_id: uuid.UUID,
    body: Heartbeat,
    token: RequestToken,
    request: Request,
    session: SessionDep,
    settings: SettingsDep,
    now: Now,
) -> HeartbeatResponse:
    """Renew a lease."""
    job = service.held_job(session, job_id, token)
    seen: WorkersSeen = request.app.state.workers_seen
    if job.worker and seen.is_due(job.worker, now):
        seen.write(session, job.worker, now)
    until = service.renew(session, job, JobStatus(body.status), now=now, lease_seconds=settings.lease_seconds)
    return HeartbeatResponse(lease_expires_at=until)


@work.post("/jobs/{job_id}/secrets", responses=errors(Forbidden, NotFound, Conflict))
def take_secrets(
    job_id: uuid.UUID, token: RequestToken, session: SessionDep, keys: KeysDep, now: Now, response: Response
) -> PolicySecrets:
    """Return the policies' secrets, once for each lease."""
    job = service.held_job(session, job_id, token)
    if job.status in TERMINAL or job.secrets_given_at is not None:
        raise Conflict("The secrets of this lease were taken already")
    job.secrets_given_at = now
    response.headers["Cache-Control"] = "no-store"
    return PolicySecrets(policies=leasing.secrets_of(session, job, keys=keys, now=now))


@work.post("/jobs/{job_id}/release", responses=errors(Forbidden, NotFound, Conflict))
@body_rule(caller=job_holder)
def release(
    job_id: uuid.UUID, body: ReleaseRequest, token: RequestToken, session: SessionDep, settings: SettingsDep, now: Now
) -> dict[str, str]:
    """Give a job back unplayed. After a fault of the worker's machine it is retried on others, a few times."""
    job = service.held_job(session, job_id, token)
    if body.fault is None:
        service.release(session, job, now=now)
    else:
        logger.warning("A worker's machine failed: %s", body.fault, extra={"job_id": str(job_id), "worker": job.worker})
        service.release_faulty(
            session, job, body.fault, now=now, max_attempts=settings.max_job_attempts, error_type=body.error_type
        )
    return {"status": "released"}


@work.post("/jobs/{job_id}/finish", responses=errors(Forbidden, NotFound, Conflict))
@body_rule(256 * KILOBYTE, caller=job_holder)
async def finish(
    job_id: uuid.UUID,
    body: FinishRequest,
    token: RequestToken,
    request: Request,
    database: DatabaseDep,
    settings: SettingsDep,
    store: StoreDep,
    now: Now,
) -> FinishResponse:
    """End a job. A repeated request gets the same response; an expired lease is rejected."""

    def hold(session: Session) -> Job:
        job = service.held_job(session, job_id, token)
        if job.status not in TERMINAL:
            service.renew(session, job, JobStatus.RUNNING, now=now, lease_seconds=settings.lease_seconds)
        _ = job.env_config  # it is read after the transaction
        return job

    job = await database.write(hold)
    if job.status not in TERMINAL:
        # Between two transactions: files may be large, and other requests can write in between.
        ending = await anyio.to_thread.run_sync(functools.partial(finishing.collect, job, body, store=store, now=now))

        def end(session: Session) -> Job:
            job = service.held_job(session, job_id, token)
            if job.status not in TERMINAL:
                logs.store_logs(session, job, store=store, settings=settings, now=now)
                result = artifacts.store_artifacts(session, job, ending, store=store, settings=settings, now=now)
                service.end(session, job, result, now=now)
            return job

        job = await database.write(end)
        _measure(request, job)
    return FinishResponse(job_id=job.id, status=job.status, episode_id=job.episode_id)


def _measure(request: Request, job: Job) -> None:
    metrics = request.app.state.metrics
    if job.dispatched_at is not None and job.completed_at is not None:
        seconds = (job.completed_at - job.dispatched_at).total_seconds()
        metrics.job_duration.labels(job.status.value).observe(seconds)
    if job.status is JobStatus.FAILED:
        metrics.job_failures.labels(job.error_type or "unknown").inc()


@jobs.post("/batch", responses=errors(Unauthorized, Forbidden, BadRequest))
@body_rule(16 * MEGABYTE)
def create_jobs(body: list[JobCreate], admin: Admin, session: SessionDep, now: Now) -> list[uuid.UUID]:
    """Queue episodes; their ids, in the same order."""
    if len(body) > MAX_BATCH:
        raise BadRequest(f"At most {MAX_BATCH} jobs can be queued at once")
    for entry in body:
        specs.check_spec(entry.job)
    return [service.create_job(session, entry.job, user_id=admin.user_id, now=now).id for entry in body]


@jobs.get("", responses=errors(Unauthorized))
def list_jobs(
    principal: CurrentPrincipal,
    session: SessionDep,
    page: PageDep,
    response: Response,
    status: Annotated[JobStatus | None, Query()] = None,
) -> list[JobResponse]:
    """Return the jobs that you requested, newest first; administrators get all."""
    statement = repository.visible_jobs(principal, status)
    set_total(response, count_up_to(session, statement))
    return _responses(session, list(session.scalars(statement.limit(page.limit).offset(page.offset))))


@jobs.get("/{job_id}", responses=errors(Unauthorized, NotFound))
def get_job(job_id: uuid.UUID, principal: CurrentPrincipal, session: SessionDep) -> JobResponse:
    """Return one job."""
    job = repository.visible_job(session, job_id, principal)
    if job is None:
        raise NotFound("There is no such job")
    return _responses(session, [job])[0]


@jobs.post("/{job_id}", responses=errors(Unauthorized, Forbidden, NotFound, Conflict))
@body_rule(256 * KILOBYTE)
def update_job(job_id: uuid.UUID, body: JobUpdate, admin: Admin, session: SessionDep, now: Now) -> JobResponse:
    """Give a job another state by hand; 409 for a move that jobs do not make."""
    job = repository.job(session, job_id)
    if job is None:
        raise NotFound("There is no such job")
    service.move_by_hand(session, job, body.status, body.error, now=now)
    return _responses(session, [job])[0]


def _responses(session: Session, jobs: Sequence[Job]) -> list[JobResponse]:
    """Return jobs as they may be shown now."""
    secret = hidden_jobs(session, [job.id for job in jobs])
    return [
        response.model_copy(update={"job": without_seeds(response.job)}) if response.id in secret else response
        for response in map(JobResponse.model_validate, jobs)
    ]


router.include_router(work)
router.include_router(jobs)
