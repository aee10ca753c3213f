"""Take a member out of a league because of what it did, and let it play again."""

from __future__ import annotations

import uuid
from datetime import datetime

from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.database.tables.leagues import DivisionType, Membership, MembershipStatus
from observatory.errors import Conflict, Forbidden
from observatory.leagues import champions, entries
from observatory.leagues.competition_events import publish_membership_event

__all__ = ["disqualify", "disqualify_by_hand", "restore"]


def disqualify(
    session: Session, membership: Membership, why: str, *, now: datetime, round_id: uuid.UUID | None = None
) -> None:
    """Disqualify a live member. The same version cannot enter the league again."""
    membership.status, membership.is_champion = MembershipStatus.DISQUALIFIED, False
    membership.end_time = now
    champions.record(session, membership, why, now=now)
    headline = f"{champions.label(membership)} was disqualified"
    publish_membership_event(
        session, "membership_disqualified", membership, headline, now=now, summary=why, round_id=round_id
    )


def disqualify_by_hand(
    session: Session, principal: Principal, membership: Membership, reason: str, *, now: datetime
) -> None:
    """Disqualify a live member: the owner of the league and administrators."""
    _check_manager(principal, membership)
    if membership.end_time is not None:
        raise Conflict(f"This membership ended already, at {membership.end_time:%Y-%m-%d %H:%M} UTC")
    disqualify(session, membership, reason, now=now)


def restore(session: Session, principal: Principal, membership: Membership, reason: str, *, now: datetime) -> None:
    """Let a disqualified member play again; it is the champion of a player that has no other one."""
    _check_manager(principal, membership)
    if membership.status is not MembershipStatus.DISQUALIFIED:
        raise Conflict("This membership is not disqualified")
    if membership.division.archived_at is not None:
        raise Conflict(f"The division {membership.division.name!r} of this membership is archived")
    is_staging = membership.division.type is DivisionType.STAGING
    membership.status = MembershipStatus.QUALIFYING if is_staging else MembershipStatus.COMPETING
    membership.substatus, membership.end_time = None if is_staging else champions.BENCHED, None
    champions.record(session, membership, reason, now=now)
    headline = f"{champions.label(membership)} plays in {membership.league.name} again"
    publish_membership_event(session, "membership_restored", membership, headline, now=now, summary=reason)
    if not is_staging and entries.champion(session, membership.league_id, membership.player_id) is None:
        champions.make_champion(session, membership, now=now)


def _check_manager(principal: Principal, membership: Membership) -> None:
    is_owner = membership.league.user_id == principal.user_id and not principal.is_player
    if not (principal.is_admin or is_owner):
        raise Forbidden("Only the owner of the league and administrators may do this")
