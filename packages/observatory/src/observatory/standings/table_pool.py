"""One rule for commands and pages: which pool's table is the table of a season."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory.database.tables.seasons import Pool, PoolPlayer, Season, TournamentType
from observatory.seasons import repository
from observatory.standings.table_cache import pool_table

__all__ = ["shows_placements", "table_pool"]


def table_pool(session: Session, season: Season) -> Pool | None:
    """Return the pool whose table is the season's table; None for a season without pools.

    That is the deciding pool, `leaderboard_pool`, once it has a table: matches in a freeplay season, placed policies in
    a team season. Until then it is the last pool in which a match was completed, and the first pool before any match.
    """
    if season.leaderboard_pool is not None:
        deciding = repository.pool(season, season.leaderboard_pool)
        if _has_table(session, season, deciding):
            return deciding
    for pool in reversed(season.pools):
        if pool_table(session, pool.id).fold.completed:
            return pool
    return season.pools[0] if season.pools else None


def shows_placements(season: Season, pool: Pool) -> bool:
    """Return whether the table of this pool has the placements of a team season, where lower is better."""
    return season.tournament_type is TournamentType.team and pool.name == season.leaderboard_pool


def _has_table(session: Session, season: Season, deciding: Pool) -> bool:
    if shows_placements(season, deciding):
        return session.scalar(select(PoolPlayer.id).where(PoolPlayer.pool_id == deciding.id).limit(1)) is not None
    return pool_table(session, deciding.id).fold.completed > 0
