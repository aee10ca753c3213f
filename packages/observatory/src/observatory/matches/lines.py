"""Lists of matches, with cached lines: the line of a match is rebuilt only after the match has changed."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import Select, Subquery, select
from sqlalchemy.orm import Session

from observatory.database.cache import cached_value
from observatory.database.tables.matches import Match
from observatory.events import ChangeKind

__all__ = ["LISTED", "Listed", "lines", "listed_from"]

LISTED = (Match.id, Match.status, Match.job_id, Match.completed_order, Match.error, Match.created_at)
"""the cache key of a line: the rest of a match never changes while these columns stay the same"""
Listed = tuple[uuid.UUID, Any, uuid.UUID | None, int | None, str | None, datetime]
Line = TypeVar("Line")
_DEPENDENCIES = (ChangeKind.ACCOUNT, ChangeKind.POLICY, ChangeKind.SEASON, ChangeKind.MEMBERSHIP)
_MAX_LINES = 5000


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
