"""Copy what became of a job to its episode. Every step is idempotent: an episode that has ended stays as it is."""

from __future__ import annotations

import math
import uuid
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload

from observatory.database.tables.jobs import Job
from observatory.database.tables.leagues import Round, RoundStatus
from observatory.database.tables.requests import (
    EpisodeRequest,
    EpisodeRequestStatus,
    ExperienceRequest,
    ExperienceStatus,
)
from observatory.job_states import JobStatus
from observatory.jobs.schemas import ErrorInfo
from observatory.jobs.service import Ending, end
from observatory.notices.matches import Played, Seat, tell_ended
from observatory.public_ids import public_id
from observatory.requests.transitions import ENDED, move

__all__ = ["cancel_episode", "episode_of_job", "follow_job"]

_STATUS_OF_JOB = {
    JobStatus.PENDING: EpisodeRequestStatus.PENDING,
    JobStatus.DISPATCHED: EpisodeRequestStatus.SUBMITTED,
    JobStatus.RUNNING: EpisodeRequestStatus.RUNNING,
    JobStatus.COMPLETED: EpisodeRequestStatus.COMPLETED,
    JobStatus.FAILED: EpisodeRequestStatus.FAILED,
}
_ACTIVE_ROUND = (RoundStatus.PENDING, RoundStatus.CLAIMED, RoundStatus.RUNNING)
_ERROR_TYPES = {"internal_error": "worker_error", "policy_error": "player_error", "unknown": "platform_error"}
"""words of the queue, as episodes of Coworlds name them"""


def episode_of_job(session: Session, job_id: uuid.UUID) -> EpisodeRequest | None:
    statement = select(EpisodeRequest).options(selectinload(EpisodeRequest.seats))
    return session.scalar(statement.where(EpisodeRequest.job_id == job_id))


def follow_job(
    session: Session, episode: EpisodeRequest, job: Job, *, episode_id: uuid.UUID | None, now: datetime
) -> None:
    """Copy the state of its job to an episode, with scores or the error; `episode_id` is the recorded episode."""
    if episode.status in ENDED:
        return
    status = _STATUS_OF_JOB[job.status]
    if status is EpisodeRequestStatus.COMPLETED and job.result is None:
        status = EpisodeRequestStatus.FAILED  # an operator ended it by hand: there is nothing to score
    if status is EpisodeRequestStatus.PENDING and _is_cancelled(session, episode):
        cancel_episode(session, episode, job, now=now)  # it would be played once more
        return
    if status is episode.status:
        return
    episode.episode_id = episode_id
    if status is EpisodeRequestStatus.COMPLETED:
        assert job.result is not None
        for seat in episode.seats:
            score = float(job.result["rewards"][seat.position])
            seat.score = score if math.isfinite(score) else 0.0
    elif status is EpisodeRequestStatus.FAILED:
        error_type = job.error_type or "platform_error"
        episode.error_type = _ERROR_TYPES.get(error_type, error_type)
        episode.error = job.error or "An operator ended the job"
        episode.failed_policy_index = job.failed_policy_index
    move(session, episode, status, now=now)
    if episode.round_id is not None and status in (EpisodeRequestStatus.COMPLETED, EpisodeRequestStatus.FAILED):
        _tell_owners(session, episode, now=now)


def _tell_owners(session: Session, episode: EpisodeRequest, *, now: datetime) -> None:
    """Write notices about an episode of a round. Its members see the league, even if others do not."""
    league = session.get_one(Round, episode.round_id).division.league
    seats = [seat for seat in episode.seats if not seat.is_filler and seat.policy_version is not None]
    failed = episode.failed_policy_index
    guilty = next((number for number, seat in enumerate(seats) if seat.position == failed), None)
    played = Played(
        "episode",
        f"/observatory/episodes/{public_id('ereq', episode.id)}",
        league.name,
        league.id,
        [Seat(seat.policy_version, seat.score) for seat in seats if seat.policy_version is not None],
        guilty,
        episode.error if episode.status is EpisodeRequestStatus.FAILED else None,
    )
    tell_ended(session, played, now=now)


def cancel_episode(session: Session, episode: EpisodeRequest, job: Job, *, now: datetime) -> None:
    """Cancel an episode that waits for a worker, and take its job from the queue."""
    move(session, episode, EpisodeRequestStatus.CANCELLED, now=now)
    error = ErrorInfo(error_type="cancelled", message="The request was cancelled before the episode was played")
    end(session, job, Ending(JobStatus.FAILED, error=error), now=now)


def _is_cancelled(session: Session, episode: EpisodeRequest) -> bool:
    """Return whether the request or the round of an episode ended before it."""
    if episode.round_id is not None:
        return session.get_one(Round, episode.round_id).status not in _ACTIVE_ROUND
    if episode.experience_request_id is None:
        return False
    request = session.get_one(ExperienceRequest, episode.experience_request_id)
    return request.status is ExperienceStatus.CANCELLED
