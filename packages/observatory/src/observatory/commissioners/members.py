"""Apply what a commissioner decided about memberships: moves, states and endings. It never chooses champions."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from observatory import events
from observatory.commissioners.runs import ProtocolBroken
from observatory.database.tables.leagues import Division, League, Membership, MembershipEvent, MembershipStatus
from observatory.events import Change, ChangeKind
from observatory.leagues.champions import label
from observatory.leagues.competition_events import EventType, publish_membership_event
from observatory.leagues.submissions import champion_if_wanted

__all__ = ["apply_events", "as_events", "check_events"]

Event = Mapping[str, Any]
"""a `policy_membership_event`"""


def as_events(
    changes: Iterable[Mapping[str, Any]], memberships: Mapping[uuid.UUID, Membership]
) -> list[dict[str, Any]]:
    """Return the older `membership_changes` as events."""
    found = []
    for change in changes:
        membership = memberships.get(uuid.UUID(change["membership_id"]))
        found.append(
            {
                "league_policy_membership_id": change["membership_id"],
                "from_division_id": change["from_division_id"],
                "to_division_id": change["to_division_id"],
                "status": "" if membership is None else membership.status.value,
                "substatus": None,
                "reason": change["reason"],
                "end_time": None if change["is_active"] else "now",
                "notes": None,
                "evidence": [],
            }
        )
    return found


def check_events(
    wanted: Sequence[Event], memberships: Mapping[uuid.UUID, Membership], divisions: Mapping[uuid.UUID, Any]
) -> None:
    """Raise `ProtocolBroken` for an event about another league, a division that is not open, or an unknown state."""
    for event in wanted:
        membership_id = uuid.UUID(event["league_policy_membership_id"])
        if membership_id not in memberships:
            raise ProtocolBroken(f"{membership_id} is not a live membership of this league")
        target = event["to_division_id"]
        if target is not None and uuid.UUID(target) not in divisions:
            raise ProtocolBroken(f"{target} is not an open division of this league, so no one can move there")
        if event["status"] not in list(MembershipStatus):
            known = ", ".join(MembershipStatus)
            raise ProtocolBroken(f"A membership is one of: {known}; not {event['status'][:80]!r}")


def apply_events(
    session: Session,
    league: League,
    wanted: Sequence[Event],
    memberships: Mapping[uuid.UUID, Membership],
    divisions: Mapping[uuid.UUID, Division],
    *,
    now: datetime,
    round_id: uuid.UUID | None = None,
) -> None:
    """Apply events that `check_events` has accepted; `round_id` is the round that caused them."""
    for event in wanted:
        membership = memberships[uuid.UUID(event["league_policy_membership_id"])]
        _apply(session, membership, event, divisions, now=now, round_id=round_id)
    if wanted:
        session.flush()
        events.note(session, Change(ChangeKind.LEAGUE_ENTRY, ids=frozenset({league.id})))


def _apply(
    session: Session,
    membership: Membership,
    event: Event,
    divisions: Mapping[uuid.UUID, Division],
    *,
    now: datetime,
    round_id: uuid.UUID | None,
) -> None:
    before, was = membership.division, membership.status
    target = event["to_division_id"]
    if target is not None:
        membership.division = divisions[uuid.UUID(target)]
    membership.status = MembershipStatus(event["status"])
    if event["substatus"] is not None or membership.status is not was:
        membership.substatus = None if event["substatus"] is None else event["substatus"][:100]
    if event["end_time"] is not None or membership.status is MembershipStatus.DISQUALIFIED:
        membership.end_time = membership.end_time or now
    if membership.end_time is not None or membership.status is not MembershipStatus.COMPETING:
        membership.is_champion = False
    session.flush()
    session.add(
        MembershipEvent(
            membership_id=membership.id,
            from_division_id=before.id,
            to_division_id=None if membership.end_time is not None else membership.division.id,
            status=membership.status,
            substatus=membership.substatus,
            reason=event["reason"],
            notes=event["notes"],
            evidence=list(event["evidence"]),
            created_at=now,
        )
    )
    _publish(session, membership, before, event["reason"], now=now, round_id=round_id)
    starts = membership.status is MembershipStatus.COMPETING and was is not MembershipStatus.COMPETING
    if starts and membership.end_time is None:
        champion_if_wanted(session, membership, now=now)


def _publish(
    session: Session,
    membership: Membership,
    before: Division,
    reason: str,
    *,
    now: datetime,
    round_id: uuid.UUID | None,
) -> None:
    kind: EventType
    if membership.status is MembershipStatus.DISQUALIFIED:
        kind, headline = "membership_disqualified", f"{label(membership)} was disqualified"
    elif membership.end_time is not None:
        kind, headline = "membership_retired", f"{label(membership)} left {membership.league.name}"
    elif membership.division.level > before.level:
        kind, headline = "membership_promoted", f"{label(membership)} moved up to {membership.division.name}"
    elif membership.division.level < before.level:
        kind, headline = "membership_relegated", f"{label(membership)} moved down to {membership.division.name}"
    else:
        return
    publish_membership_event(session, kind, membership, headline, now=now, summary=reason, round_id=round_id)
