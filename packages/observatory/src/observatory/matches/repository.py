"""Every query about matches. A match is visible where its season is."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Executable, Select, func, select, type_coerce, union_all
from sqlalchemy.orm import Session, contains_eager, joinedload, selectinload
from sqlalchemy.sql.base import ExecutableOption
from sqlalchemy.types import NullType

from observatory.accounts.principal import Principal
from observatory.database.tables.jobs import Job
from observatory.database.tables.matches import IN_FLIGHT, Match, MatchPlayer, MatchStatus
from observatory.database.tables.policies import PolicyVersion
from observatory.database.tables.seasons import Pool, PoolPlayer, Season
from observatory.errors import NotFound
from observatory.matches.lines import LISTED, Listed, listed_from, newest, with_policies
from observatory.paging import Page
from observatory.scoring.folds import LoggedMatch
from observatory.scoring.standings import PlayedMatch, Seat
from observatory.seasons.repository import visible
from observatory.seasons.stages import PoolFacts

__all__ = ["StatusCounts"]

_BATCH = 10_000
"""ended matches that are read at a time"""
_ORDER = type_coerce(Match.completed_order, BigInteger)
"""of an ended match"""


def listed(
    session: Session, sizes: Mapping[uuid.UUID, int], versions: Sequence[uuid.UUID] | None, page: Page
) -> tuple[list[Listed], int]:
    """Return a page of the matches of pools, newest first, and how many there are; `sizes` are those of the pools.

    With `versions`, those in which any of these policies plays. Each pool is read by itself along its index, so that
    no list is ever sorted as a whole.
    """
    total, parts = 0, []
    for pool_id, size in sizes.items():
        of_pool: Any = select(*LISTED).where(Match.pool_id == pool_id)
        if versions:
            of_pool = with_policies(session, pool_id, versions)
            size = session.scalar(_with_any(pool_id, versions)) or 0
        if of_pool is not None:
            total += size
            parts.append(newest(of_pool, page.offset + page.limit))
    if not parts or total <= page.offset:
        return [], total
    in_order = listed_from(union_all(*parts).subquery())
    return [tuple(row) for row in session.execute(in_order.limit(page.limit).offset(page.offset))], total


def with_players(session: Session, match_ids: Sequence[uuid.UUID]) -> Iterable[Match]:
    """Return matches with all that a line of a list shows."""
    statement = (
        select(Match)
        .join(Match.pool)
        .where(Match.id.in_(match_ids))
        .options(
            contains_eager(Match.pool).joinedload(Pool.season),
            joinedload(Match.job).load_only(Job.episode_id),
            _with_players(),
        )
    )
    return session.scalars(statement)


def _with_any(pool_id: uuid.UUID, versions: Sequence[uuid.UUID]) -> Select[int]:
    """Return the number of the matches of a pool in which any of these versions plays."""
    return (
        select(func.count(MatchPlayer.match_id.distinct()))
        .join(PoolPlayer, MatchPlayer.pool_player_id == PoolPlayer.id)
        .where(PoolPlayer.pool_id == pool_id, PoolPlayer.policy_version_id.in_(versions))
    )


def match(session: Session, match_id: uuid.UUID, principal: Principal | None) -> Match:
    """Return a match in a season that the caller may see."""
    statement = (
        select(Match)
        .join(Match.pool)
        .join(Pool.season)
        .where(Match.id == match_id, visible(principal))
        .options(contains_eager(Match.pool).contains_eager(Pool.season), _with_players())
    )
    row = session.scalar(statement)
    if row is None:
        raise NotFound(f"Match {match_id} not found")
    return row


def match_of_job(session: Session, job_id: uuid.UUID) -> Match | None:
    return session.scalar(select(Match).where(Match.job_id == job_id))


def hidden_jobs(session: Session, job_ids: Sequence[uuid.UUID]) -> set[uuid.UUID]:
    """Return the jobs whose seeds are hidden: they play matches of seasons that have not ended."""
    statement = select(Match.job_id).join(Match.pool).join(Pool.season)
    ids = session.scalars(statement.where(Match.job_id.in_(job_ids), Season.completed_at.is_(None)))
    return {job_id for job_id in ids if job_id is not None}


def next_completed_order(session: Session) -> int:
    """Return the number of the next match to end. It is unique because only one transaction writes at a time."""
    return (session.scalar(select(func.max(Match.completed_order))) or 0) + 1


def played_matches(session: Session, pool_id: uuid.UUID, *, team_id: uuid.UUID | None = None) -> list[PlayedMatch]:
    """Return the completed matches of a pool, or of a team in it, in the order of their creation."""
    statement = (
        select(Match.id, PoolPlayer.policy_version_id, MatchPlayer.num_agents, MatchPlayer.score)
        .join(MatchPlayer, MatchPlayer.match_id == Match.id)
        .join(PoolPlayer, MatchPlayer.pool_player_id == PoolPlayer.id)
        .where(Match.pool_id == pool_id, Match.status == MatchStatus.COMPLETED)
        .order_by(Match.created_at, Match.id, MatchPlayer.policy_index)
    )
    if team_id is not None:
        statement = statement.where(Match.team_id == team_id)
    seats: dict[uuid.UUID, list[Seat]] = {}
    for match_id, policy, agents, score in session.execute(statement):
        seats.setdefault(match_id, []).append(Seat(policy, agents, score))
    return [PlayedMatch(match_seats) for match_seats in seats.values()]


def match_log(session: Session, pool_id: uuid.UUID, *, after: int, limit: int | None = None) -> Iterator[LoggedMatch]:
    """The matches of a pool that ended after a `completed_order`, in that order, read in batches."""
    ids: dict[Any, uuid.UUID] = {}
    while limit is None or limit > 0:
        size = _BATCH if limit is None else min(limit, _BATCH)
        heads = session.execute(
            select(_ORDER, Match.completed_at, Match.sample, Match.status, Match.failed_policy_index)
            .where(Match.pool_id == pool_id, Match.completed_order > after)
            .order_by(Match.completed_order)
            .limit(size)
        ).all()
        if not heads:
            return
        seats = _seats(session, pool_id, heads[0][0], heads[-1][0], ids)
        for order, at, sample, status, culprit in heads:
            assert at is not None
            yield LoggedMatch(order, at, sample, tuple(seats.get(order, ())), status is MatchStatus.FAILED, culprit)
        if len(heads) < size:
            return
        after = heads[-1][0]
        limit = None if limit is None else limit - size


def _seats(
    session: Session, pool_id: uuid.UUID, first: int, last: int, ids: dict[Any, uuid.UUID]
) -> dict[int, list[Seat]]:
    """Return the seats of the matches of a pool between two, by `completed_order`."""
    # Ids as the driver has them, each converted once: a pool may have hundreds of thousands of seats.
    raw_id = type_coerce(PoolPlayer.policy_version_id, NullType)
    statement = (
        select(Match.completed_order, raw_id, MatchPlayer.num_agents, MatchPlayer.score)
        .join(MatchPlayer, MatchPlayer.match_id == Match.id)
        .join(PoolPlayer, MatchPlayer.pool_player_id == PoolPlayer.id)
        .where(Match.pool_id == pool_id, Match.completed_order.between(first, last))
        .order_by(Match.completed_order, MatchPlayer.policy_index)
    )
    seats: dict[int, list[Seat]] = {}
    for order, raw, agents, score in session.execute(statement):
        policy = ids.get(raw)
        if policy is None:
            policy = ids[raw] = raw if isinstance(raw, uuid.UUID) else uuid.UUID(raw)
        seats.setdefault(order or 0, []).append(Seat(policy, agents, score))
    return seats


def ended_count(session: Session, pool_id: uuid.UUID, *, until: int) -> int:
    """Return how many matches of a pool ended up to a `completed_order`."""
    conditions = (Match.pool_id == pool_id, Match.completed_order <= until)
    return session.scalar(select(func.count()).select_from(Match).where(*conditions)) or 0


def ended_at(session: Session, pool_id: uuid.UUID, order: int) -> datetime | None:
    """Return when the match with this `completed_order` ended; None if the pool has no such match."""
    return session.scalar(select(Match.completed_at).where(Match.completed_order == order, Match.pool_id == pool_id))


@dataclass(frozen=True)
class StatusCounts:
    """How many matches are in which state."""

    by_status: Mapping[MatchStatus, int]

    @property
    def total(self) -> int:
        return sum(self.by_status.values())

    @property
    def completed(self) -> int:
        return self.by_status.get(MatchStatus.COMPLETED, 0)

    @property
    def failed(self) -> int:
        return self.by_status.get(MatchStatus.FAILED, 0)

    @property
    def in_flight(self) -> int:
        return sum(number for status, number in self.by_status.items() if status in IN_FLIGHT)


def in_flight_by_member(session: Session, pool_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, int]:
    """Return matches that have not ended, by the id of the pool's player."""
    statement = (
        select(MatchPlayer.pool_player_id, func.count(func.distinct(Match.id)))
        .join(Match, MatchPlayer.match_id == Match.id)
        .where(Match.pool_id.in_(list(pool_ids)), Match.status.in_(IN_FLIGHT))
        .group_by(MatchPlayer.pool_player_id)
    )
    return {row[0]: row[1] for row in session.execute(statement)}


