"""Lists of matches, with cached lines: the line of a match is rebuilt only after the match has changed."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Select, Subquery, select
from sqlalchemy.orm import Session

from observatory.database.cache import cached_value
from observatory.database.tables.matches import Match, MatchPlayer
from observatory.database.tables.seasons import PoolPlayer
from observatory.events import ChangeKind
from observatory.paging import count_up_to

__all__ = ["LISTED", "Listed", "lines", "listed_from", "newest", "with_policies"]

LISTED = (Match.id, Match.status, Match.job_id, Match.completed_order, Match.error, Match.created_at)
"""the cache key of a line: the rest of a match never changes while these columns stay the same"""
Listed = tuple[uuid.UUID, Any, uuid.UUID | None, int | None, str | None, datetime]
Line = TypeVar("Line")
_DEPENDENCIES = (ChangeKind.ACCOUNT, ChangeKind.POLICY, ChangeKind.SEASON, ChangeKind.MEMBERSHIP)
_MAX_LINES = 5000
_FEW = 5000


def listed_from(subquery: Subquery) -> Select[Any]:
    """Select the columns that `lines` needs, newest match first."""
    columns = [subquery.c[column.key] for column in LISTED]
    return select(*columns).order_by(subquery.c.created_at.desc(), subquery.c.id.desc())


def lines(
    session: Session,
    listed: Sequence[Listed],
    load: Callable[[Session, list[uuid.UUID]], Iterable[Match]],
    line: Callable[[Match], Line],
) -> list[Line]:
    """Return the line of each match, in the same order. `load` reads matches with all that `line` needs."""
    cache: dict[Listed, Line] = cached_value(session, ("lines", line), _DEPENDENCIES, dict)
    result = {entry[0]: cache.get(entry) for entry in listed}
    missing = [match_id for match_id, entry_line in result.items() if entry_line is None]
    for match in load(session, missing) if missing else ():
        result[match.id] = new_line = line(match)
        if len(cache) >= _MAX_LINES:
            cache.clear()
        cache[tuple(getattr(match, column.key) for column in LISTED)] = new_line
    return [entry_line for entry_line in result.values() if entry_line is not None]


def with_policies(
    session: Session, pool_id: uuid.UUID, versions: Sequence[uuid.UUID], *conditions: ColumnElement[bool]
) -> Any | None:
    """Select the matches of a pool in which any of these versions plays; None for versions that are not in the pool.

    A few of them are found by the seats of the versions, many by the order of the matches.
    """
    of_versions = (PoolPlayer.pool_id == pool_id, PoolPlayer.policy_version_id.in_(versions))
    players = session.scalars(select(PoolPlayer.id).where(*of_versions)).all()
    if not players:
        return None
    seats = select(MatchPlayer.match_id).where(MatchPlayer.pool_player_id.in_(players))
    if count_up_to(session, seats, _FEW) < _FEW:
        # Without the pool, and with a limit, the database has no reason to read the matches of other policies.
        return select(select(*LISTED).where(Match.id.in_(seats), *conditions).limit(_FEW).subquery())
    has_seat = seats.where(MatchPlayer.match_id == Match.id).exists()
    return select(*LISTED).where(Match.pool_id == pool_id, has_seat, *conditions)


def newest(of_pool: Any, limit: int) -> Select[Any]:
    """Return a select of the newest matches of a pool."""
    columns = of_pool.selected_columns
    return select(of_pool.order_by(columns.created_at.desc(), columns.id.desc()).limit(limit).subquery())
