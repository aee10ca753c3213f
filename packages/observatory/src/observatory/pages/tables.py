"""Tables of policies and teams as pages show them."""

from __future__ import annotations

import uuid
from collections.abc import Mapping

from sqlalchemy.orm import Session

from observatory.database.tables.seasons import Pool, Season
from observatory.errors import NotFound
from observatory.matches import repository as matches
from observatory.matches.repository import StatusCounts
from observatory.pages import repository
from observatory.pages.matches import isolation_of
from observatory.pages.names import names_in_pools, names_of, policy_ref
from observatory.pages.schemas import PolicyRef, Table, TableKind, TableRow, TeamRow, Teams
from observatory.paging import Page
from observatory.scoring.folds import Place, Record
from observatory.scoring.vor import team_values
from observatory.seasons import repository as seasons
from observatory.seasons.config import TeamConfig
from observatory.seasons.repository import TeamFilter
from observatory.seasons.stages import plan_stages
from observatory.standings.leaderboards import score_policies_leaderboard
from observatory.standings.table_cache import PoolTable, is_older, pool_table
from observatory.standings.table_pool import shows_placements, table_pool
from softmax.stats import mean_interval

__all__ = ["season_table", "season_teams"]


def season_table(session: Session, season: Season, pool_name: str | None) -> Table:
    """Return the table of a pool, by default the one that `table_pool` names for commands too."""
    pool = table_pool(session, season) if pool_name is None else seasons.pool(season, pool_name)
    if pool is None:
        raise NotFound(f"Season {season.name!r} has no pools")
    if shows_placements(season, pool):
        return _placements(session, season, pool)
    table = pool_table(session, pool.id)
    active = repository.active_members(session, pool.id)
    places = table.places(len(active))
    names = names_in_pools(session, [pool.id])
    records = table.fold.records
    isolation = _isolation(session, table, {place.standing.policy_version_id for place in places})
    rows = [
        _row(place, names, records[place.standing.policy_version_id], active, isolation)
        for place in places
        if place.standing.policy_version_id in names
    ]
    return Table(
        season=season.name,
        season_version=season.version,
        pool=pool.name,
        kind=TableKind.SCORES,
        lower_is_better=False,
        maps=table.fold.maps,
        matches=table.fold.completed,
        updated_at=table.fold.last_at,
        rows=rows,
    )


def _row(
    place: Place,
    names: Mapping[uuid.UUID, PolicyRef],
    record: Record,
    active: set[uuid.UUID],
    isolation: Mapping[uuid.UUID, str],
) -> TableRow:
    standing, interval, value = place.standing, place.interval, place.value
    policy = standing.policy_version_id
    return TableRow(
        rank=standing.rank,
        policy=names[policy],
        score=standing.score,
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        rank_low=place.rank_low,
        rank_high=place.rank_high,
        stddev=standing.stddev,
        matches=standing.matches,
        failed=record.charged,
        failing=record.last_failed,
        vor=None if value is None else value.value,
        vor_low=None if value is None else value.low,
        vor_high=None if value is None else value.high,
        trend=place.trend,
        last_match_at=record.last_at,
        isolation=isolation.get(policy),
        active=policy in active,
    )


def _isolation(session: Session, table: PoolTable, policies: set[uuid.UUID]) -> dict[uuid.UUID, str]:
    """Return the isolation of each policy in its last match. A match is looked up once."""
    records = table.fold.records
    last = {policy: records[policy].last_order for policy in policies}  # others may update the table meanwhile
    unknown = set(last.values()) - table.isolation.keys()
    if unknown:
        runtimes = repository.runtimes(session, sorted(unknown))
        # A session that is older than the table may not see its last matches: then it is not known yet.
        for order in runtimes if is_older(session, table) else unknown:
            runtime, positions = runtimes.get(order, (None, {}))
            levels = isolation_of(runtime or {})
            table.isolation[order] = {
                policy: levels[index] for policy, index in positions.items() if index < len(levels)
            }
    current = {policy: table.isolation.get(order, {}).get(policy) for policy, order in last.items()}
    return {policy: level for policy, level in current.items() if level is not None}


def _placements(session: Session, season: Season, pool: Pool) -> Table:
    """Return the final table of a team season; it is empty until the season has final scores."""
    rows = score_policies_leaderboard(session, season)
    last = plan_stages(TeamConfig.model_validate(season.config))[-1].input_pool
    final = seasons.pool(season, last)
    names = names_of(session, [row.policy.id for row in rows])
    teams, _ = seasons.teams(session, season.id, TeamFilter(pool_name=last))
    members = {team.id: [seat.policy_version_id for seat in team.members] for team in teams}
    values = team_values(members, {team.id: team.score for team in teams if team.score is not None})
    table = pool_table(session, final.id)
    active = repository.active_members(session, pool.id)
    table_rows = []
    for row in rows:
        value = values.get(row.policy.id)
        record = table.fold.records.get(row.policy.id, Record())
        table_rows.append(
            TableRow(
                rank=row.rank,
                policy=names[row.policy.id],
                score=row.placement_score,
                low=None,
                high=None,
                rank_low=None,
                rank_high=None,
                stddev=None,
                matches=record.completed,
                failed=record.charged,
                failing=record.last_failed,
                vor=None if value is None else value.value,
                vor_low=None if value is None else value.low,
                vor_high=None if value is None else value.high,
                trend=None,
                last_match_at=record.last_at,
                isolation=None,
                active=row.policy.id in active,
                team_ranks=row.team_ranks,
            )
        )
    return Table(
        season=season.name,
        season_version=season.version,
        pool=pool.name,
        kind=TableKind.PLACEMENTS,
        lower_is_better=True,
        maps=table.fold.maps,
        matches=table.fold.completed,
        updated_at=table.fold.last_at,
        rows=table_rows,
    )


def season_teams(session: Session, season: Season, filters: TeamFilter, page: Page) -> Teams:
    """Return teams, the last round first, best first."""
    teams, total = seasons.teams(session, season.id, filters, page)
    ids = [team.id for team in teams]
    played = matches.counts_by_team(session, ids)
    scores = repository.team_match_scores(session, ids)
    ranks = seasons.team_ranks(session, season.id)
    rows = []
    for team in teams:
        interval = mean_interval(scores.get(team.id, []))
        varies = interval is not None and interval.high > interval.low
        rows.append(
            TeamRow(
                id=team.id,
                pool=team.pool.name,
                rank=ranks.get(team.id),
                score=team.score,
                low=interval.low if interval is not None and varies else None,
                high=interval.high if interval is not None and varies else None,
                matches=played.get(team.id, StatusCounts({})).completed,
                eliminated=team.eliminated,
                notes=team.notes,
                parent_team_id=team.parent_team_id,
                members=[policy_ref(seat.policy_version) for seat in team.members],
            )
        )
    pools = [pool.name for pool in season.pools if pool.name.startswith("team-round-")]
    return Teams(season=season.name, season_version=season.version, pools=pools, total=total, rows=rows)
