"""How many matches pools have, by state. Those that have ended are counted by the table, the few others by a query."""

from __future__ import annotations

import uuid
from collections.abc import Iterable

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from observatory.database.tables.matches import Match, MatchStatus
from observatory.matches.repository import StatusCounts
from observatory.standings.table_cache import pool_table

__all__ = ["counts_by_pool", "pool_sizes"]

_ENDED = (MatchStatus.COMPLETED, MatchStatus.FAILED)
_OTHERS = tuple(status for status in MatchStatus if status not in _ENDED)


def counts_by_pool(session: Session, pool_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, StatusCounts]:
    """Return how many matches of each pool are in which state; a pool without matches is left out."""
    counts: dict[uuid.UUID, dict[MatchStatus, int]] = {}
    for pool_id in pool_ids:
        fold = pool_table(session, pool_id).fold
        ended = (fold.completed, fold.matches - fold.completed)
        counts[pool_id] = {status: number for status, number in zip(_ENDED, ended, strict=True) if number}
    others = select(Match.pool_id, Match.status, func.count()).where(
        Match.pool_id.in_(list(counts)), Match.status.in_(_OTHERS)
    )
    for pool_id, status, number in session.execute(others.group_by(Match.pool_id, Match.status)):
        counts[pool_id][status] = number
    return {pool_id: StatusCounts(numbers) for pool_id, numbers in counts.items() if numbers}


def pool_sizes(session: Session, pool_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, int]:
    """Return how many matches each pool has; a pool without matches is left out."""
    return {pool_id: counts.total for pool_id, counts in counts_by_pool(session, pool_ids).items()}
