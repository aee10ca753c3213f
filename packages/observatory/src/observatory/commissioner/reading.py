"""Read the facts of a season from the database.

Ended matches never change: they are tallied once and cached, and a later pass reads only the matches that have ended
since. After a start everything is read once, in batches.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from sqlalchemy import String, select, type_coerce
from sqlalchemy.orm import Session, selectinload

from observatory.commissioner.facts import (
    EndedMatch,
    Limits,
    Member,
    OpenMatch,
    PoolRecord,
    SeasonFacts,
    Tally,
    TeamFact,
)
from observatory.database.tables.matches import IN_FLIGHT, Match, MatchPlayer, MatchStatus
from observatory.database.tables.policies import Policy, PolicyVersion
from observatory.database.tables.seasons import (
    MembershipChange,
    Pool,
    PoolPlayer,
    Season,
    Team,
    TeamMember,
    TournamentType,
)
from observatory.seasons.config import FreeplayConfig, TeamConfig
from observatory.seasons.creation import COMPETITION

__all__ = ["Memory", "Reading", "active_seasons", "config_of", "read", "stamp"]

PIECE = 5000
"""matches read in one batch"""
_ID_CHARACTERS = 36


@dataclass
class _CachedFacts:
    """Cached facts of a season: the tallies of its pools, the last match in each, and the members."""

    last: dict[uuid.UUID, int] = field(default_factory=dict)
    tallies: dict[uuid.UUID, Tally] = field(default_factory=dict)
    members: tuple[object, dict[uuid.UUID, list[Member]]] | None = None


class Memory:
    """Cached tallies. Belongs to one loop; may be dropped at any time."""

    def __init__(self) -> None:
        self._seasons: dict[uuid.UUID, _CachedFacts] = {}

    def of(self, season_id: uuid.UUID) -> _CachedFacts:
        return self._seasons.setdefault(season_id, _CachedFacts())

    def keep(self, season_ids: Iterable[uuid.UUID]) -> None:
        """Forget all other seasons."""
        ids = set(season_ids)
        self._seasons = {season: cached for season, cached in self._seasons.items() if season in ids}

    def forget(self) -> None:
        self._seasons.clear()


@dataclass(frozen=True)
class Reading:
    """Facts, and a stamp of the database state in which they were read."""

    facts: SeasonFacts
    stamp: object


def active_seasons(session: Session) -> list[uuid.UUID]:
    """Return every season version that plays or waits for its start."""
    conditions = (Season.completed_at.is_(None), Season.disabled_at.is_(None))
    return list(session.scalars(select(Season.id).where(*conditions).order_by(Season.created_at, Season.id)))


def config_of(season: Season) -> FreeplayConfig | TeamConfig:
    kind = TeamConfig if season.tournament_type is TournamentType.team else FreeplayConfig
    return kind.model_validate(season.config)


def read(session: Session, memory: Memory, season_id: uuid.UUID, limits: Limits) -> Reading | None:
    """Return the facts of a season; None when it no longer plays.

    A match may end between the first and the last read: then the stamp is stale, and no decision based on these facts
    is applied.
    """
    mark = stamp(session, season_id)
    season = session.scalar(select(Season).where(Season.id == season_id).options(selectinload(Season.pools)))
    if season is None or season.completed_at is not None or season.disabled_at is not None:
        return None
    config = config_of(season)
    pool_ids = [pool.id for pool in season.pools]
    open_matches, teams = _open(session, pool_ids), _teams(session, pool_ids)
    cached = memory.of(season_id)
    members = _cached_members(session, pool_ids, cached)
    _add_ended(session, season.pools, config, cached)
    pools = {
        pool.name: PoolRecord(
            pool.name,
            members.get(pool.id, []),
            cached.tallies.setdefault(pool.id, _tally(pool, config)),
            open_matches.get(pool.id, []),
            teams.get(pool.id, []),
        )
        for pool in season.pools
    }
    facts = SeasonFacts(season.name, config, season.seed, season.started_at is not None, pools, limits)
    return Reading(facts, mark)


def stamp(session: Session, season_id: uuid.UUID) -> object:
    """Return a stamp that changes with the season's facts: the last match created and ended, the last membership."""
    season = session.execute(
        select(Season.started_at, Season.completed_at, Season.disabled_at, Season.config).where(Season.id == season_id)
    ).one_or_none()
    ended = session.scalar(
        select(Match.completed_order)
        .where(Match.completed_order.is_not(None))
        .order_by(Match.completed_order.desc())
        .limit(1)
    )
    newest = session.scalar(select(Match.id).order_by(Match.id.desc()).limit(1))
    return season and tuple(season), ended, newest, _last_moved(session)


def _last_moved(session: Session) -> uuid.UUID | None:
    return session.scalar(select(MembershipChange.id).order_by(MembershipChange.id.desc()).limit(1))


def _tally(pool: Pool, config: FreeplayConfig | TeamConfig) -> Tally:
    cap = config.max_failed_attempts if isinstance(config, TeamConfig) else config.max_failures
    # No decision depends on the scores of the competition, which has by far the most matches.
    return Tally(cap, keep_scores=pool.name != COMPETITION)


def _add_ended(
    session: Session, pools: Sequence[Pool], config: FreeplayConfig | TeamConfig, cached: _CachedFacts
) -> None:
    """Add up what has ended since the last time."""
    for pool in pools:
        tally = cached.tallies.setdefault(pool.id, _tally(pool, config))
        while True:
            last = cached.last.get(pool.id, 0)
            ended = session.execute(
                select(
                    Match.combination,
                    Match.sample,
                    type_coerce(Match.status, String),
                    Match.failed_policy_index,
                    Match.completed_order,
                )
                .where(Match.pool_id == pool.id, Match.completed_order > last)
                .order_by(Match.completed_order)
                .limit(PIECE)
            ).all()
            if not ended:
                break
            _add(session, pool, tally, ended)
            cached.last[pool.id] = ended[-1][4] or last
            if len(ended) < PIECE:
                break


