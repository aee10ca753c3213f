"""Withdraw policies from seasons."""

from __future__ import annotations

import uuid
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.database.tables.seasons import (
    MembershipAction,
    MembershipChange,
    Pool,
    PoolPlayer,
    Season,
    SeasonStatus,
    TournamentType,
)
from observatory.errors import BadRequest, Conflict
from observatory.policies.service import own_version
from observatory.seasons import repository
from observatory.seasons.memberships import remove_member
from observatory.seasons.repository import SeasonReference

__all__ = ["NotWithdrawn", "withdraw", "withdrawn_versions"]

WITHDRAWN = "Withdrawn by its owner"


class NotWithdrawn(Conflict):
    def __init__(self, season: str, why: str) -> None:
        super().__init__(f"The policy version cannot be withdrawn from season {season!r}: {why}")


def withdraw(
    session: Session, principal: Principal, reference: str, policy_version_id: uuid.UUID, *, now: datetime
) -> list[str]:
    """Retire a version of the caller's from all pools of a season; return the pools that it left.

    Matches that are scheduled are still played. A team season can be left until it starts: later its stages depend on
    every policy in it.
    """
    season = repository.season(session, reference, principal)
    if SeasonReference.parse(reference).version is not None:
        raise BadRequest(f"Withdraw from {season.name!r} without naming a version")
    version = own_version(session, principal, policy_version_id)
    players = _memberships(session, season, version.id)
    if not players:
        raise NotWithdrawn(season.name, "it was not submitted")
    if season.status is SeasonStatus.complete or season.disabled_at is not None:
        raise NotWithdrawn(season.name, "the season is over")
    if season.tournament_type is TournamentType.team and season.started_at is not None:
        raise NotWithdrawn(season.name, "the team season has started")
    active = [player for player in players if not player.retired]
    if not active:
        raise NotWithdrawn(season.name, "it is out of the season already")
    for player in active:
        remove_member(session, player, now=now, notes=WITHDRAWN)
    return [player.pool.name for player in active]


def withdrawn_versions(session: Session, season_id: uuid.UUID) -> set[uuid.UUID]:
    """Return the versions that their owners withdrew from a season."""
    statement = (
        select(PoolPlayer.policy_version_id)
        .join(Pool, PoolPlayer.pool_id == Pool.id)
        .join(MembershipChange, MembershipChange.pool_player_id == PoolPlayer.id)
        .where(
            Pool.season_id == season_id,
            MembershipChange.action == MembershipAction.REMOVE,
            MembershipChange.notes == WITHDRAWN,
        )
    )
    return set(session.scalars(statement))


def _memberships(session: Session, season: Season, policy_version_id: uuid.UUID) -> list[PoolPlayer]:
    statement = select(PoolPlayer).join(Pool).where(Pool.season_id == season.id)
    return list(session.scalars(statement.where(PoolPlayer.policy_version_id == policy_version_id)))
