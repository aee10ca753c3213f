"""Tables of a season, computed from its matches and teams."""

from __future__ import annotations

import uuid

from sqlalchemy.orm import Session

from observatory.database.cache import cached_value
from observatory.database.tables.seasons import Pool, Season, TournamentType
from observatory.errors import BadRequest
from observatory.events import ChangeKind
from observatory.scoring.standings import placements
from observatory.seasons import repository
from observatory.seasons.config import TeamConfig
from observatory.seasons.stages import plan_stages
from observatory.standings.table_cache import pool_table
from observatory.standings.table_pool import shows_placements, table_pool
from softmax.wire import LeaderboardEntry, PolicyVersionSummary, ScorePoliciesLeaderboardEntry

__all__ = ["policy_leaderboard", "score_policies_leaderboard", "season_leaderboard"]

_PLACEMENTS = (ChangeKind.SEASON, ChangeKind.STAGE, ChangeKind.MEMBERSHIP, ChangeKind.POLICY)
NOT_A_TEAM_SEASON = "Score policies leaderboard not available for this season type"


def season_leaderboard(session: Session, season: Season, pool_name: str | None) -> list[LeaderboardEntry]:
    """Return the table of a pool, by default the one that `table_pool` names for pages too.

    That of a team season shows placements, where lower is better, once there are any.
    """
    if pool_name is not None:
        return policy_leaderboard(session, repository.pool(season, pool_name))
    pool = table_pool(session, season)
    if pool is None:
        return []
    if not shows_placements(season, pool):
        return policy_leaderboard(session, pool)
    return [
        LeaderboardEntry(
            rank=row.rank,
            policy=row.policy,
            score=row.placement_score,
            score_stddev=None,
            score_percentiles=None,
            matches=row.team_appearances,
        )
        for row in score_policies_leaderboard(session, season)
    ]


def policy_leaderboard(session: Session, pool: Pool) -> list[LeaderboardEntry]:
    """Return all policies with a scored match in a pool, best first."""
    standings = pool_table(session, pool.id).standings()
    names = repository.version_names(session, [pool.id])
    return [
        LeaderboardEntry(
            rank=row.rank,
            policy=names[row.policy_version_id],
            score=row.score,
            score_stddev=row.stddev,
            score_percentiles=None if row.percentiles is None else dict(row.percentiles),
            matches=row.matches,
        )
        for row in standings
        if row.policy_version_id in names
    ]


def score_policies_leaderboard(session: Session, season: Season) -> list[ScorePoliciesLeaderboardEntry]:
    """Return the final table of a team season; empty until the season is scored."""
    if season.tournament_type is not TournamentType.team:
        raise BadRequest(NOT_A_TEAM_SEASON)
    key = ("placements", season.id)
    return cached_value(session, key, _PLACEMENTS, lambda: _placements(session, season))


def _placements(session: Session, season: Season) -> list[ScorePoliciesLeaderboardEntry]:
    config = TeamConfig.model_validate(season.config)
    last = plan_stages(config)[-1]
    if not repository.has_members(session, repository.pool(season, last.output_pool).id):
        return []
    names: dict[uuid.UUID, PolicyVersionSummary] = {}
    members: dict[uuid.UUID, list[uuid.UUID]] = {}
    scores: dict[uuid.UUID, float] = {}
    for team, score, policy in repository.seats(session, repository.pool(season, last.input_pool).id):
        names[policy.id] = policy
        members.setdefault(team, []).append(policy.id)
        if score is not None:
            scores[team] = score
    return [
        ScorePoliciesLeaderboardEntry(
            rank=row.rank,
            policy=names[row.policy_version_id],
            placement_score=row.score,
            team_appearances=row.appearances,
            team_ranks=list(row.team_ranks),
        )
        for row in placements(members, scores, config.scoring.top_k)
    ]
