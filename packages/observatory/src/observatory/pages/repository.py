"""Queries that only pages ask. Who may see a season, match or episode is decided by their own repositories."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, case, func, or_, select, union_all
from sqlalchemy.orm import Session, contains_eager, defer, joinedload, selectinload

from observatory.accounts.principal import Principal
from observatory.database.cache import cached_value
from observatory.database.tables.jobs import Job
from observatory.database.tables.matches import IN_FLIGHT, Match, MatchPlayer, MatchStatus
from observatory.database.tables.policies import Policy, PolicyVersion
from observatory.database.tables.seasons import MembershipChange, Pool, PoolPlayer, Season
from observatory.events import ChangeKind
from observatory.job_states import COMMISSIONER, EPISODE, HOSTED, IN_WORK, JobStatus, Lane
from observatory.jobs.fair_queue import FairQueue, Turn
from observatory.matches.lines import LISTED, Listed, listed_from, newest, with_policies
from observatory.seasons.repository import visible
from observatory.standings.counts import counts_by_pool, counts_of_policy

__all__ = ["MatchQuery"]


def entrants(session: Session, season_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, tuple[int, int]]:
    """By season: (versions that ever entered, those in a pool now)."""
    active = case((PoolPlayer.retired.is_(False), PoolPlayer.policy_version_id))
    statement = (
        select(Pool.season_id, func.count(PoolPlayer.policy_version_id.distinct()), func.count(active.distinct()))
        .join(Pool, PoolPlayer.pool_id == Pool.id)
        .where(Pool.season_id.in_(list(season_ids)))
        .group_by(Pool.season_id)
    )
    return {season: (total, present) for season, total, present in session.execute(statement)}


def active_members(session: Session, pool_id: uuid.UUID) -> set[uuid.UUID]:
    """Return the versions that are in a pool now."""
    statement = select(PoolPlayer.policy_version_id).where(PoolPlayer.pool_id == pool_id, PoolPlayer.retired.is_(False))
    compute = lambda: set(session.scalars(statement))  # noqa: E731
    return cached_value(session, ("active members", pool_id), (ChangeKind.MEMBERSHIP,), compute)


def active_count(session: Session, pool_id: uuid.UUID) -> int:
    """Return how many versions are in a pool now."""
    conditions = (PoolPlayer.pool_id == pool_id, PoolPlayer.retired.is_(False))
    return session.scalar(select(func.count()).select_from(PoolPlayer).where(*conditions)) or 0


def runtimes(session: Session, orders: Sequence[int]) -> dict[int, tuple[dict[str, Any] | None, dict[uuid.UUID, int]]]:
    """For matches by `completed_order`: what the worker said, and the position of each policy."""
    statement = (
        select(Match.completed_order, Job.runtime, PoolPlayer.policy_version_id, MatchPlayer.policy_index)
        .join(Job, Match.job_id == Job.id)
        .join(MatchPlayer, MatchPlayer.match_id == Match.id)
        .join(PoolPlayer, MatchPlayer.pool_player_id == PoolPlayer.id)
        .where(Match.completed_order.in_(orders), Job.runtime.is_not(None))
    )
    result: dict[int, tuple[dict[str, Any] | None, dict[uuid.UUID, int]]] = {}
    for order, runtime, policy, index in session.execute(statement):
        assert order is not None
        result.setdefault(order, (runtime, {}))[1][policy] = index
    return result


@dataclass(frozen=True)
class MatchQuery:
    """Which matches; `before` is the last (created_at, id) of the page before."""

    policy_version_id: uuid.UUID | None = None
    status: str | None = None
    """waiting, running, completed, failed, cancelled, or played: running, completed or failed"""
    before: tuple[datetime, uuid.UUID] | None = None

    def statuses(self) -> list[MatchStatus] | None:
        match self.status:
            case None:
                return None
            case "waiting":
                return [MatchStatus.PENDING, MatchStatus.SCHEDULED]
            case "played":
                return [MatchStatus.RUNNING, MatchStatus.COMPLETED, MatchStatus.FAILED]
            case name:
                return [MatchStatus(name)]


def matches(session: Session, pool_ids: Sequence[uuid.UUID], query: MatchQuery, limit: int) -> tuple[list[Listed], int]:
    """Return the next matches of these pools, newest first, and how many there are in all.

    Each pool is read by itself along its index, so that no list is ever sorted as a whole.
    """
    statuses = query.statuses()

    policy = query.policy_version_id
    all_counts = counts_by_pool(session, pool_ids) if policy is None else counts_of_policy(session, pool_ids, policy)
    total = sum(
        number
        for counts in all_counts.values()
        for status, number in counts.by_status.items()
        if statuses is None or status in statuses
    )
    pages = []
    for pool_id in pool_ids:
        conditions: list[ColumnElement[bool]] = [] if statuses is None else [Match.status.in_(statuses)]
        if query.before is not None:
            at, match_id = query.before
            is_before = or_(Match.created_at < at, and_(Match.created_at == at, Match.id < match_id))
            conditions += [Match.created_at <= at, is_before]
        of_pool: Any = select(*LISTED).where(Match.pool_id == pool_id, *conditions)
        if policy is not None:
            of_pool = with_policies(session, pool_id, [policy], *conditions)
        if of_pool is not None:
            pages.append(newest(of_pool, limit))
    if not pages:
        return [], 0
    order = listed_from(union_all(*pages).subquery()).limit(limit)
    return [tuple(row) for row in session.execute(order)], total


def matches_of_jobs(
    session: Session, job_ids: Sequence[uuid.UUID], principal: Principal | None
) -> dict[uuid.UUID, Match]:
    """By job, in seasons that the caller may see."""
    statement = with_players().where(Match.job_id.in_(job_ids), visible(principal))
    return {match.job_id: match for match in session.scalars(statement) if match.job_id is not None}


def with_players() -> Select[Any]:
    """Return matches with all that a line of a list shows."""
    version = joinedload(MatchPlayer.pool_player).joinedload(PoolPlayer.policy_version)
    players = selectinload(Match.players).options(version.joinedload(PolicyVersion.policy).joinedload(Policy.user))
    job = joinedload(Match.job).load_only(Job.episode_id, Job.replay_removed_at)
    return (
        select(Match)
        .join(Match.pool)
        .join(Pool.season)
        .options(contains_eager(Match.pool).contains_eager(Pool.season), players, job)
    )


def job_of(session: Session, job_id: uuid.UUID) -> Job | None:
    """Return a job without its spec, which is large and contains hidden seeds."""
    return session.scalar(select(Job).where(Job.id == job_id).options(defer(Job.stored_spec)))


def in_work(session: Session) -> list[Job]:
    """Return jobs that workers have, oldest first."""
    statement = select(Job).where(Job.status.in_(IN_WORK)).order_by(Job.dispatched_at, Job.id)
    return list(session.scalars(statement.options(defer(Job.stored_spec), defer(Job.result))))


def waiting_jobs(session: Session, limit: int) -> list[Turn]:
    """Return the first jobs of each lane in the order in which workers take them, episodes last."""
    lanes: tuple[Lane, ...] = (HOSTED, COMMISSIONER, EPISODE)
    return [turn for lane in lanes for turn in islice(FairQueue(session, lane), limit)]


def waiting_count(session: Session) -> int:
    return session.scalar(select(func.count()).select_from(Job).where(Job.status == JobStatus.PENDING)) or 0


@dataclass(frozen=True)
class OpenMatch:
    """A match of a policy that has not ended."""

    policy_version_id: uuid.UUID
    pool_id: uuid.UUID
    status: MatchStatus
    job_id: uuid.UUID | None
    reason: str | None
    created_at: datetime


def open_matches(
    session: Session, pool_ids: Sequence[uuid.UUID], versions: Sequence[uuid.UUID]
) -> dict[uuid.UUID, list[OpenMatch]]:
    """Those of these versions, by version."""
    statement = (
        select(PoolPlayer.policy_version_id, Match.pool_id, Match.status, Match.job_id, Match.reason, Match.created_at)
        .join(MatchPlayer, MatchPlayer.pool_player_id == PoolPlayer.id)
        .join(Match, MatchPlayer.match_id == Match.id)
        .where(Match.pool_id.in_(pool_ids), Match.status.in_(IN_FLIGHT), PoolPlayer.policy_version_id.in_(versions))
        .order_by(Match.created_at, Match.id)
    )
    by_policy: dict[uuid.UUID, list[OpenMatch]] = {}
    for row in session.execute(statement):
        by_policy.setdefault(row[0], []).append(OpenMatch(*row))
    return by_policy


def last_changes(session: Session, players: Sequence[uuid.UUID]) -> dict[uuid.UUID, MembershipChange]:
    """Return the last change of each membership, by the pool's player."""
    statement = (
        select(MembershipChange)
        .where(MembershipChange.pool_player_id.in_(players))
        .order_by(MembershipChange.created_at, MembershipChange.id)
    )
    return {change.pool_player_id: change for change in session.scalars(statement)}


