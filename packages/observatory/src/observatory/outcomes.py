"""Update what waits for a job whenever the job moves, in the same transaction. Every step is idempotent."""

from __future__ import annotations

import uuid
from datetime import datetime

from sqlalchemy.orm import Session

from observatory import events
from observatory.assays import service as assays
from observatory.database.tables.jobs import Job
from observatory.episodes.recording import record_job
from observatory.events import Change, ChangeKind
from observatory.job_states import JobStatus
from observatory.jobs import transitions
from observatory.matches import repository as matches
from observatory.matches import service as match_service

__all__ = ["install", "job_changed"]


def install() -> None:
    """Let matches and assays follow their jobs in this program; `create_app` calls it."""
    transitions.follow_with(job_changed)


def job_changed(session: Session, job: Job, *, now: datetime) -> uuid.UUID | None:
    """Copy a job's new state to its match or assay, and record its episode when it was played.

    The episode of a job that failed because of a policy is recorded too, with a tag; it does not count for scores.
    Return the season of the match; None if the job plays no match.
    """
    match = matches.match_of_job(session, job.id)
    season_id = None if match is None else match.pool.season_id
    run = None if match is not None else assays.run_of_job(session, job.id)
    if job.status is JobStatus.COMPLETED or (job.status is JobStatus.FAILED and job.result is not None):
        record_job(
            session,
            job,
            season_id=season_id,
            owner_id=None if run is None else run.user_id,
            now=now,
        )
    if match is not None:
        match_service.follow_job(session, match, job, now=now)
    if run is not None:
        assays.follow_job(session, run, now=now)
        events.note(session, Change(ChangeKind.ASSAY, ids=frozenset({run.id})))
    return season_id
