"""Write the feed of events of leagues: one event per change, in the transaction of the change, with its notices."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any, Literal

from sqlalchemy.orm import Session

from observatory.database.tables.leagues import (
    CompetitionEvent,
    EventAudience,
    League,
    LeagueSubmission,
    Membership,
    Round,
)
from observatory.notices.leagues import tell_league_event

__all__ = [
    "EventType",
    "publish_league_event",
    "publish_membership_event",
    "publish_round_event",
    "publish_submission_event",
]

EventType = Literal[
    "submission_placed",
    "submission_rejected",
    "membership_promoted",
    "membership_relegated",
    "membership_disqualified",
    "membership_restored",
    "membership_retired",
    "champion_changed",
    "round_started",
    "round_completed",
    "round_failed",
    "rank_changed",
    "league_paused",
    "league_resumed",
]


def publish_league_event(session: Session, kind: EventType, league: League, headline: str, *, now: datetime) -> None:
    """Publish an event about a whole league."""
    session.add(
        CompetitionEvent(
            event_type=kind,
            audience=EventAudience.PUBLIC,
            league_id=league.id,
            headline=headline,
            summary="",
            payload={},
            created_at=now,
        )
    )


def publish_round_event(
    session: Session, kind: EventType, round_: Round, headline: str, *, now: datetime, summary: str = ""
) -> None:
    """Publish an event about a round of a division."""
    session.add(
        CompetitionEvent(
            event_type=kind,
            audience=EventAudience.PUBLIC,
            league_id=round_.division.league_id,
            division_id=round_.division_id,
            round_id=round_.id,
            headline=headline,
            summary=summary,
            payload={},
            created_at=now,
        )
    )


def publish_membership_event(
    session: Session,
    kind: EventType,
    membership: Membership,
    headline: str,
    *,
    now: datetime,
    summary: str = "",
    payload: dict[str, Any] | None = None,
    round_id: uuid.UUID | None = None,
) -> None:
    """Publish an event about a member of a league; `round_id` is the round that caused it."""
    event = CompetitionEvent(
        event_type=kind,
        audience=EventAudience.PUBLIC,
        user_id=membership.user_id,
        player_id=membership.player_id,
        policy_version_id=membership.policy_version_id,
        league_id=membership.league_id,
        division_id=membership.division_id,
        round_id=round_id,
        headline=headline,
        summary=summary,
        payload=payload or {},
        created_at=now,
    )
    session.add(event)
    tell_league_event(session, event, now=now)


def publish_submission_event(
    session: Session, kind: EventType, submission: LeagueSubmission, headline: str, *, now: datetime, summary: str
) -> None:
    """Publish the end of a submission. Only its owner sees that it was rejected."""
    is_private = kind == "submission_rejected"
    event = CompetitionEvent(
        event_type=kind,
        audience=EventAudience.USER if is_private else EventAudience.PUBLIC,
        user_id=submission.user_id,
        player_id=submission.player_id,
        policy_version_id=submission.policy_version_id,
        league_id=submission.league_id,
        headline=headline,
        summary=summary,
        payload={"league_submission_id": f"sub_{submission.id}"},
        created_at=now,
    )
    session.add(event)
    tell_league_event(session, event, now=now)
