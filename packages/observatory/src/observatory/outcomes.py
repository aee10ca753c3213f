"""Update what waits for a job whenever the job moves, in the same transaction. Every step is idempotent."""

from __future__ import annotations

import uuid
from datetime import datetime

from sqlalchemy.orm import Session

from observatory import events
from observatory.assays import service as assays
from observatory.commissioners import conversation
from observatory.coworlds import repository as coworlds
from observatory.coworlds import role_runs
from observatory.coworlds.certification import CERTIFICATION, follow_job
from observatory.coworlds.promotion import promote_if_ready
from observatory.database.tables.episodes import Episode
from observatory.database.tables.jobs import Job
from observatory.database.tables.requests import RequestSource
from observatory.episodes.recording import record_job
from observatory.events import Change, ChangeKind
from observatory.experience.repository import is_in_public_league
from observatory.friendlies import repository as friendlies
from observatory.friendlies import service as friendly_service
from observatory.hosting import games as hosting
from observatory.job_states import COMMISSIONER, HOSTED, JobStatus
from observatory.jobs import transitions
from observatory.jobs.finishing import is_played_episode
from observatory.matches import repository as matches
from observatory.matches import service as match_service
from observatory.requests import following

__all__ = ["install", "job_changed"]


def install() -> None:
    """Let matches, assays and requests follow their jobs in this program; `create_app` calls it."""
    transitions.follow_with(job_changed)


def job_changed(session: Session, job: Job, *, now: datetime) -> uuid.UUID | None:
    """Copy a job's new state to its match, assay or request, and record its episode when it was played.

    The episode of a job that failed because of a policy is recorded too, with a tag; it does not count for scores.
    Return the season of the match; None if the job plays no match.
    """
    if job.job_type == CERTIFICATION:
        _follow_certification(session, job, now=now)
        return None
    if job.job_type == role_runs.ROLE:
        role_runs.follow_job(session, job, now=now)
        return None
    if job.job_type == COMMISSIONER:
        conversation.follow_job(session, job, now=now)
        return None
    if job.job_type == HOSTED:
        hosting.follow_job(session, job, now=now)
        if not is_played_episode(job):
            return None
    match = matches.match_of_job(session, job.id)
    season_id = None if match is None else match.pool.season_id
    run = None if match is not None else assays.run_of_job(session, job.id)
    request = None if match is not None or run is not None else following.episode_of_job(session, job.id)
    friendly = None
    if match is None and run is None and request is None:
        friendly = friendlies.friendly_of_job(session, job.id)
    episode: Episode | None = None
    if job.status is JobStatus.COMPLETED or (job.status is JobStatus.FAILED and job.result is not None):
        owner_id = None if run is None else run.user_id
        if request is not None:
            owner_id = None if is_in_public_league(session, request) else request.user_id
        episode = record_job(session, job, season_id=season_id, owner_id=owner_id, now=now)
    if match is not None:
        match_service.follow_job(session, match, job, now=now)
    if friendly is not None:
        friendly_service.follow_job(session, friendly, job, now=now)
    if run is not None:
        assays.follow_job(session, run, now=now)
        events.note(session, Change(ChangeKind.ASSAY, ids=frozenset({run.id})))
    if request is not None:
        episode_id = None if episode is None else episode.id
        following.follow_job(session, request, job, episode_id=episode_id, now=now)
        role_runs.request_by_league(session, request, now=now)
        if request.source is RequestSource.COWORLD_UPLOAD:
            promote_if_ready(session, request.coworld_id)
    return season_id


def _follow_certification(session: Session, job: Job, *, now: datetime) -> None:
    row = coworlds.certification_of_job(session, job.id)
    if row is not None:  # a retry has another job
        follow_job(session, row, job, now=now)
        promote_if_ready(session, row.coworld_id)
