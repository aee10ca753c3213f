"""Move episodes on request, and the experience requests they belong to, from state to state."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from observatory import events
from observatory.database.tables.requests import (
    EpisodeRequest,
    EpisodeRequestStatus,
    EvidenceState,
    ExperienceRequest,
    ExperienceStatus,
)
from observatory.errors import Conflict
from observatory.events import Change, ChangeKind
from observatory.requests.creation import next_revision

__all__ = ["ENDED", "cancel_request", "move"]

ENDED = frozenset({EpisodeRequestStatus.COMPLETED, EpisodeRequestStatus.FAILED, EpisodeRequestStatus.CANCELLED})
_WAITING = (EpisodeRequestStatus.PENDING, EpisodeRequestStatus.SUBMITTED)


def move(session: Session, episode: EpisodeRequest, to: EpisodeRequestStatus, *, now: datetime) -> None:
    """Set the state of an episode that has not ended, and that of its request. Set its error and scores before.

    A job ends after its files are stored, so the evidence of an ended episode is sealed.
    """
    assert episode.status not in ENDED
    episode.status = to
    if to in ENDED:
        episode.completed_at, episode.evidence = now, EvidenceState.SEALED
    episode.revision = next_revision(session)
    session.flush()
    if episode.experience_request_id is not None:
        _follow(session, session.get_one(ExperienceRequest, episode.experience_request_id), now=now)
    events.note(session, Change(ChangeKind.REQUEST, ids=frozenset({episode.id})))
    if episode.round_id is not None:
        events.note(session, Change(ChangeKind.ROUND_EPISODE, ids=frozenset({episode.round_id})))


def _follow(session: Session, request: ExperienceRequest, *, now: datetime) -> None:
    """Start a request with its first episode, and complete it with the last; a cancelled one stays cancelled."""
    if request.status not in (ExperienceStatus.PENDING, ExperienceStatus.RUNNING):
        return
    statement = select(EpisodeRequest.status, func.count()).where(EpisodeRequest.experience_request_id == request.id)
    rows = session.execute(statement.group_by(EpisodeRequest.status)).all()
    counts: dict[EpisodeRequestStatus, int] = {row[0]: row[1] for row in rows}
    if all(status in ENDED for status in counts):
        request.status, request.completed_at = ExperienceStatus.COMPLETED, now
    elif any(status not in _WAITING for status in counts):
        request.status = ExperienceStatus.RUNNING
    if request.status is not ExperienceStatus.PENDING and request.started_at is None:
        request.started_at = now
    session.flush()


def cancel_request(session: Session, request: ExperienceRequest, *, now: datetime) -> bool:
    """Cancel a request; return False if it is cancelled already. `Conflict` if it has ended otherwise."""
    if request.status is ExperienceStatus.CANCELLED:
        return False
    if request.status not in (ExperienceStatus.PENDING, ExperienceStatus.RUNNING):
        raise Conflict(f"The request is {request.status.value} and cannot be cancelled any more")
    request.status, request.completed_at = ExperienceStatus.CANCELLED, now
    session.flush()
    events.note(session, Change(ChangeKind.REQUEST))
    return True
