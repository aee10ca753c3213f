"""HTTP endpoints for operators; their pages and `observatory admin` call these."""

from __future__ import annotations

import csv
import io
import uuid
from datetime import datetime
from typing import Annotated

from fastapi import Depends, Path, Query, Response
from sqlalchemy import select

from observatory import events
from observatory.accounts import audit
from observatory.accounts import repository as accounts
from observatory.accounts.audit import AuditFilter
from observatory.accounts.schemas import UserRead
from observatory.administration import rematches, repository
from observatory.administration.schemas import (
    AdminJob,
    AdminWorker,
    AuditPage,
    AuditRow,
    Failure,
    MatchAgain,
    WorkerChanged,
)
from observatory.clock import Now
from observatory.cursors import CursorPage, cursor_page
from observatory.database import SessionDep
from observatory.database.tables.administration import DrainedWorker
from observatory.database.tables.audit import AuditEntry
from observatory.database.tables.jobs import Job
from observatory.database.tables.matches import Match
from observatory.database.tables.workers import ConnectedWorker
from observatory.errors import Conflict, Forbidden, NotFound, Unauthorized, errors
from observatory.events import Change, ChangeKind
from observatory.http.callers import Admin
from observatory.http.routing import Router
from observatory.job_states import JobStatus
from observatory.paging import PageDep
from observatory.routes.admin_accounts import user_read

__all__ = ["router"]

router = Router(prefix="/observatory/api/admin", tags=["administration"])

MAX_EXPORTED = 10_000
WorkerName = Annotated[str, Path(max_length=200)]
AuditCursor = Annotated[CursorPage, Depends(cursor_page(50))]


def _audit_filter(
    action: Annotated[str, Query(max_length=64)] = "",
    actor: Annotated[str, Query(max_length=255)] = "",
    text: Annotated[str, Query(max_length=200)] = "",
) -> AuditFilter:
    return AuditFilter(action, actor, text)


AuditFilterDep = Annotated[AuditFilter, Depends(_audit_filter)]


@router.get("/users", responses=errors(Unauthorized, Forbidden))
def list_admin_users(admin: Admin, session: SessionDep) -> list[UserRead]:
    """Return every account, oldest first."""
    return [user_read(user) for user in accounts.users(session)]


@router.get("/workers", responses=errors(Unauthorized, Forbidden))
def list_workers(admin: Admin, session: SessionDep) -> list[AdminWorker]:
    """Return the workers seen in the last day, and those that hold a job."""
    connected = {row.name: row for row in session.scalars(select(ConnectedWorker))}
    drained = {row.name: row.created_at for row in session.scalars(select(DrainedWorker))}
    leased = {job.worker: job for job in repository.jobs_in_work(session) if job.worker is not None}
    matches = repository.matches_of_jobs(session, [job.id for job in leased.values()])
    return [
        _worker(name, connected.get(name), leased.get(name), matches, drained.get(name))
        for name in sorted({*connected, *leased, *drained})
    ]


@router.get("/jobs", responses=errors(Unauthorized, Forbidden))
def list_admin_jobs(
    admin: Admin, session: SessionDep, page: PageDep, status: Annotated[JobStatus | None, Query()] = None
) -> list[AdminJob]:
    """Return jobs, newest first."""
    jobs = repository.jobs(session, status, page)
    matches = repository.matches_of_jobs(session, [job.id for job in jobs])
    return [_job(job, matches.get(job.id)) for job in jobs]


@router.get("/failures", responses=errors(Unauthorized, Forbidden))
def list_failures(admin: Admin, session: SessionDep, page: PageDep) -> list[Failure]:
    """Return failed matches, latest first, and the policy at fault."""
    return [_failure(match) for match in repository.failures(session, page)]


@router.post("/matches/{match_id}/again", responses=errors(Unauthorized, Forbidden, NotFound, Conflict))
def play_match_again(match_id: uuid.UUID, admin: Admin, session: SessionDep, now: Now) -> MatchAgain:
    """Queue a failed match again."""
    match = rematches.play_again(session, match_id, now=now)
    audit.record(session, admin.user_id, "match.again", now=now, match=str(match_id))
    return MatchAgain(match_id=match.id, sentence=f"Match {match.id} is played in its place")


@router.get("/audit", responses=errors(Unauthorized, Forbidden))
def list_audit_log(admin: Admin, session: SessionDep, page: PageDep) -> list[AuditRow]:
    """Return the decisions of administrators, newest first: who granted which policy access to which host."""
    return [_audit_row(entry) for entry in audit.audit_entries(session, page)]


@router.get("/audit-log", responses=errors(Unauthorized, Forbidden))
def read_audit_log(admin: Admin, session: SessionDep, filters: AuditFilterDep, page: AuditCursor) -> AuditPage:
    """Return a part of the audit log that fits the filters, newest first."""
    part = page.of(session, filters.statement(), AuditEntry.created_at, AuditEntry.id)
    return AuditPage(
        rows=[_audit_row(entry) for entry in part.rows],
        next_cursor=part.next_cursor,
        actions=list(audit.actions(session)),
    )


