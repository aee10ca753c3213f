"""Cached tables, updated with the matches that have ended since.

A table is built once from all matches of its pool (`standings.segments`), and then updated with those after the last
`completed_order` it has seen. An evicted table is rebuilt by the next request.
"""

from __future__ import annotations

import logging
import threading
import time
import uuid
from dataclasses import dataclass, field

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from observatory.database import Database
from observatory.database.cache import SessionCache
from observatory.database.tables.seasons import Pool, PoolPlayer, Season
from observatory.events import ChangeKind, Versions
from observatory.matches import repository as matches
from observatory.scoring.folds import Meeting, Place, Played, PoolFold
from observatory.scoring.match_log import LogColumns
from observatory.scoring.standings import Standing
from observatory.standings.segments import add_segments
from softmax.stats import Interval

__all__ = ["PoolTable", "is_older", "pool_table", "warm_up"]

logger = logging.getLogger(__name__)

RECHECK_SECONDS = 2.0
"""another process may write to the same database"""


@dataclass
class PoolTable:
    """The table of a pool, safe to use from any thread."""

    pool_id: uuid.UUID
    fold: PoolFold = field(default_factory=PoolFold)
    lock: threading.Lock = field(default_factory=threading.Lock)
    versions: Versions | None = None
    checked_at: float = 0.0
    updated_by: int = 0
    """when the session began that updated the table last"""
    isolation: dict[int, dict[uuid.UUID, str]] = field(default_factory=dict)
    """by the order of a match: the isolation of each policy, for the matches that were requested so far"""
    _standings: tuple[int, list[Standing]] | None = None
    _places: tuple[tuple[int, int], list[Place]] | None = None

    def update(self, session: Session, versions: Versions | None, began: int = 0) -> None:
        """Add the matches that have ended since; rebuild the table if the database has others.

        A session that began before the last update may not see all its matches: for that one the table is new enough.
        """
        with self.lock:
            if began < self.updated_by:
                return
            is_fresh = self.versions == versions and time.monotonic() - self.checked_at < RECHECK_SECONDS
            if versions is not None and is_fresh:
                return
            checked_at = time.monotonic()
            if not self._fits(session, versions):
                fold = _built(session, self.pool_id)  # others may read the old one meanwhile
                self.fold, self._standings, self._places = fold, None, None
            else:
                # All at once: others read the records of a fold meanwhile, and must find no match that waits.
                new = matches.match_log(session, self.pool_id, after=self.fold.last_order)
                self.fold.extend(LogColumns.of(list(new)))
            self.versions, self.checked_at, self.updated_by = versions, checked_at, began

    def _fits(self, session: Session, versions: Versions | None) -> bool:
        """Return whether the matches of the table are still those of the database, which only adds to them.

        Its last match is compared each time, and the number of matches after a change of an unknown kind.
        """
        last = self.fold.last_order
        if not last or matches.ended_at(session, self.pool_id, last) != self.fold.last_at:
            return False
        if versions is not None and self.versions is not None and versions[0] == self.versions[0]:
            return True
        return self.fold.matches == matches.ended_count(session, self.pool_id, until=last)

    def standings(self) -> list[Standing]:
        with self.lock:
            if self._standings is None or self._standings[0] != self.fold.last_order:
                self._standings = self.fold.last_order, self.fold.standings()
            return self._standings[1]

    def places(self, members: int) -> list[Place]:
        """Return the table with intervals, for a pool with this many active members."""
        with self.lock:
            key = self.fold.last_order, members
            if self._places is None or self._places[0] != key:
                self._places = key, self.fold.places(members)
            return self._places[1]

    def history(self, policy: uuid.UUID, members: int, max_points: int) -> dict[int, Interval]:
        with self.lock:
            return self.fold.history(policy, members, max_points)

    def played(self, policy: uuid.UUID, limit: int) -> list[Played]:
        with self.lock:
            return self.fold.played(policy, limit)

    def meetings(self, policy: uuid.UUID) -> list[Meeting]:
        with self.lock:
            return self.fold.meetings(policy)

    def last_scored(self, policy: uuid.UUID, limit: int) -> list[int]:
        with self.lock:
            return self.fold.last_scored(policy, limit)

    def charged(self, policy: uuid.UUID, limit: int) -> list[int]:
        with self.lock:
            return self.fold.charged(policy, limit)


def _built(session: Session, pool_id: uuid.UUID) -> PoolFold:
    """Return the fold of all ended matches of a pool."""
    fold = PoolFold()
    try:
        add_segments(session, pool_id, fold)
    except ValueError:
        logger.exception("The match log of pool %s is read from its rows", pool_id)
        fold = PoolFold()
    for match in matches.match_log(session, pool_id, after=fold.last_order):
        fold.add(match)
    fold.settle()
    return fold


def pool_table(session: Session, pool_id: uuid.UUID) -> PoolTable:
    """Return the current table of a pool."""
    shared = SessionCache.of(session)
    if shared is None:
        table = PoolTable(pool_id)
        table.update(session, None)
        return table
    table = shared.cache.setdefault(("pool table", pool_id), lambda: PoolTable(pool_id))
    table.update(session, shared.versions([(ChangeKind.TABLE, pool_id)]), shared.began)
    return table


def is_older(session: Session, table: PoolTable) -> bool:
    """Return whether a session may be older than a table's last matches."""
    shared = SessionCache.of(session)
    return shared is not None and shared.began < table.updated_by


def warm_up(database: Database) -> None:
    """Build the tables of active seasons in advance, so that the first request does not wait for them."""
    with database.read() as session:
        playing = (Season.canonical, Season.disabled_at.is_(None))
        pools = session.execute(select(Pool.id).join(Pool.season).where(*playing)).scalars().all()
    for pool_id in pools:
        with database.read() as session:
            members = select(func.count()).where(PoolPlayer.pool_id == pool_id, PoolPlayer.retired.is_(False))
            pool_table(session, pool_id).places(session.scalar(members) or 0)