def counts_by_team(session: Session, team_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, StatusCounts]:
    statement = (
        select(Match.team_id, Match.status, func.count())
        .where(Match.team_id.in_(list(team_ids)))
        .group_by(Match.team_id, Match.status)
    )
    return _counts(session, statement)


def pool_facts(session: Session, season: Season, statuses: Mapping[uuid.UUID, StatusCounts]) -> dict[str, PoolFacts]:
    """Return the facts that the stages of a season need, by pool name; `statuses` are those of its matches, by pool.

    Combinations are counted only where the result may depend on them: before teams are drawn, in pools without a match
    in flight.
    """
    from observatory.seasons.repository import members, pool_counts

    numbers = pool_counts(session, season.id)
    active: dict[uuid.UUID, set[uuid.UUID]] = {}
    for player in members(session, [pool.id for pool in season.pools], active_only=True):
        active.setdefault(player.pool_id, set()).add(player.policy_version_id)
    quiet = [pool_id for pool_id, status_counts in statuses.items() if not status_counts.in_flight]
    if any(counts.teams for counts in numbers.values()):
        quiet = []
    statement = (
        select(Match.pool_id, Match.combination, Match.status, func.count())
        .where(Match.pool_id.in_(quiet))
        .group_by(Match.pool_id, Match.combination, Match.status)
    )
    by_state: dict[tuple[uuid.UUID, MatchStatus], Counter[str]] = {}
    for pool_id, combination, status, number in session.execute(statement):
        by_state.setdefault((pool_id, status), Counter())[combination] += number
    return {
        pool.name: PoolFacts(
            active=frozenset(active.get(pool.id, ())),
            members=numbers[pool.id].members if pool.id in numbers else 0,
            teams=numbers[pool.id].teams if pool.id in numbers else 0,
            in_flight=statuses[pool.id].in_flight if pool.id in statuses else 0,
            played=by_state.get((pool.id, MatchStatus.COMPLETED), {}),
            failed=by_state.get((pool.id, MatchStatus.FAILED), {}),
        )
        for pool in season.pools
    }


def _counts(session: Session, statement: Executable) -> dict[uuid.UUID, StatusCounts]:
    """Rows of (key, status, number), by key."""
    counts: dict[uuid.UUID, dict[MatchStatus, int]] = {}
    for key, status, number in session.execute(statement):
        if key is not None:
            counts.setdefault(key, {})[status] = number
    return {key: StatusCounts(numbers) for key, numbers in counts.items()}


def _with_players() -> ExecutableOption:
    players = selectinload(Match.players).joinedload(MatchPlayer.pool_player)
    return players.joinedload(PoolPlayer.policy_version).joinedload(PolicyVersion.policy)