def memberships_of_user(session: Session, pool_ids: Sequence[uuid.UUID], user_id: str) -> list[PoolPlayer]:
    """Return the user's versions in pools, the newest version first."""
    statement = (
        _memberships()
        .where(PoolPlayer.pool_id.in_(pool_ids), Policy.user_id == user_id)
        .order_by(PolicyVersion.created_at.desc(), PolicyVersion.id.desc())
    )
    return list(session.scalars(statement))


def memberships_of_version(
    session: Session, policy_version_id: uuid.UUID, principal: Principal | None
) -> list[PoolPlayer]:
    """Return where a version is or was, in seasons the caller may see: the newest season first, its last pool first."""
    statement = (
        _memberships()
        .join(PoolPlayer.pool)
        .join(Pool.season)
        .where(PoolPlayer.policy_version_id == policy_version_id, visible(principal))
        .options(contains_eager(PoolPlayer.pool).contains_eager(Pool.season))
        .order_by(Season.created_at.desc(), Season.id, Pool.position.desc())
    )
    return list(session.scalars(statement))


def _memberships() -> Select[Any]:
    policy = contains_eager(PoolPlayer.policy_version).contains_eager(PolicyVersion.policy)
    return (
        select(PoolPlayer)
        .join(PoolPlayer.policy_version)
        .join(PolicyVersion.policy)
        .options(policy.joinedload(Policy.user))
    )