@router.get("/audit-log.csv", responses=errors(Unauthorized, Forbidden), response_class=Response)
def export_audit_log(admin: Admin, session: SessionDep, filters: AuditFilterDep) -> Response:
    """Return the entries that fit the filters as a table for spreadsheets, newest first."""
    statement = filters.statement().order_by(AuditEntry.created_at.desc(), AuditEntry.id.desc()).limit(MAX_EXPORTED)
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["at", "actor", "action", "details"])
    for entry in session.scalars(statement):
        details = " ".join(f"{name}={value}" for name, value in entry.details.items() if value is not None)
        writer.writerow([entry.created_at.isoformat(), *map(_cell, (entry.actor.email, entry.action, details))])
    headers = {"Content-Disposition": 'attachment; filename="audit-log.csv"', "X-Content-Type-Options": "nosniff"}
    return Response(text.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)


@router.post("/workers/{worker}/drain", responses=errors(Unauthorized, Forbidden))
def drain_worker(worker: WorkerName, admin: Admin, session: SessionDep, now: Now) -> WorkerChanged:
    """Give a worker no more jobs; the one that it has is finished."""
    if session.get(DrainedWorker, worker) is None:
        session.add(DrainedWorker(name=worker, user_id=admin.user_id, created_at=now))
        audit.record(session, admin.user_id, "worker.drain", now=now, worker=worker)
        events.note(session, Change(ChangeKind.QUEUE))
    return WorkerChanged(name=worker, sentence=f"{worker} gets no more jobs; it finishes the one that it has")


@router.post("/workers/{worker}/resume", responses=errors(Unauthorized, Forbidden))
def resume_worker(worker: WorkerName, admin: Admin, session: SessionDep, now: Now) -> WorkerChanged:
    """Give a drained worker jobs again."""
    row = session.get(DrainedWorker, worker)
    if row is not None:
        session.delete(row)
        audit.record(session, admin.user_id, "worker.resume", now=now, worker=worker)
        events.note(session, Change(ChangeKind.QUEUE))
    return WorkerChanged(name=worker, sentence=f"{worker} gets jobs again")


def _cell(text: str) -> str:
    """Return a text that a spreadsheet does not take for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def _audit_row(entry: AuditEntry) -> AuditRow:
    return AuditRow(at=entry.created_at, actor=entry.actor.email, action=entry.action, details=entry.details)


def _worker(
    name: str,
    connected: ConnectedWorker | None,
    job: Job | None,
    matches: dict[uuid.UUID, Match],
    drained_at: datetime | None,
) -> AdminWorker:
    match = None if job is None else matches.get(job.id)
    return AdminWorker.model_validate(
        {
            "name": name,
            "last_seen_at": None if connected is None else connected.last_seen_at,
            "job_id": None if job is None else job.id,
            "match_id": None if match is None else match.id,
            "since": None if job is None else job.dispatched_at,
            "lease_expires_at": None if job is None else job.lease_expires_at,
            "labels": [] if connected is None else connected.labels,
            "cpus": None if connected is None else connected.cpus,
            "gpus": None if connected is None else connected.gpus,
            "memory_mb": None if connected is None else connected.memory_mb,
            "unable": None if connected is None else connected.unable,
            "drained_at": drained_at,
        }
    )


def _job(job: Job, match: Match | None) -> AdminJob:
    return AdminJob(
        id=job.id,
        status=job.status,
        priority=job.priority,
        worker=job.worker,
        attempts=job.attempts,
        lost_leases=job.lost_leases,
        faults=[f"{fault.worker}: {fault.message}" for fault in job.faults],
        policies=job.stored_spec.get("policy_names") or job.stored_spec.get("policy_uris") or [],
        match_id=None if match is None else match.id,
        season_name=None if match is None else match.pool.season.name,
        error=job.error,
        error_type=job.error_type,
        runtime=job.runtime,
        digests=job.digests,
        created_at=job.created_at,
        dispatched_at=job.dispatched_at,
        running_at=job.running_at,
        completed_at=job.completed_at,
    )


def _failure(match: Match) -> Failure:
    blamed = next((p for p in match.players if p.policy_index == match.failed_policy_index), None)
    version = None if blamed is None else blamed.pool_player.policy_version
    runtime = (None if match.job is None else match.job.runtime) or {}
    return Failure(
        match_id=match.id,
        season_name=match.pool.season.name,
        season_version=match.pool.season.version,
        pool_name=match.pool.name,
        error=match.error,
        error_type=match.error_type,
        blamed=None if version is None else f"{version.policy.name}:v{version.version}",
        blamed_policy_version_id=None if version is None else version.id,
        isolation=[policy.get("isolation") for policy in runtime.get("policies", [])],
        failed_at=match.completed_at,
    )
