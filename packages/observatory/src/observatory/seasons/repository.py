"""All queries for seasons, and their visibility: only staff sees private seasons and drafts."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, and_, case, func, select, true
from sqlalchemy.orm import Session, contains_eager, joinedload, selectinload
from sqlalchemy.sql.base import ExecutableOption

from observatory.accounts.principal import Principal
from observatory.database.cache import cached_value
from observatory.database.tables.policies import Policy, PolicyVersion
from observatory.database.tables.seasons import (
    EnvConfig,
    MembershipChange,
    Pool,
    PoolPlayer,
    Season,
    Team,
    TeamMember,
    TournamentType,
)
from observatory.errors import NotFound
from observatory.events import ChangeKind
from observatory.paging import Page, count
from softmax.wire import PolicyVersionSummary

__all__ = ["SeasonReference", "TeamFilter"]

_REFERENCE = re.compile(r"(?P<name>.+?)(:v?(?P<version>[0-9]{1,9}))?", re.DOTALL)


@dataclass(frozen=True)
class SeasonReference:
    """`name`, `name:v3` or `name:3`; without a version the canonical one is meant."""

    name: str
    version: int | None

    @classmethod
    def parse(cls, text: str) -> SeasonReference:
        match = _REFERENCE.fullmatch(text)
        if match is None:
            return cls(text, None)
        version = match["version"]
        return cls(match["name"], None if version is None else int(version))


def visible(principal: Principal | None) -> ColumnElement[bool]:
    """Return the condition for the seasons that the caller may see."""
    if principal is not None and principal.is_admin:
        return true()
    return and_(Season.public, Season.opened_at.is_not(None))


def seasons(session: Session, principal: Principal | None) -> list[Season]:
    """Return the canonical version of each enabled season; the overall default first, then the other defaults."""
    statement = (
        select(Season)
        .where(Season.canonical, Season.disabled_at.is_(None), visible(principal))
        .options(selectinload(Season.pools))
        .order_by(
            Season.is_default.desc(),
            case((Season.tournament_type == TournamentType.freeplay, 0), else_=1),
            Season.name,
        )
    )
    return list(session.scalars(statement))


def season(session: Session, reference: str, principal: Principal | None) -> Season:
    """Return the season of a reference; `NotFound` also when the caller may not see it."""
    parsed = SeasonReference.parse(reference)
    condition = Season.canonical if parsed.version is None else Season.version == parsed.version
    statement = select(Season).where(Season.name == parsed.name, condition, visible(principal))
    row = session.scalar(statement.options(selectinload(Season.pools)))
    if row is None:
        raise NotFound(f"Season {reference!r} not found")
    return row


def versions(session: Session, name: str, principal: Principal | None) -> list[Season]:
    """Return all versions of a name, newest first."""
    statement = select(Season).where(Season.name == name, visible(principal))
    return list(session.scalars(statement.order_by(Season.version.desc())))


def all_versions(session: Session) -> list[Season]:
    """Return every version of every season, for operators: by name, newest first."""
    return list(session.scalars(select(Season).order_by(Season.name, Season.version.desc())))


def pool(season: Season, name: str) -> Pool:
    for row in season.pools:
        if row.name == name:
            return row
    raise NotFound(f"Pool {name!r} not found in season {season.name!r}")


def env_config(session: Session, config_id: uuid.UUID, principal: Principal | None) -> EnvConfig:
    """Return a config of a pool that the caller may see."""
    statement = (
        select(EnvConfig)
        .join(Pool, Pool.config_id == EnvConfig.id)
        .join(Season, Pool.season_id == Season.id)
        .where(EnvConfig.id == config_id, visible(principal))
    )
    row = session.scalars(statement).first()
    if row is None:
        raise NotFound(f"There is no config {config_id}")
    return row


@dataclass(frozen=True)
class PoolCounts:
    """Members of a pool, and its teams."""

    members: int = 0
    active: int = 0
    teams: int = 0
    eliminated: int = 0


def pool_counts(session: Session, season_id: uuid.UUID) -> dict[uuid.UUID, PoolCounts]:
    """Count members and teams by pool id; empty pools are left out."""
    is_active = case((PoolPlayer.retired.is_(False), 1), else_=0)
    players = (
        select(PoolPlayer.pool_id, func.count(), func.sum(is_active))
        .join(Pool)
        .where(Pool.season_id == season_id)
        .group_by(PoolPlayer.pool_id)
    )
    is_eliminated = case((Team.eliminated, 1), else_=0)
    teams = (
        select(Team.pool_id, func.count(), func.sum(is_eliminated))
        .join(Pool)
        .where(Pool.season_id == season_id)
        .group_by(Team.pool_id)
    )
    members = {pool_id: (total, active) for pool_id, total, active in session.execute(players)}
    groups = {pool_id: (total, out) for pool_id, total, out in session.execute(teams)}
    return {
        pool_id: PoolCounts(*members.get(pool_id, (0, 0)), *groups.get(pool_id, (0, 0)))
        for pool_id in members.keys() | groups.keys()
    }


def entrant_counts(session: Session, season_id: uuid.UUID) -> tuple[int, int]:
    """Return how many policy versions have ever been in the season, and how many are in one of its pools now."""
    entrants = select(PoolPlayer.policy_version_id).join(Pool).where(Pool.season_id == season_id).distinct()
    return count(session, entrants), count(session, entrants.where(PoolPlayer.retired.is_(False)))


def members(session: Session, pool_ids: Iterable[uuid.UUID], *, active_only: bool = False) -> list[PoolPlayer]:
    """Return members of pools with their policies, in the order they came."""
    statement = (
        select(PoolPlayer)
        .where(PoolPlayer.pool_id.in_(list(pool_ids)))
        .options(joinedload(PoolPlayer.policy_version).joinedload(PolicyVersion.policy))
        .order_by(PoolPlayer.created_at, PoolPlayer.id)
    )
    if active_only:
        statement = statement.where(PoolPlayer.retired.is_(False))
    return list(session.scalars(statement))


@dataclass(frozen=True, slots=True)
class MemberRow:
    """A member of a pool, without related rows."""

    id: uuid.UUID
    pool_id: uuid.UUID
    policy: PolicyVersionSummary
    retired: bool
    created_at: datetime


def member_rows(session: Session, pool_ids: Iterable[uuid.UUID], owner: str | None) -> list[MemberRow]:
    """Return members of pools in the order they came; with `owner` those of one user."""
    statement = (
        select(
            PoolPlayer.id,
            PoolPlayer.pool_id,
            PoolPlayer.policy_version_id,
            Policy.name,
            PolicyVersion.version,
            PoolPlayer.retired,
            PoolPlayer.created_at,
        )
        .join(PolicyVersion, PoolPlayer.policy_version_id == PolicyVersion.id)
        .join(Policy, PolicyVersion.policy_id == Policy.id)
        .where(PoolPlayer.pool_id.in_(list(pool_ids)))
        .order_by(PoolPlayer.created_at, PoolPlayer.id)
    )
    if owner is not None:
        statement = statement.where(Policy.user_id == owner)
    return [
        MemberRow(member, pool, PolicyVersionSummary(id=version, name=name, version=number), retired, at)
        for member, pool, version, name, number, retired, at in session.execute(statement)
    ]


def version_names(session: Session, pool_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, PolicyVersionSummary]:
    """Return the names of all policies that are or were in pools, by version id."""
    pools = tuple(pool_ids)
    statement = (
        select(PolicyVersion.id, Policy.name, PolicyVersion.version)
        .join(Policy, PolicyVersion.policy_id == Policy.id)
        .join(PoolPlayer, PoolPlayer.policy_version_id == PolicyVersion.id)
        .where(PoolPlayer.pool_id.in_(pools))
    )

    def read() -> dict[uuid.UUID, PolicyVersionSummary]:
        return {
            version: PolicyVersionSummary(id=version, name=name, version=number)
            for version, name, number in session.execute(statement)
        }

    return cached_value(session, ("version names", pools), (ChangeKind.POLICY, ChangeKind.MEMBERSHIP), read)


def member(session: Session, pool_id: uuid.UUID, policy_version_id: uuid.UUID) -> PoolPlayer | None:
    conditions = (PoolPlayer.pool_id == pool_id, PoolPlayer.policy_version_id == policy_version_id)
    return session.scalar(select(PoolPlayer).where(*conditions))


def has_members(session: Session, pool_id: uuid.UUID) -> bool:
    """Return whether a policy is, or was, in a pool."""
    return session.scalars(select(PoolPlayer.id).where(PoolPlayer.pool_id == pool_id).limit(1)).first() is not None


def is_entered(session: Session, season_id: uuid.UUID, policy_version_id: uuid.UUID) -> bool:
    """Return whether a version is, or was, in a pool of a season."""
    statement = select(PoolPlayer.id).join(Pool)
    conditions = (Pool.season_id == season_id, PoolPlayer.policy_version_id == policy_version_id)
    return session.scalars(statement.where(*conditions)).first() is not None


def has_entrants(session: Session, season_id: uuid.UUID) -> bool:
    """Return whether a version is, or was, in a pool of a season."""
    statement = select(PoolPlayer.id).join(Pool).where(Pool.season_id == season_id)
    return session.scalars(statement.limit(1)).first() is not None


@dataclass(frozen=True)
class TeamFilter:
    pool_name: str | None = None
    eliminated: bool | None = None
    policy_version_id: uuid.UUID | None = None


def teams(
    session: Session, season_id: uuid.UUID, filters: TeamFilter, page: Page | None = None
) -> tuple[list[Team], int]:
    """Return teams of a season, the last pool first, in a pool by score; and how many there are."""
    statement = select(Team).join(Team.pool).where(Pool.season_id == season_id)
    if filters.pool_name is not None:
        statement = statement.where(Pool.name == filters.pool_name)
    if filters.eliminated is not None:
        statement = statement.where(Team.eliminated.is_(filters.eliminated))
    if filters.policy_version_id is not None:
        has_seat = select(TeamMember.team_id).where(TeamMember.policy_version_id == filters.policy_version_id)
        statement = statement.where(Team.id.in_(has_seat))
    total = count(session, statement)
    statement = statement.order_by(
        Pool.position.desc(), Team.score.is_(None), Team.score.desc(), Team.created_at, Team.id
    ).options(contains_eager(Team.pool), _with_members())
    if page is not None:
        statement = statement.limit(page.limit).offset(page.offset)
    return list(session.scalars(statement)), total


def seats(session: Session, pool_id: uuid.UUID) -> Iterator[tuple[uuid.UUID, float | None, PolicyVersionSummary]]:
    """Return team, score of the team and policy of each seat of the teams of a pool that are not eliminated."""
    statement = (
        select(Team.id, Team.score, PolicyVersion.id, Policy.name, PolicyVersion.version)
        .join(TeamMember, TeamMember.team_id == Team.id)
        .join(PolicyVersion, PolicyVersion.id == TeamMember.policy_version_id)
        .join(Policy, Policy.id == PolicyVersion.policy_id)
        .where(Team.pool_id == pool_id, Team.eliminated.is_(False))
    )
    for team, score, version, name, number in session.execute(statement):
        yield team, score, PolicyVersionSummary(id=version, name=name, version=number)


def team_ranks(session: Session, season_id: uuid.UUID) -> dict[uuid.UUID, int]:
    """Return the place of each scored team in its pool, from 1; ties are ordered like in `standings.ranked_teams`."""
    place = func.row_number().over(partition_by=Team.pool_id, order_by=(Team.score.desc(), Team.id))
    statement = select(Team.id, place).join(Team.pool).where(Pool.season_id == season_id, Team.score.is_not(None))
    return {row[0]: row[1] for row in session.execute(statement)}


def has_teams(session: Session, season_id: uuid.UUID) -> bool:
    statement = select(Team.id).join(Team.pool).where(Pool.season_id == season_id)
    return session.scalars(statement.limit(1)).first() is not None


def _with_members() -> ExecutableOption:
    seats = selectinload(Team.members).joinedload(TeamMember.policy_version)
    return seats.joinedload(PolicyVersion.policy)


def membership_history(
    session: Session, policy_version_id: uuid.UUID, principal: Principal | None
) -> Sequence[tuple[MembershipChange, Pool, Season]]:
    """Return the membership changes of a version in the seasons the caller may see, newest first."""
    statement = (
        select(MembershipChange, Pool, Season)
        .join(PoolPlayer, MembershipChange.pool_player_id == PoolPlayer.id)
        .join(Pool, PoolPlayer.pool_id == Pool.id)
        .join(Season, Pool.season_id == Season.id)
        .where(PoolPlayer.policy_version_id == policy_version_id, visible(principal))
        .order_by(MembershipChange.created_at.desc(), MembershipChange.id.desc())
    )
    return [(change, pool, season) for change, pool, season in session.execute(statement)]


def seasons_of_user(session: Session, principal: Principal) -> list[tuple[uuid.UUID, str]]:
    """Return (policy version, season) for the versions of a user that are in a season; private ones only for staff."""
    statement = (
        select(PoolPlayer.policy_version_id, Season.name)
        .join(Pool, PoolPlayer.pool_id == Pool.id)
        .join(Season, Pool.season_id == Season.id)
        .join(PolicyVersion, PoolPlayer.policy_version_id == PolicyVersion.id)
        .join(Policy, PolicyVersion.policy_id == Policy.id)
        .where(Policy.user_id == principal.user_id, visible(principal))
        .distinct()
        .order_by(Season.name)
    )
    return [(version, name) for version, name in session.execute(statement)]
