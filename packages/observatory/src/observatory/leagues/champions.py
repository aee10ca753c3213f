"""Memberships that change: champions, retirement and deactivation. Every change is recorded and published."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from observatory import events
from observatory.accounts.principal import Principal
from observatory.database.tables.leagues import Division, League, Membership, MembershipEvent, MembershipStatus
from observatory.errors import Conflict, Forbidden
from observatory.events import Change, ChangeKind
from observatory.leagues import entries
from observatory.leagues.competition_events import publish_membership_event

__all__ = [
    "label",
    "make_champion",
    "nominate",
    "record",
    "retire",
    "retire_surplus_players",
    "transfer",
]

ACTIVE = "active"
BENCHED = "benched"
INACTIVE = "inactive"


def label(membership: Membership) -> str:
    """Return the name of the member's policy version."""
    version = membership.policy_version
    return f"{version.policy.name}:v{version.version}"


def record(
    session: Session,
    membership: Membership,
    reason: str,
    *,
    now: datetime,
    is_new: bool = False,
    before: Division | None = None,
) -> None:
    """Record the current state of a membership, and why it changed. `before` is the division that it has left."""
    session.flush()
    former_id = membership.division_id if before is None else before.id
    session.add(
        MembershipEvent(
            membership_id=membership.id,
            from_division_id=None if is_new else former_id,
            to_division_id=None if membership.end_time is not None else membership.division_id,
            status=membership.status,
            substatus=membership.substatus,
            reason=reason,
            evidence=[],
            created_at=now,
        )
    )
    events.note(session, Change(ChangeKind.LEAGUE_ENTRY, ids=frozenset({membership.league_id})))


def transfer(session: Session, membership: Membership, target: Division, reason: str, *, now: datetime) -> None:
    """Move a membership to another division."""
    before = membership.division
    membership.division = target
    record(session, membership, reason, now=now, before=before)


def make_champion(session: Session, membership: Membership, *, now: datetime) -> None:
    """Make a competing membership the champion of its player; the former one is benched."""
    former = entries.champion(session, membership.league_id, membership.player_id)
    if former is membership:
        return
    if former is not None:
        former.is_champion, former.substatus = False, BENCHED
        record(session, former, f"{label(membership)} is the champion now", now=now)
    membership.is_champion, membership.substatus = True, ACTIVE
    record(session, membership, "Champion", now=now)
    publish_membership_event(
        session,
        "champion_changed",
        membership,
        f"{membership.player.name} plays {label(membership)} in {membership.league.name}",
        now=now,
        payload={"former_champion": None if former is None else f"lpm_{former.id}"},
    )


def nominate(session: Session, principal: Principal, membership: Membership, *, now: datetime) -> None:
    """Make a membership of the caller the champion."""
    if not _is_own(principal, membership):
        raise Forbidden("Only the player of a membership chooses its champion")
    if membership.end_time is not None or membership.status is not MembershipStatus.COMPETING:
        raise Conflict(f"This membership is not competing, so it cannot be the champion; it is {_state(membership)}")
    make_champion(session, membership, now=now)


def retire(
    session: Session, principal: Principal, membership: Membership, *, reason: str | None, now: datetime
) -> None:
    """Take a membership out of play: its owner, the league's owner or an administrator."""
    league = membership.league
    manages = principal.is_admin or (league.user_id == principal.user_id and not principal.is_player)
    if not (manages or _is_own(principal, membership)):
        raise Forbidden("Only the player of a membership and the owner of the league may retire it")
    if membership.end_time is not None:
        raise Conflict(f"This membership ended already, at {membership.end_time:%Y-%m-%d %H:%M} UTC")
    _end(session, membership, reason or "Retired", now=now)
    publish_membership_event(
        session,
        "membership_retired",
        membership,
        f"{label(membership)} retired from {league.name}",
        now=now,
        summary=reason or "",
    )


def retire_surplus_players(session: Session, league: League, user_id: str, *, limit: int, now: datetime) -> None:
    """End the memberships of a user's players beyond the limit; the players who entered last stay."""
    live = entries.live_memberships(session, league.id, user_id=user_id)
    kept: list[str] = []
    for membership in live:
        if membership.player_id not in kept:
            kept.append(membership.player_id)
    for membership in _of_players(live, kept[limit:]):
        membership.substatus = INACTIVE
        _end(session, membership, f"The league takes {limit} players of a user; a newer one entered", now=now)
        publish_membership_event(
            session,
            "membership_retired",
            membership,
            f"{label(membership)} left {league.name}",
            now=now,
            summary=f"Another player of the same user entered, and the league takes {limit}",
        )


def _of_players(memberships: Sequence[Membership], player_ids: Sequence[str]) -> list[Membership]:
    return [membership for membership in memberships if membership.player_id in player_ids]


def _end(session: Session, membership: Membership, reason: str, *, now: datetime) -> None:
    membership.end_time, membership.is_champion = now, False
    record(session, membership, reason, now=now)


def _is_own(principal: Principal, membership: Membership) -> bool:
    return membership.user_id == principal.user_id and principal.player_id in (None, membership.player_id)


def _state(membership: Membership) -> str:
    return "ended" if membership.end_time is not None else membership.status.value
