"""Join and leave pools. Every change adds a row; a member is deleted only with a version that never played."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from observatory import events
from observatory.database import new_id
from observatory.database.tables.policies import PolicyVersion
from observatory.database.tables.seasons import MembershipAction, MembershipChange, Pool, PoolPlayer
from observatory.events import Change, ChangeKind
from observatory.seasons import repository

__all__ = ["add_member", "remove_member"]


def add_member(
    session: Session, pool: Pool, version: PolicyVersion, *, now: datetime, notes: str | None = None
) -> PoolPlayer:
    """Add a version to a pool; do nothing if it is active, reactivate it if it is retired."""
    player = repository.member(session, pool.id, version.id)
    if player is not None and not player.retired:
        return player
    if player is None:
        player = PoolPlayer(id=new_id(), pool_id=pool.id, policy_version_id=version.id, retired=False, created_at=now)
        session.add(player)
    player.retired = False
    session.flush()
    _record(session, player, MembershipAction.ADD, notes, now)
    return player


def remove_member(session: Session, player: PoolPlayer, *, now: datetime, notes: str | None = None) -> None:
    """Retire a member; do nothing if it is retired."""
    if player.retired:
        return
    player.retired = True
    _record(session, player, MembershipAction.REMOVE, notes, now)


def _record(session: Session, player: PoolPlayer, action: MembershipAction, notes: str | None, now: datetime) -> None:
    session.add(MembershipChange(id=new_id(), pool_player_id=player.id, action=action, notes=notes, created_at=now))
    session.flush()
    season_id = player.pool.season_id
    events.note(session, Change(ChangeKind.MEMBERSHIP, season_id, frozenset({player.policy_version_id})))
