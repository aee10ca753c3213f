"""Lists of matches: what has ended never changes, and its line is made once."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from observatory.database.freshness import MADE_MATCHES, remembered
from observatory.matches.tables import Match

__all__ = ["Listed", "lines", "pool_size"]

Listed = tuple[uuid.UUID, int | None]
"""a match and its `completed_order`"""
Line = TypeVar("Line")
_NAMES = ("users", "policies", "policy_versions", "seasons", "pools", "pool_players")
_MOST_LINES = 5000


def lines(
    session: Session,
    listed: Sequence[Listed],
    load: Callable[[Session, list[uuid.UUID]], Iterable[Match]],
    line: Callable[[Match], Line],
) -> list[Line]:
    """The line of each match, in the same order. `load` reads matches with all that `line` needs."""
    known: dict[Listed, Line] = remembered(session, ("lines", line), _NAMES, dict)
    shown = {entry: known.get(entry) for entry in listed}
    unknown = [match_id for (match_id, _), found in shown.items() if found is None]
    for match in load(session, unknown) if unknown else ():
        entry = match.id, match.completed_order
        shown[entry] = made = line(match)
        if entry[1] is not None:
            if len(known) >= _MOST_LINES:
                known.clear()
            known[entry] = made
    return [found for found in (shown[entry] for entry in listed) if found is not None]


def pool_size(session: Session, pool_id: uuid.UUID) -> int:
    """How many matches were made in a pool."""
    counted = select(func.count()).select_from(Match).where(Match.pool_id == pool_id)
    return remembered(session, ("pool size", pool_id), (MADE_MATCHES,), lambda: session.scalar(counted) or 0)
