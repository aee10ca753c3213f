"""HTTP endpoints for operators; their pages and `observatory admin` call these."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated

from fastapi import Query, Request

from observatory.accounts import audit
from observatory.accounts import repository as accounts
from observatory.accounts.schemas import UserRead
from observatory.administration import rematches, repository
from observatory.administration.schemas import AdminJob, AdminWorker, AuditRow, Failure, MatchAgain
from observatory.clock import Now
from observatory.database import SessionDep
from observatory.database.tables.jobs import Job
from observatory.database.tables.matches import Match
from observatory.errors import Conflict, Forbidden, NotFound, Unauthorized, errors
from observatory.http.callers import Admin
from observatory.http.routing import Router
from observatory.job_states import JobStatus
from observatory.paging import PageDep
from observatory.routes.admin_accounts import user_read

__all__ = ["router"]

router = Router(prefix="/observatory/api/admin", tags=["administration"])


@router.get("/users", responses=errors(Unauthorized, Forbidden))
def list_admin_users(admin: Admin, session: SessionDep) -> list[UserRead]:
    """Return every account, oldest first."""
    return [user_read(user) for user in accounts.users(session)]


@router.get("/workers", responses=errors(Unauthorized, Forbidden))
def list_workers(admin: Admin, session: SessionDep, request: Request) -> list[AdminWorker]:
    """Return the workers seen since the server started, and those that hold a job."""
    last_seen = request.app.state.workers_seen.last_seen()
    leased = {job.worker: job for job in repository.jobs_in_work(session) if job.worker is not None}
    matches = repository.matches_of_jobs(session, [job.id for job in leased.values()])
    return [_worker(name, last_seen, leased.get(name), matches) for name in sorted({*last_seen, *leased})]


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
    return MatchAgain(match_id=match.id, sentence=f"Match {match.id} is played in its place")


@router.get("/audit", responses=errors(Unauthorized, Forbidden))
def list_audit_log(admin: Admin, session: SessionDep, page: PageDep) -> list[AuditRow]:
    """Return the decisions of administrators, newest first: who granted which policy access to which host."""
    return [
        AuditRow(at=entry.created_at, actor=actor.email, action=entry.action, details=entry.details)
        for entry, actor in audit.audit_entries(session, page)
    ]


def _worker(
    name: str, last_seen: Mapping[str, datetime], job: Job | None, matches: dict[uuid.UUID, Match]
) -> AdminWorker:
    match = None if job is None else matches.get(job.id)
    return AdminWorker.model_validate(
        {
            "name": name,
            "last_seen_at": last_seen.get(name),
            "job_id": None if job is None else job.id,
            "match_id": None if match is None else match.id,
            "since": None if job is None else job.dispatched_at,
            "lease_expires_at": None if job is None else job.lease_expires_at,
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
