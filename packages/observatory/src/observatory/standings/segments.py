"""Segments of match logs: the ended matches of a pool as columns in the database, written as the log grows.

A server that starts reads them instead of a million rows, and then the rows that came after. A segment is a copy: the
rows decide, `recompute` reads only them, and it removes the segments of a pool whose rows or table it corrects.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterable

import anyio
import anyio.to_thread
from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from observatory.clock import Clock
from observatory.database import Database
from observatory.database.tables.matches import Match, MatchLogSegment
from observatory.database.tables.seasons import Pool
from observatory.errors import ObservatoryError
from observatory.events import ChangeKind, Versions
from observatory.matches import repository as matches
from observatory.scoring.folds import PoolFold
from observatory.scoring.match_log import LogColumns

__all__ = ["SegmentWriter", "add_segments", "remove_segments", "write_segments"]

logger = logging.getLogger(__name__)

SEGMENT_MATCHES = 2000
"""what a server reads from rows at its start is fewer than these in each pool"""
CHECK_SECONDS = 60.0
_READ_AT_ONCE = 25


class SegmentWriter:
    """Writes segments while the server leads."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database, self._clock = database, clock
        self._versions: Versions = ()

    async def run(self) -> None:
        """Run until cancelled. A failed pass is logged, and the next one tries again."""
        while True:
            await anyio.sleep(CHECK_SECONDS)
            versions = self._database.changes.versions([ChangeKind.TABLE])
            if not self._database.is_leader or versions == self._versions:
                continue
            try:
                await anyio.to_thread.run_sync(write_segments, self._database, self._clock)
                self._versions = versions
            except (ObservatoryError, OSError) as problem:
                logger.warning("Segments of match logs could not be written: %s", problem)
            except Exception:
                logger.exception("Segments of match logs could not be written")


def write_segments(database: Database, clock: Clock) -> int:
    """Write all segments that are complete and missing, each in its own transaction; return how many."""
    with database.read() as session:
        pools = list(session.scalars(select(Pool.id).order_by(Pool.id)))
    written = 0
    for pool_id in pools:
        while _write_next(database, pool_id, clock):
            written += 1
    return written


def add_segments(session: Session, pool_id: uuid.UUID, fold: PoolFold) -> None:
    """Add the segments of a pool to an empty fold; none of them unless they have exactly the matches of the rows."""
    number, last, count = _state(session, pool_id)
    if not number or count != matches.ended_count(session, pool_id, until=last):
        return
    of_pool = select(MatchLogSegment.data).where(MatchLogSegment.pool_id == pool_id)
    for start in range(0, number, _READ_AT_ONCE):
        numbers = MatchLogSegment.number.between(start, start + _READ_AT_ONCE - 1)
        data = session.scalars(of_pool.where(numbers).order_by(MatchLogSegment.number))
        fold.extend(LogColumns.joined([LogColumns.unpack(segment) for segment in data]))
    if (fold.last_order, fold.matches) != (last, count):
        raise ValueError(f"The segments of pool {pool_id} do not have the matches that they name")


def remove_segments(session: Session, pool_ids: Iterable[uuid.UUID]) -> None:
    """Remove all segments of these pools, in the transaction that changes their ended matches."""
    session.execute(delete(MatchLogSegment).where(MatchLogSegment.pool_id.in_(list(pool_ids))))


def _state(session: Session, pool_id: uuid.UUID) -> tuple[int, int, int]:
    """Return how many segments a pool has, the order of their last match, and how many matches they have."""
    columns = (func.count(), func.max(MatchLogSegment.last_order), func.sum(MatchLogSegment.matches))
    number, last, count = session.execute(select(*columns).where(MatchLogSegment.pool_id == pool_id)).one()
    return number, last or 0, count or 0


def _write_next(database: Database, pool_id: uuid.UUID, clock: Clock) -> bool:
    with database.read() as session:
        state = number, last, _ = _state(session, pool_id)
        of_pool = select(Match.completed_order).where(Match.pool_id == pool_id, Match.completed_order > last)
        if session.scalar(of_pool.order_by(Match.completed_order).offset(SEGMENT_MATCHES - 1).limit(1)) is None:
            return False
        log = LogColumns.of(list(matches.match_log(session, pool_id, after=last, limit=SEGMENT_MATCHES)))
    segment = MatchLogSegment(
        pool_id=pool_id,
        number=number,
        last_order=int(log.order[-1]),
        matches=len(log.order),
        data=log.pack(),
        created_at=clock(),
    )
    with database.transaction() as session:
        if _state(session, pool_id) != state:  # another server has written it, or a correction has removed all
            return False
        session.add(segment)
    return True
