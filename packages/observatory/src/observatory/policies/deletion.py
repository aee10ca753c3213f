"""Delete policy versions that no result depends on.

A match, an episode, an assay, a team or a league entry is a public record that names its policies and can be played
again, so a version in one of them stays. Foreign keys decide: a table that is not listed here prevents the deletion.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, delete, select
from sqlalchemy.orm import Session

from observatory import events
from observatory.accounts.principal import Principal
from observatory.database import Base
from observatory.database.tables.matches import MatchPlayer
from observatory.database.tables.policies import (
    NetworkGrant,
    Policy,
    PolicyKind,
    PolicySecret,
    PolicyVersion,
    SecretRead,
    Upload,
)
from observatory.database.tables.seasons import MembershipChange, PoolPlayer
from observatory.errors import Conflict
from observatory.events import Change, ChangeKind
from observatory.policies.service import LAST_VERSION, own_policy, own_version

__all__ = ["Deleted", "delete_policy", "delete_version"]

_OWNED = (NetworkGrant, PolicySecret, SecretRead, Upload)
"""rows that are deleted with their version"""
_WORDS = {
    "assay_runs": "an assay",
    "episodes": "an episode",
    "episode_policies": "an episode",
    "policy_logs": "a match",
    "team_members": "a team",
    "league_submissions": "a league",
    "memberships": "a league",
    "round_results": "a league",
    "competition_events": "a league",
    "episode_seats": "an episode on request",
    "friendlies": "a friendly match",
}


class StillUsed(Conflict):
    def __init__(self, label: str, where: str) -> None:
        super().__init__(f"{label} cannot be deleted: it is part of {where}")


@dataclass(frozen=True)
class Deleted:
    """The labels of deleted versions, and the keys of files to remove from the store after the transaction."""

    labels: list[str]
    keys: list[str]


def delete_version(session: Session, principal: Principal, policy_version_id: uuid.UUID) -> Deleted:
    """Delete a version of the caller's, and its policy if it was the only one; `Conflict` if a result names it."""
    version = own_version(session, principal, policy_version_id)
    return _delete(session, version.policy, [version])


def delete_policy(session: Session, principal: Principal, policy_id: uuid.UUID) -> Deleted:
    """Delete a policy of the caller's with all versions; `Conflict`, and nothing is deleted, if a result names one."""
    policy = own_policy(session, principal, policy_id)
    versions = session.scalars(select(PolicyVersion).where(PolicyVersion.policy_id == policy.id))
    return _delete(session, policy, list(versions))


def _delete(session: Session, policy: Policy, versions: Sequence[PolicyVersion]) -> Deleted:
    for version in versions:
        _check_unused(session, policy, version)
    deleted = Deleted(
        [f"{policy.name}:v{version.version}" for version in versions],
        # A file is stored once for all versions with its content; the sweep of leftovers removes it.
        [version.bundle_key for version in versions if version.bundle_key and version.kind is PolicyKind.BUNDLE],
    )
    ids = [version.id for version in versions]
    players = select(PoolPlayer.id).where(PoolPlayer.policy_version_id.in_(ids))
    session.execute(delete(MembershipChange).where(MembershipChange.pool_player_id.in_(players)))
    session.execute(delete(PoolPlayer).where(PoolPlayer.policy_version_id.in_(ids)))
    for table in _OWNED:
        session.execute(delete(table).where(table.policy_version_id.in_(ids)))
    last = max((version.version for version in versions), default=0)
    session.execute(delete(PolicyVersion).where(PolicyVersion.id.in_(ids)))
    session.expire_all()
    if session.scalar(select(PolicyVersion.id).where(PolicyVersion.policy_id == policy.id).limit(1)) is None:
        session.delete(policy)
    else:
        last = max(last, int(policy.attributes.get(LAST_VERSION, 0)))
        policy.attributes = {**policy.attributes, LAST_VERSION: last}
    session.flush()
    for kind in (ChangeKind.POLICY, ChangeKind.MEMBERSHIP):
        events.note(session, Change(kind, ids=frozenset(ids)))
    return deleted


def _check_unused(session: Session, policy: Policy, version: PolicyVersion) -> None:
    """Raise `StillUsed` if a row that stays refers to the version."""
    label = f"{policy.name}:v{version.version}"
    players = select(PoolPlayer).where(PoolPlayer.policy_version_id == version.id)
    for player in session.scalars(players):
        if not player.retired:
            raise StillUsed(label, f"season {player.pool.season.name!r}; withdraw it first")
        if session.scalar(select(MatchPlayer.match_id).where(MatchPlayer.pool_player_id == player.id).limit(1)):
            raise StillUsed(label, f"matches of season {player.pool.season.name!r}, which stay for others to check")
    owned = {table.__tablename__ for table in (*_OWNED, PoolPlayer)}
    for table, column in _references():
        if table not in owned and session.execute(select(column).where(column == version.id).limit(1)).first():
            raise StillUsed(label, _WORDS.get(table, f"a record in {table}"))


def _references() -> Iterator[tuple[str, Column[Any]]]:
    """Yield table and column of every foreign key to a policy version."""
    for table in Base.metadata.sorted_tables:
        for column in table.columns:
            if any(key.target_fullname == "policy_versions.id" for key in column.foreign_keys):
                yield table.name, column
