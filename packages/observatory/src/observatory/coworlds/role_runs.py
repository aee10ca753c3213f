"""Reporters, graders and diagnosers of a game look at finished episodes: on request, or where a league says so.

A run is a job for a worker, which gets the episode's public files. Its outputs are files of that job.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload

from observatory.coworlds import reporters
from observatory.database.tables.coworlds import (
    ContentKind,
    ReporterVersion,
    RoleOutput,
    RoleRun,
    RoleRunState,
)
from observatory.database.tables.jobs import Job
from observatory.database.tables.leagues import Division, League, Round
from observatory.database.tables.requests import EpisodeRequest, EpisodeRequestStatus
from observatory.errors import BadRequest, Conflict
from observatory.games.coworlds import COWORLD_ENGINE, coworlds
from observatory.job_states import JobStatus
from observatory.jobs.file_types import file_type
from observatory.jobs.service import create_job
from observatory.jobs.shares import CHECKS
from observatory.public_ids import public_id
from observatory.store import Store, job_key
from observatory.store.layout import content_key

__all__ = ["ROLE", "Role", "RoleEntry", "files_of", "follow_job", "request_by_league", "request_run", "roles", "runs"]

ROLE = "role"
"""the type of the jobs"""
Role = Literal["reporter", "grader", "diagnoser"]
PUBLIC_FILES = ("results.json", "replay", "events.json", "error_info.json", "game.log")
"""files of an episode that a role reads; what players wrote belongs to the owners of the policies"""
MAX_OUTPUTS = 20

_STATES = {
    JobStatus.PENDING: RoleRunState.PENDING,
    JobStatus.DISPATCHED: RoleRunState.RUNNING,
    JobStatus.RUNNING: RoleRunState.RUNNING,
    JobStatus.COMPLETED: RoleRunState.COMPLETED,
    JobStatus.FAILED: RoleRunState.FAILED,
}


@dataclass(frozen=True)
class RoleEntry:
    """A role of a manifest: its id there, or `owner/name@version` of a published reporter."""

    role: Role
    id: str


def roles(manifest: Mapping[str, Any], wanted: Iterable[Role]) -> list[RoleEntry]:
    """Return the roles of a manifest, in its order."""
    return [
        RoleEntry(role, entry.get("reporter") or entry["id"]) for role in wanted for entry in manifest.get(role) or []
    ]


def runs(session: Session, episode: EpisodeRequest) -> Sequence[RoleRun]:
    """Return the runs on an episode, oldest first."""
    statement = select(RoleRun).where(RoleRun.episode_request_id == episode.id).options(selectinload(RoleRun.outputs))
    return session.scalars(statement.order_by(RoleRun.created_at, RoleRun.id)).all()


def request_run(
    session: Session,
    episode: EpisodeRequest,
    entry: RoleEntry,
    *,
    target: int | None,
    user_id: str | None,
    now: datetime,
) -> RoleRun:
    """Queue a run; one that waits, runs or has completed is returned, a failed one runs again."""
    if episode.status not in (EpisodeRequestStatus.COMPLETED, EpisodeRequestStatus.FAILED):
        raise Conflict(f"The episode is {episode.status.value}; roles look at episodes that have ended")
    if (entry.role == "diagnoser") != (target is not None):
        raise BadRequest("A diagnoser looks at one seat: name it as `target`; other roles look at the whole episode")
    if target is not None and not 0 <= target < len(episode.seats):
        raise BadRequest(f"The episode has the seats 0 to {len(episode.seats) - 1}, not {target}")
    seat = "" if target is None else str(target)
    same = (RoleRun.role == entry.role, RoleRun.role_id == entry.id, RoleRun.target == seat)
    row = session.scalar(select(RoleRun).where(RoleRun.episode_request_id == episode.id, *same))
    if row is not None and row.status is not RoleRunState.FAILED:
        return row
    version = reporters.version(session, entry.id) if entry.role == "reporter" else None
    spec = _spec(episode, entry, seat, version)
    job = create_job(session, spec, now=now, user_id=user_id, job_type=ROLE, queue_group=CHECKS)
    if row is None:
        row = RoleRun(
            episode_request_id=episode.id,
            role=entry.role,
            role_id=entry.id,
            target=seat,
            reporter_version_id=None if version is None else version.id,
            created_at=now,
            outputs=[],
        )
        session.add(row)
    row.user_id, row.job_id, row.status = user_id, job.id, RoleRunState.PENDING
    row.error = row.completed_at = None
    session.flush()
    return row


def request_by_league(session: Session, episode: EpisodeRequest, *, now: datetime) -> None:
    """Queue the runs that the league of a completed episode asks for (`role_runs` of its settings)."""
    if episode.status is not EpisodeRequestStatus.COMPLETED:
        return
    league = _league(session, episode)
    wanted: list[Role] = [] if league is None else list(league.settings.get("role_runs") or [])
    for entry in roles(episode.coworld.manifest, wanted):
        if entry.role != "diagnoser":
            request_run(session, episode, entry, target=None, user_id=None, now=now)


def follow_job(session: Session, job: Job, *, now: datetime) -> None:
    """Copy the state of a job to its run, and record the outputs of a completed one."""
    row = session.scalar(select(RoleRun).where(RoleRun.job_id == job.id).options(selectinload(RoleRun.outputs)))
    if row is None:  # a later attempt has another job
        return
    row.status, row.error = _STATES[job.status], job.error
    if job.status in (JobStatus.COMPLETED, JobStatus.FAILED):
        row.completed_at = now
    if job.status is JobStatus.COMPLETED:
        row.outputs = [*_outputs(job, now=now)]
    session.flush()


def files_of(session: Session, job: Job, store: Store) -> dict[str, str]:
    """Return the files that the worker of a run needs, with their keys in the store."""
    if job.job_type != ROLE:
        return {}
    row = session.scalar(select(RoleRun).where(RoleRun.job_id == job.id))
    if row is None:
        return {}
    episode = session.get_one(EpisodeRequest, row.episode_request_id)
    keys = {} if episode.job_id is None else {name: job_key(episode.job_id, name) for name in PUBLIC_FILES}
    files = {f"finished/{name}": key for name, key in keys.items() if store.size(key) is not None}
    if row.reporter_version_id is not None:
        version = session.get_one(ReporterVersion, row.reporter_version_id)
        files["component.wasm"] = content_key(ContentKind.REPORTER, version.content_hash)
    return files


def _spec(episode: EpisodeRequest, entry: RoleEntry, target: str, version: ReporterVersion | None) -> dict[str, Any]:
    return {
        "game_engine": COWORLD_ENGINE,
        "kind": ROLE,
        "coworld_id": str(episode.coworld_id),
        "episode_request_id": public_id("ereq", episode.id),
        "role": entry.role,
        "role_id": entry.id,
        "target": target,
        "attributes": {} if version is None else version.attributes,
        "policy_uris": [],
        "assignments": [],
    }


def _outputs(job: Job, *, now: datetime) -> Iterable[RoleOutput]:
    """Yield the outputs that a worker has listed and sent."""
    listed = (job.result or {}).get("outputs")
    allowed = {file.name for file in coworlds().output_files(job.stored_spec)}
    sent = job.digests or {}
    for entry in (listed if isinstance(listed, list) else [])[:MAX_OUTPUTS]:
        name, size = entry.get("file"), entry.get("size_bytes")
        if name in allowed and name in sent and isinstance(size, int):
            yield RoleOutput(
                name=str(entry.get("name"))[:200],
                type=str(entry.get("type"))[:100],
                media_type=file_type(name),
                size_bytes=size,
                key=job_key(job.id, name),
                created_at=now,
            )


def _league(session: Session, episode: EpisodeRequest) -> League | None:
    if episode.round_id is not None:
        statement = select(League).join(Division, Division.league_id == League.id).join(Round)
        return session.scalar(statement.where(Round.id == episode.round_id))
    request = episode.experience_request
    return None if request is None or request.league_id is None else session.get(League, request.league_id)
