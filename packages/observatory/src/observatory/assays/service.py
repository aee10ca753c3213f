"""Rules for assays. An assay is visible to its owner only."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import case, func, select
from sqlalchemy.orm import Session, load_only

from observatory.accounts.principal import Principal
from observatory.assays.measuring import PlayedEpisode, measure_missions, score_axes
from observatory.assays.schemas import AssayCreate, AssayMission
from observatory.database import new_id
from observatory.database.tables.assays import AssayJob, AssayRun, AssayStatus
from observatory.database.tables.jobs import Job
from observatory.errors import BadRequest, Conflict, NotFound, TooManyRequests
from observatory.job_states import JobStatus
from observatory.jobs.service import create_job
from observatory.jobs.shares import ASSAYS
from observatory.jobs.specs import check_spec
from observatory.paging import count
from observatory.policies.service import own_version
from observatory.quotas import check_stored_bytes
from observatory.settings import Settings
from softmax.wire import AssayResultsResponse, AssayRunResponse

__all__ = [
    "create_run",
    "finalize",
    "follow_job",
    "own_run",
    "played_episodes",
    "prepare",
    "results",
    "run_of_job",
    "run_response",
    "runs",
]

FIRST_SEED = 42
MAX_JOBS = 1000


@dataclass(frozen=True)
class PreparedJob:
    mission: str
    episode: int
    spec: dict[str, Any]


def prepare(body: AssayCreate) -> list[PreparedJob]:
    """Return one job per mission and episode; `BadRequest` for a mission that cannot be played. This is slow."""
    if sum(mission.num_episodes for mission in body.missions) > MAX_JOBS:
        raise BadRequest(f"An assay has at most {MAX_JOBS} episodes")
    jobs: list[PreparedJob] = []
    for mission in body.missions:
        spec = _spec(body.policy_version_id, mission)
        check_spec(spec)
        for episode in range(mission.num_episodes):
            jobs.append(PreparedJob(mission.mission_name, episode, {**spec, "seed": FIRST_SEED + episode}))
    return jobs


def create_run(
    session: Session,
    principal: Principal,
    body: AssayCreate,
    jobs: list[PreparedJob],
    *,
    settings: Settings,
    now: datetime,
) -> AssayRun:
    """Create a run and queue its jobs."""
    version = own_version(session, principal, body.policy_version_id)
    if version.bundle_key is None:
        raise BadRequest("This policy version has no bundle that could be played; upload one")
    active = select(AssayRun.id).where(AssayRun.user_id == principal.user_id, AssayRun.status == AssayStatus.pending)
    same = active.where(AssayRun.policy_version_id == version.id, AssayRun.name == body.name)
    if body.name is not None and session.scalars(same).first() is not None:
        raise Conflict(f"An assay {body.name!r} of this policy version is running already")
    if count(session, active) >= settings.max_active_assays_per_user:
        raise TooManyRequests("Too many assays are running; wait until one is done", retry_after=60)
    check_stored_bytes(session, principal.user_id, 1, settings=settings)
    run = AssayRun(
        id=new_id(),
        policy_version_id=version.id,
        user_id=principal.user_id,
        name=body.name,
        compat_version=body.compat_version,
        status=AssayStatus.pending,
        created_at=now,
    )
    session.add(run)
    session.flush()
    for prepared in jobs:
        tags = {"assay_run_id": str(run.id), "mission": prepared.mission, "match_type": "self_play"}
        spec = {**prepared.spec, "episode_tags": tags}
        job = create_job(session, spec, now=now, user_id=principal.user_id, queue_group=ASSAYS)
        session.add(AssayJob(job_id=job.id, run_id=run.id, mission_name=prepared.mission, episode=prepared.episode))
    session.flush()
    return run


def own_run(session: Session, principal: Principal, run_id: uuid.UUID) -> AssayRun:
    run = session.get(AssayRun, run_id)
    if run is None or run.user_id != principal.user_id:
        raise NotFound(f"Assay run {run_id} not found")
    return run


def runs(session: Session, principal: Principal, policy_version_id: uuid.UUID | None) -> list[AssayRun]:
    """Return the caller's runs, newest first."""
    statement = select(AssayRun).where(AssayRun.user_id == principal.user_id)
    if policy_version_id is not None:
        statement = statement.where(AssayRun.policy_version_id == policy_version_id)
    return list(session.scalars(statement.order_by(AssayRun.created_at.desc(), AssayRun.id.desc())))


