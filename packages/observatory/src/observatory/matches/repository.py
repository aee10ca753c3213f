"""Every query about matches. A match is visible where its season is."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Executable, func, select
from sqlalchemy.orm import Session, contains_eager, joinedload, selectinload
from sqlalchemy.sql.base import ExecutableOption

from observatory.accounts.principal import Principal
from observatory.errors import NotFound
from observatory.jobs.tables import Job
from observatory.matches.tables import IN_FLIGHT, Match, MatchPlayer, MatchStatus
from observatory.paging import Page, count
from observatory.policies.tables import PolicyVersion
from observatory.seasons.repository import visible
from observatory.seasons.stages import PoolFacts
from observatory.seasons.standings import PlayedMatch, Seat
from observatory.seasons.tables import Pool, PoolPlayer, Season

__all__ = ["MatchFilter", "StatusCounts"]


@dataclass(frozen=True)
class MatchFilter:
    """Which matches are wanted: with any of these policies, in any of these pools. None leaves a field open."""

    policy_version_ids: Sequence[uuid.UUID] | None = None
    pool_names: Sequence[str] | None = None


def matches(session: Session, season_id: uuid.UUID, wanted: MatchFilter, page: Page) -> tuple[list[Match], int]:
    """A page of the matches of a season, the newest first, and how many there are."""
    statement = select(Match).join(Match.pool).where(Pool.season_id == season_id)
    if wanted.pool_names:
        statement = statement.where(Pool.name.in_(wanted.pool_names))
    if wanted.policy_version_ids:
        has_part = (
            select(MatchPlayer.match_id)
            .join(PoolPlayer, MatchPlayer.pool_player_id == PoolPlayer.id)
            .where(PoolPlayer.policy_version_id.in_(wanted.policy_version_ids))
        )
        statement = statement.where(Match.id.in_(has_part))
    total = count(session, statement)
    statement = statement.options(
        contains_eager(Match.pool).joinedload(Pool.season),
        joinedload(Match.job).load_only(Job.episode_id),
        _with_players(),
    )
    statement = statement.order_by(Match.created_at.desc(), Match.id.desc()).limit(page.limit).offset(page.offset)
    return list(session.scalars(statement)), total


def match(session: Session, match_id: uuid.UUID, principal: Principal | None) -> Match:
    """A match in a season that the caller may see."""
    statement = (
        select(Match)
        .join(Match.pool)
        .join(Pool.season)
        .where(Match.id == match_id, visible(principal))
        .options(contains_eager(Match.pool).contains_eager(Pool.season), _with_players())
    )
    found = session.scalar(statement)
    if found is None:
        raise NotFound(f"Match {match_id} not found")
    return found


def match_of_job(session: Session, job_id: uuid.UUID) -> Match | None:
    return session.scalar(select(Match).where(Match.job_id == job_id))


def played_matches(session: Session, pool_id: uuid.UUID, *, team_id: uuid.UUID | None = None) -> list[PlayedMatch]:
    """The completed matches of a pool, or of a team in it, in the order they were made."""
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
    return [PlayedMatch(found) for found in seats.values()]


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


def counts_by_pool(session: Session, season_id: uuid.UUID) -> dict[uuid.UUID, StatusCounts]:
    statement = (
        select(Match.pool_id, Match.status, func.count())
        .join(Pool, Match.pool_id == Pool.id)
        .where(Pool.season_id == season_id)
        .group_by(Match.pool_id, Match.status)
    )
    return _counts(session, statement)


def counts_by_member(session: Session, pool_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, StatusCounts]:
    """By the id of the pool's player."""
    statement = (
        select(MatchPlayer.pool_player_id, Match.status, func.count(func.distinct(Match.id)))
        .join(Match, MatchPlayer.match_id == Match.id)
        .where(Match.pool_id.in_(list(pool_ids)))
        .group_by(MatchPlayer.pool_player_id, Match.status)
    )
    return _counts(session, statement)


def counts_by_team(session: Session, team_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, StatusCounts]:
    statement = (
        select(Match.team_id, Match.status, func.count())
        .where(Match.team_id.in_(list(team_ids)))
        .group_by(Match.team_id, Match.status)
    )
    return _counts(session, statement)


def pool_facts(session: Session, season: Season) -> dict[str, PoolFacts]:
    """What the stages of a season need to know, by the name of the pool."""
    from observatory.seasons.repository import members, pool_counts

    numbers = pool_counts(session, season.id)
    active: dict[uuid.UUID, set[uuid.UUID]] = {}
    for player in members(session, [pool.id for pool in season.pools], active_only=True):
        active.setdefault(player.pool_id, set()).add(player.policy_version_id)
    statement = (
        select(Match.pool_id, Match.combination, Match.status, func.count())
        .join(Pool, Match.pool_id == Pool.id)
        .where(Pool.season_id == season.id)
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
            in_flight=sum(by_state.get((pool.id, status), Counter()).total() for status in IN_FLIGHT),
            played=by_state.get((pool.id, MatchStatus.COMPLETED), {}),
            failed=by_state.get((pool.id, MatchStatus.FAILED), {}),
        )
        for pool in season.pools
    }


def _counts(session: Session, statement: Executable) -> dict[uuid.UUID, StatusCounts]:
    """Rows of (key, status, number), by key."""
    found: dict[uuid.UUID, dict[MatchStatus, int]] = {}
    for key, status, number in session.execute(statement):
        if key is not None:
            found.setdefault(key, {})[status] = number
    return {key: StatusCounts(numbers) for key, numbers in found.items()}


def _with_players() -> ExecutableOption:
    players = selectinload(Match.players).joinedload(MatchPlayer.pool_player)
    return players.joinedload(PoolPlayer.policy_version).joinedload(PolicyVersion.policy)
