"""Seasons as pages show them: cards, stages, and where the caller's own policies are."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.commissioner.loop import Commissioner
from observatory.database.cache import cached_value
from observatory.database.tables.matches import MatchStatus
from observatory.database.tables.seasons import Season, TournamentType
from observatory.events import ChangeKind
from observatory.matches.repository import StatusCounts
from observatory.pages import repository
from observatory.pages.entries import my_entries
from observatory.pages.names import names_of
from observatory.pages.schemas import Leader, SeasonCard, SeasonPage, SeasonVersionLine, Stage, StageState
from observatory.seasons import repository as seasons
from observatory.seasons.repository import PoolCounts
from observatory.seasons.submissions import SubmissionsClosed, check_open
from observatory.secrecy import visible_seed
from observatory.standings.counts import counts_by_pool
from observatory.standings.leaderboards import score_policies_leaderboard
from observatory.standings.progress import progress
from observatory.standings.table_cache import pool_table
from observatory.standings.table_pool import shows_placements, table_pool

__all__ = ["season_card", "season_cards", "season_page"]

TOP = 3
_CARDS = (
    ChangeKind.ACCOUNT,
    ChangeKind.POLICY,
    ChangeKind.SEASON,
    ChangeKind.STAGE,
    ChangeKind.MEMBERSHIP,
    ChangeKind.MATCH,
    ChangeKind.TABLE,
)


def season_cards(session: Session, principal: Principal | None) -> list[SeasonCard]:
    """Return the seasons of the list, the default one first."""
    is_admin = principal is not None and principal.is_admin
    compute = lambda: _cards(session, seasons.seasons(session, principal))  # noqa: E731
    return cached_value(session, ("season cards", is_admin), _CARDS, compute)


def season_card(session: Session, season: Season) -> SeasonCard:
    """Return the card of one season."""
    return _cards(session, [season])[0]


def season_page(
    session: Session, season: Season, principal: Principal | None, commissioner: Commissioner | None
) -> SeasonPage:
    [card] = _cards(session, [season])
    last = None if commissioner is None else commissioner.last.get(season.id)
    why_closed = _why_closed(session, season)
    return SeasonPage(
        **dict(card),
        canonical=season.canonical,
        game_description=season.game_description,
        entry_pool=season.entry_pool,
        leaderboard_pool=season.leaderboard_pool,
        auto_roll_hour_utc=season.auto_roll_hour_utc,
        closed_at=season.disabled_at,
        takes_policies=why_closed is None,
        why_closed=why_closed,
        seed=visible_seed(season, season.seed),
        stages=_stages(session, season),
        versions=[
            SeasonVersionLine(
                version=version.version,
                canonical=version.canonical,
                status=version.status,
                created_at=version.created_at,
                completed_at=version.completed_at,
                closed_at=version.disabled_at,
            )
            for version in seasons.versions(session, season.name, principal)
        ],
        why_nothing_is_scheduled=None if last is None or last.queued else last.why,
        my_entries=[] if principal is None else my_entries(session, season, principal, commissioner),
    )


def _cards(session: Session, seasons: Sequence[Season]) -> list[SeasonCard]:
    counts = counts_by_pool(session, [pool.id for season in seasons for pool in season.pools])
    entrants = repository.entrants(session, [season.id for season in seasons])
    tops = {season.id: _top(session, season, counts) for season in seasons}
    names = names_of(session, [row.policy_version_id for rows in tops.values() for row in rows])
    cards = []
    for season in seasons:
        of_season = [counts[pool.id] for pool in season.pools if pool.id in counts]
        total, active = entrants.get(season.id, (0, 0))
        top = [
            Leader(policy=names[row.policy_version_id], score=row.score, low=row.low, high=row.high)
            for row in tops[season.id]
        ]
        cards.append(
            SeasonCard(
                id=season.id,
                name=season.name,
                version=season.version,
                display_name=season.display_name,
                summary=season.summary,
                tournament_type=season.tournament_type,
                status=season.status,
                is_default=season.is_default,
                public=season.public,
                compat_version=season.compat_version,
                created_at=season.created_at,
                started_at=season.started_at,
                completed_at=season.completed_at,
                entrants=total,
                active_entrants=active,
                matches=sum(numbers.completed for numbers in of_season),
                failed=sum(numbers.failed for numbers in of_season),
                running=sum(_running(numbers) for numbers in of_season),
                waiting=sum(numbers.in_flight - _running(numbers) for numbers in of_season),
                leader=top[0] if top else None,
                top=top,
            )
        )
    return cards


@dataclass(frozen=True)
class _TopRow:
    policy_version_id: uuid.UUID
    score: float
    low: float | None = None
    high: float | None = None


def _top(session: Session, season: Season, counts: Mapping[uuid.UUID, StatusCounts]) -> list[_TopRow]:
    """Return the first rows of the season's table."""
    if not any(counts[pool.id].completed for pool in season.pools if pool.id in counts):
        return []
    pool = table_pool(session, season)
    if pool is None:
        return []
    if shows_placements(season, pool):
        placed = score_policies_leaderboard(session, season)[:TOP]
        return [_TopRow(row.policy.id, row.placement_score) for row in placed]
    places = pool_table(session, pool.id).places(len(repository.active_members(session, pool.id)))[:TOP]
    return [
        _TopRow(
            place.standing.policy_version_id,
            place.standing.score,
            None if place.interval is None else place.interval.low,
            None if place.interval is None else place.interval.high,
        )
        for place in places
    ]


def _stages(session: Session, season: Season) -> list[Stage]:
    """Return the pools of a season; those of a team season with their stage."""
    numbers = seasons.pool_counts(session, season.id)
    played = counts_by_pool(session, [pool.id for pool in season.pools])
    is_team = season.tournament_type is TournamentType.team
    flow = (progress(session, season).stage_flow or []) if is_team else []
    by_pool = {stage.input_pool: stage for stage in flow}
    stages = []
    for index, pool in enumerate(season.pools, 1):
        counts, status = numbers.get(pool.id, PoolCounts()), played.get(pool.id, StatusCounts({}))
        planned = by_pool.get(pool.name)
        kind: str
        if planned is not None:
            title, kind, description = planned.name, planned.kind.value, planned.description
            state = StageState(planned.status.value)
        elif flow:
            title, kind, description = "Final table", "placements", pool.description
            state = StageState.COMPLETE if counts.members else StageState.PENDING
        else:
            title, kind, description = pool.name.capitalize(), pool.name, pool.description
            state = StageState.OPEN if season.completed_at is None else StageState.COMPLETE
        ended = status.completed + status.failed
        stages.append(
            Stage(
                index=index,
                pool=pool.name,
                title=title,
                kind=kind,
                description=description,
                state=state,
                policies=counts.members,
                active=counts.active,
                teams=counts.teams,
                eliminated=counts.eliminated,
                completed=status.completed,
                failed=status.failed,
                running=_running(status),
                waiting=status.in_flight - _running(status),
                percent=100.0 * ended / status.total if status.total else 0.0,
            )
        )
    return stages


def _why_closed(session: Session, season: Season) -> str | None:
    try:
        check_open(session, season)
    except SubmissionsClosed as refusal:
        return refusal.message
    return None


def _running(counts: StatusCounts) -> int:
    return counts.by_status.get(MatchStatus.RUNNING, 0)