def _add(session: Session, pool: Pool, tally: Tally, ended: Sequence[Any]) -> None:
    # The combination of a pair names its players, so their seats are not read: after a start there may be very many.
    pairs = [None if tally.keeps_scores else _pair(row[0]) for row in ended]
    seats = {} if None not in pairs else _seats(session, pool.id, first=ended[0][4], last=ended[-1][4])
    for (combination, sample, status, failed, order), pair in zip(ended, pairs, strict=True):
        players = seats.get(order, [])
        policies = tuple(policy for policy, _ in players) if pair is None else pair
        scores = tuple(0.0 if score is None else score for _, score in players)
        culprit = policies[failed] if failed is not None and failed < len(policies) else None
        completed = status == MatchStatus.COMPLETED.value
        tally.add(EndedMatch(combination, sample, policies, scores if completed else None, culprit))


@lru_cache(maxsize=10_000)
def _policy(text: str) -> uuid.UUID:
    return uuid.UUID(text)


def _pair(combination: str) -> tuple[uuid.UUID, uuid.UUID] | None:
    """Return the policies of a pairing, in their order; None for a combination of another kind."""
    first, _, rest = combination.partition("+")
    second, slash, _ = rest.partition("/")
    return (_policy(first), _policy(second)) if slash and len(first) == len(second) == _ID_CHARACTERS else None


def _seats(
    session: Session, pool_id: uuid.UUID, *, first: int, last: int
) -> dict[int, list[tuple[uuid.UUID, float | None]]]:
    """Return (policy, score) by seat, of matches that ended between two others, by the order in which they ended."""
    statement = (
        select(Match.completed_order, PoolPlayer.policy_version_id, MatchPlayer.score)
        .join(MatchPlayer, MatchPlayer.match_id == Match.id)
        .join(PoolPlayer, MatchPlayer.pool_player_id == PoolPlayer.id)
        .where(Match.pool_id == pool_id, Match.completed_order.between(first, last))
        .order_by(Match.completed_order, MatchPlayer.policy_index)
    )
    by_order: dict[int, list[tuple[uuid.UUID, float | None]]] = {}
    for order, policy, score in session.execute(statement):
        by_order.setdefault(order or 0, []).append((policy, score))
    return by_order


def _open(session: Session, pool_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, list[OpenMatch]]:
    statement = (
        select(
            Match.id,
            Match.pool_id,
            Match.combination,
            Match.sample,
            Match.picked_policy_index,
            PoolPlayer.policy_version_id,
        )
        .join(MatchPlayer, MatchPlayer.match_id == Match.id)
        .join(PoolPlayer, MatchPlayer.pool_player_id == PoolPlayer.id)
        .where(Match.pool_id.in_(pool_ids), Match.status.in_(IN_FLIGHT))
        .order_by(Match.id, MatchPlayer.policy_index)
    )
    rows: dict[uuid.UUID, list[Any]] = {}
    for row in session.execute(statement):
        rows.setdefault(row[0], []).append(row)
    by_pool: dict[uuid.UUID, list[OpenMatch]] = {}
    for seats in rows.values():
        _, pool_id, combination, sample, picked_index, _ = seats[0]
        policies = tuple(row[5] for row in seats)
        chosen = None if picked_index is None else policies[picked_index]
        by_pool.setdefault(pool_id, []).append(OpenMatch(combination, sample, policies, chosen))
    return by_pool


def _cached_members(
    session: Session, pool_ids: Sequence[uuid.UUID], cached: _CachedFacts
) -> dict[uuid.UUID, list[Member]]:
    """Return the members of the pools, cached: there may be thousands, and they change rarely."""
    changed = _last_moved(session)
    if cached.members is None or cached.members[0] != changed:
        cached.members = changed, _members(session, pool_ids)
    return cached.members[1]


def _members(session: Session, pool_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, list[Member]]:
    statement = (
        select(PoolPlayer.pool_id, PoolPlayer.policy_version_id, Policy.user_id, PoolPlayer.retired)
        .join(PolicyVersion, PoolPlayer.policy_version_id == PolicyVersion.id)
        .join(Policy, PolicyVersion.policy_id == Policy.id)
        .where(PoolPlayer.pool_id.in_(pool_ids))
        .order_by(PoolPlayer.created_at, PoolPlayer.id)
    )
    by_pool: dict[uuid.UUID, list[Member]] = {}
    for pool_id, policy, author, retired in session.execute(statement):
        by_pool.setdefault(pool_id, []).append(Member(policy, author, retired))
    return by_pool


def _teams(session: Session, pool_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, list[TeamFact]]:
    seats: dict[uuid.UUID, list[uuid.UUID]] = {}
    rows = session.execute(
        select(TeamMember.team_id, TeamMember.policy_version_id)
        .join(Team, TeamMember.team_id == Team.id)
        .where(Team.pool_id.in_(pool_ids))
        .order_by(TeamMember.team_id, TeamMember.position)
    )
    for team_id, policy in rows:
        seats.setdefault(team_id, []).append(policy)
    by_pool: dict[uuid.UUID, list[TeamFact]] = {}
    teams = select(Team.id, Team.pool_id, Team.position, Team.score, Team.eliminated).where(Team.pool_id.in_(pool_ids))
    for team_id, pool_id, position, score, eliminated in session.execute(teams.order_by(Team.position, Team.id)):
        fact = TeamFact(team_id, position, tuple(seats.get(team_id, ())), score, eliminated)
        by_pool.setdefault(pool_id, []).append(fact)
    return by_pool
