"""How many matches pools have, by state. Those that have ended are counted by the table, the few others by a query."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from observatory.database.tables.matches import Match, MatchPlayer, MatchStatus
from observatory.database.tables.seasons import PoolPlayer
from observatory.matches.repository import StatusCounts
from observatory.scoring.folds import Record
from observatory.standings.table_cache import pool_table

__all__ = ["counts_by_pool", "counts_of_policy", "pool_sizes"]

_ENDED = (MatchStatus.COMPLETED, MatchStatus.FAILED)
_OTHERS = tuple(status for status in MatchStatus if status not in _ENDED)


def counts_by_pool(session: Session, pool_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, StatusCounts]:
    """Return how many matches of each pool are in which state; a pool without matches is left out."""
    counts: dict[uuid.UUID, dict[MatchStatus, int]] = {}
    for pool_id in pool_ids:
        fold = pool_table(session, pool_id).fold
        ended = (fold.completed, fold.matches - fold.completed)
        counts[pool_id] = {status: number for status, number in zip(_ENDED, ended, strict=True) if number}
    return _with_others(session, counts, select(Match.pool_id, Match.status, func.count()))


def counts_of_policy(
    session: Session, pool_ids: Iterable[uuid.UUID], policy_version_id: uuid.UUID
) -> dict[uuid.UUID, StatusCounts]:
    """Return the same for the matches in which a version plays."""
    counts: dict[uuid.UUID, dict[MatchStatus, int]] = {}
    for pool_id in pool_ids:
        record = pool_table(session, pool_id).fold.records.get(policy_version_id, Record())
        ended = (record.completed, record.failed)
        counts[pool_id] = {status: number for status, number in zip(_ENDED, ended, strict=True) if number}
    others = (
        select(Match.pool_id, Match.status, func.count(Match.id.distinct()))
        .join(MatchPlayer, MatchPlayer.match_id == Match.id)
        .join(PoolPlayer, MatchPlayer.pool_player_id == PoolPlayer.id)
        .where(PoolPlayer.policy_version_id == policy_version_id)
    )
    return _with_others(session, counts, others)


def _with_others(
    session: Session, counts: dict[uuid.UUID, dict[MatchStatus, int]], statement: Any
) -> dict[uuid.UUID, StatusCounts]:
    """Add the matches that have not ended, or were cancelled."""
    others = statement.where(Match.pool_id.in_(list(counts)), Match.status.in_(_OTHERS))
    for pool_id, status, number in session.execute(others.group_by(Match.pool_id, Match.status)):
        counts[pool_id][status] = number
    return {pool_id: StatusCounts(numbers) for pool_id, numbers in counts.items() if numbers}


def pool_sizes(session: Session, pool_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, int]:
    """Return how many matches each pool has; a pool without matches is left out."""
    return {pool_id: counts.total for pool_id, counts in counts_by_pool(session, pool_ids).items()}
