"""Convert seasons, teams and members to response models."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from sqlalchemy.orm import Session

from observatory.database.tables.seasons import Season, Team, TournamentType
from observatory.matches import repository as matches
from observatory.matches.repository import StatusCounts
from observatory.policies.wire import version_summary
from observatory.scoring.folds import Record
from observatory.seasons import repository
from observatory.seasons.repository import MemberRow
from observatory.secrecy import visible_seed
from observatory.standings.counts import counts_by_pool
from observatory.standings.table_cache import pool_table
from softmax.wire import (
    PolicySummary,
    PoolInfo,
    PoolMembership,
    SeasonDetail,
    SeasonSummary,
    SeasonVersionInfo,
    TeamCogSummary,
    TeamSummary,
)

__all__ = ["detail", "policy_summaries", "summary", "team_summaries", "version_info"]


def summary(season: Season) -> SeasonSummary:
    return SeasonSummary(
        id=season.id,
        name=season.name,
        display_name=season.display_name,
        version=season.version,
        canonical=season.canonical,
        summary=season.summary,
        game_description=season.game_description,
        entry_pool=season.entry_pool,
        leaderboard_pool=season.leaderboard_pool,
        is_default=season.is_default,
        status=season.status,
        compat_version=season.compat_version,
        created_at=season.created_at,
        public=season.public,
        tournament_type=season.tournament_type,
        auto_roll_hour_utc=season.auto_roll_hour_utc,
        pools=[
            PoolInfo(id=pool.id, name=pool.name, description=pool.description, config_id=pool.config_id)
            for pool in season.pools
        ],
    )


def detail(session: Session, season: Season) -> SeasonDetail:
    entrants, active = repository.entrant_counts(session, season.id)
    played = counts_by_pool(session, [pool.id for pool in season.pools])
    is_team = season.tournament_type is TournamentType.team
    return SeasonDetail(
        **dict(summary(season)),
        seed=visible_seed(season, season.seed),
        started_at=season.started_at,
        entrant_count=entrants,
        active_entrant_count=active,
        match_count=sum(counts.total for counts in played.values()),
        stage_count=len(season.config["stages"]) if is_team else len(season.pools),
    )


def version_info(season: Season) -> SeasonVersionInfo:
    return SeasonVersionInfo(
        version=season.version,
        canonical=season.canonical,
        disabled_at=season.disabled_at,
        created_at=season.created_at,
        compat_version=season.compat_version,
    )


def team_summaries(session: Session, teams: Sequence[Team]) -> list[TeamSummary]:
    played = matches.counts_by_team(session, [team.id for team in teams])
    return [
        TeamSummary(
            id=team.id,
            pool_name=team.pool.name,
            eliminated=team.eliminated,
            score=team.score,
            matches=played.get(team.id, StatusCounts({})).completed,
            cogs=[
                TeamCogSummary(position=seat.position, policy=version_summary(seat.policy_version))
                for seat in team.members
            ],
            created_at=team.created_at,
        )
        for team in teams
    ]


def policy_summaries(session: Session, season: Season, owner: str | None) -> list[PolicySummary]:
    """Return policies of a season, the last to enter first; with `owner` those of one user."""
    order = {pool.id: pool for pool in season.pools}
    records = {pool_id: pool_table(session, pool_id).fold.records for pool_id in order}
    in_flight = matches.in_flight_by_member(session, order)
    entries: dict[uuid.UUID, list[MemberRow]] = {}
    for row in repository.member_rows(session, order, owner):
        entries.setdefault(row.policy.id, []).append(row)
    newest_first = sorted(entries.values(), key=lambda rows: (rows[0].created_at, rows[0].id), reverse=True)
    return [
        PolicySummary(
            policy=rows[0].policy,
            pools=[
                _pool_summary(
                    row,
                    order[row.pool_id].name,
                    records[row.pool_id].get(row.policy.id, Record()),
                    in_flight.get(row.id, 0),
                )
                for row in sorted(rows, key=lambda row: order[row.pool_id].position)
            ],
            entered_at=rows[0].created_at,
        )
        for rows in newest_first
    ]


def _pool_summary(row: MemberRow, pool_name: str, record: Record, in_flight: int) -> PoolMembership:
    return PoolMembership(
        pool_name=pool_name,
        active=not row.retired,
        completed=record.completed,
        failed=record.failed,
        pending=in_flight,
    )