def run_of_job(session: Session, job_id: uuid.UUID) -> AssayRun | None:
    return session.scalar(
        select(AssayRun).join(AssayJob, AssayJob.run_id == AssayRun.id).where(AssayJob.job_id == job_id)
    )


def run_response(session: Session, run: AssayRun) -> AssayRunResponse:
    total, completed, failed = _numbers(session, run.id)
    return AssayRunResponse(
        id=run.id,
        policy_version_id=run.policy_version_id,
        user_id=run.user_id,
        name=run.name,
        compat_version=run.compat_version,
        status=run.status,
        total_jobs=total,
        completed_jobs=completed,
        failed_jobs=failed,
        error=run.error,
        created_at=run.created_at,
        started_at=run.started_at,
        completed_at=run.completed_at,
    )


def follow_job(session: Session, run: AssayRun, *, now: datetime) -> None:
    """Update a run after a change of one of its jobs: it has started, and is done when all jobs are."""
    if run.started_at is None:
        run.started_at = now
    total, completed, failed = _numbers(session, run.id)
    if completed + failed >= total:
        _end(run, completed, now)
    session.flush()


def finalize(session: Session, run: AssayRun, *, now: datetime) -> None:
    """End a run whose jobs are done; does nothing when it has ended."""
    total, completed, failed = _numbers(session, run.id)
    if completed + failed < total:
        raise Conflict(f"{total - completed - failed} of {total} episodes are not played yet")
    _end(run, completed, now)
    session.flush()


def results(session: Session, run: AssayRun) -> AssayResultsResponse:
    """Return the results so far."""
    played = played_episodes(session, run)
    return AssayResultsResponse(status=run.status, missions=measure_missions(played), axes=score_axes(played))


def played_episodes(session: Session, run: AssayRun) -> list[PlayedEpisode]:
    """Return the completed episodes of a run."""
    statement = (
        select(Job, AssayJob)
        .join(AssayJob, AssayJob.job_id == Job.id)
        .where(AssayJob.run_id == run.id, Job.status == JobStatus.COMPLETED)
        .order_by(AssayJob.job_id)
        .options(load_only(Job.id, Job.stored_spec, Job.env_config_id, Job.result))
    )
    return [
        PlayedEpisode(link.mission_name, job.spec, job.result)
        for job, link in session.execute(statement)
        if job.result is not None
    ]


def _end(run: AssayRun, completed: int, now: datetime) -> None:
    if run.status is not AssayStatus.pending:
        return
    run.status = AssayStatus.completed if completed else AssayStatus.failed
    run.error = None if completed else "No episode could be played"
    run.completed_at = now


def _numbers(session: Session, run_id: uuid.UUID) -> tuple[int, int, int]:
    """Return (jobs, completed, failed)."""
    completed = func.sum(case((Job.status == JobStatus.COMPLETED, 1), else_=0))
    failed = func.sum(case((Job.status == JobStatus.FAILED, 1), else_=0))
    statement = select(func.count(), completed, failed).join(AssayJob, AssayJob.job_id == Job.id)
    row = session.execute(statement.where(AssayJob.run_id == run_id)).one()
    return row[0], row[1] or 0, row[2] or 0


def _spec(policy_version_id: uuid.UUID, mission: AssayMission) -> dict[str, Any]:
    game = mission.env_config.get("game")
    agents = game.get("num_agents") if isinstance(game, dict) else None
    if not isinstance(game, dict) or not isinstance(agents, int) or not 1 <= agents <= 1000:
        raise BadRequest(f"The mission {mission.mission_name!r} has no game with a number of agents")
    env = {**mission.env_config, "game": {**game, "max_steps": mission.max_steps}}
    return {
        "policy_uris": [f"metta://policy/{policy_version_id}"],
        "assignments": [0] * agents,
        "env": env,
        "seed": FIRST_SEED,
        "max_action_time_ms": 10_000,
    }