def seasons_of_policy(
    session: Session, policy_id: uuid.UUID, principal: Principal | None
) -> dict[uuid.UUID, list[str]]:
    """By version of a name: the seasons it is or was in."""
    statement = (
        select(PoolPlayer.policy_version_id, Season.name)
        .join(Pool, PoolPlayer.pool_id == Pool.id)
        .join(Season, Pool.season_id == Season.id)
        .join(PolicyVersion, PoolPlayer.policy_version_id == PolicyVersion.id)
        .where(PolicyVersion.policy_id == policy_id, visible(principal))
        .distinct()
        .order_by(Season.name)
    )
    names: dict[uuid.UUID, list[str]] = {}
    for version, season in session.execute(statement):
        names.setdefault(version, []).append(season)
    return names


def match_ids(session: Session, orders: Sequence[int]) -> dict[int, uuid.UUID]:
    """Return the ids of ended matches, by their `completed_order`."""
    statement = select(Match.completed_order, Match.id).where(Match.completed_order.in_(orders))
    return {order: match_id for order, match_id in session.execute(statement) if order is not None}


def mean_seconds(session: Session, orders: Sequence[int]) -> float | None:
    """Return how long these matches took, by their `completed_order`, from lease to end."""
    statement = select(Job.dispatched_at, Job.completed_at).join(Match, Match.job_id == Job.id)
    rows = session.execute(statement.where(Match.completed_order.in_(orders)))
    seconds = [(end - start).total_seconds() for start, end in rows if start and end]
    return sum(seconds) / len(seconds) if seconds else None


def ended_matches(session: Session, orders: Sequence[int]) -> list[Match]:
    """Return matches by their `completed_order`, the last one first."""
    statement = (
        select(Match)
        .join(Match.pool)
        .join(Pool.season)
        .options(contains_eager(Match.pool).contains_eager(Pool.season))
        .where(Match.completed_order.in_(orders))
        .order_by(Match.completed_order.desc())
    )
    return list(session.scalars(statement))


def team_match_scores(session: Session, team_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, list[float]]:
    """Return the mean score of all players of each completed match, by team."""
    statement = (
        select(Match.team_id, func.avg(MatchPlayer.score))
        .join(MatchPlayer, MatchPlayer.match_id == Match.id)
        .where(Match.team_id.in_(team_ids), Match.status == MatchStatus.COMPLETED)
        .group_by(Match.team_id, Match.id)
        .order_by(Match.id)
    )
    scores: dict[uuid.UUID, list[float]] = {}
    for team, score in session.execute(statement):
        if team is not None and score is not None:
            scores.setdefault(team, []).append(float(score))
    return scores
