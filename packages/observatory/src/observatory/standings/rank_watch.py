"""Tell owners when another policy overtakes theirs in the table of a season, and how the season ended.

A table is computed from its matches and not stored. The ranks that were reported last are stored, and change in one
transaction with the notices about them. Ranks are compared once a minute at most: most changes in between do not last.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Mapping
from datetime import datetime, timedelta

import anyio
import anyio.to_thread
from sqlalchemy import or_, select
from sqlalchemy.orm import Session, joinedload, selectinload

from observatory.clock import Clock
from observatory.database import Database
from observatory.database.tables.notices import TableRanks
from observatory.database.tables.policies import PolicyVersion
from observatory.database.tables.seasons import Pool, Season
from observatory.errors import ObservatoryError
from observatory.events import ChangeKind, Versions
from observatory.notices.leagues import tell_final_rank, tell_overtaken
from observatory.standings.leaderboards import score_policies_leaderboard
from observatory.standings.table_cache import pool_table
from observatory.standings.table_pool import shows_placements, table_pool

__all__ = ["RankWatch"]

logger = logging.getLogger(__name__)

CHECK_SECONDS = 5.0
PAUSE = timedelta(minutes=1)
"""between two comparisons of a table"""

Ranks = Mapping[uuid.UUID, int]


class RankWatch:
    """Compares the tables of public seasons with the ranks that were reported last."""

    def __init__(self, database: Database, clock: Clock, *, pause: timedelta = PAUSE) -> None:
        self._database, self._clock, self._pause = database, clock, pause
        self._versions: Versions = ()

    async def run(self) -> None:
        """Run until cancelled. A failed pass is logged, and the next one tries again."""
        while True:
            await anyio.sleep(CHECK_SECONDS)
            if not self._database.is_leader:
                continue
            versions = self._database.changes.versions([ChangeKind.TABLE, ChangeKind.SEASON, ChangeKind.STAGE])
            if versions == self._versions:
                continue
            try:
                if await anyio.to_thread.run_sync(self.check):
                    self._versions = versions
            except (ObservatoryError, OSError) as problem:
                logger.warning("Ranks could not be compared: %s", problem)
            except Exception:
                logger.exception("Ranks could not be compared")

    def check(self) -> bool:
        """Compare all tables that are due; return whether none has to wait for its pause."""
        now, is_done = self._clock(), True
        with self._database.read() as session:
            seasons = [season.id for season in _watched(session)]
        for season_id in seasons:
            with self._database.read() as session:
                season = session.get_one(Season, season_id)
                pool = table_pool(session, season)
                reported = None if pool is None else session.get(TableRanks, pool.id)
                if pool is None or (reported is not None and reported.final_at is not None):
                    continue
                has_ended = season.completed_at is not None
                if reported is None and has_ended:
                    continue  # it ended before its ranks were ever reported
                if reported is not None and not has_ended and now < reported.updated_at + self._pause:
                    is_done = False
                    continue
                ranks = _ranks(session, season, pool)
                before = {} if reported is None else {uuid.UUID(key): int(rank) for key, rank in reported.ranks.items()}
                seen = _stamp(reported)
            if ranks != before or has_ended:
                with self._database.transaction() as session:
                    if _stamp(session.get(TableRanks, pool.id)) == seen:  # or another server has reported them
                        self._tell(session, pool.id, before, ranks, has_ended=has_ended)
        return is_done

    def _tell(self, session: Session, pool_id: uuid.UUID, before: Ranks, ranks: Ranks, *, has_ended: bool) -> None:
        now = self._clock()
        pool = session.scalars(select(Pool).where(Pool.id == pool_id).options(joinedload(Pool.season))).one()
        versions = _versions(session, ranks)
        for version_id, rank in ranks.items():
            if has_ended:
                tell_final_rank(session, pool, versions[version_id], rank=rank, of=len(ranks), now=now)
                continue
            was = before.get(version_id)
            ahead = [other for other, place in ranks.items() if place < rank and before.get(other, 0) > (was or 0)]
            if was is not None and rank > was and ahead:
                best = min(ahead, key=lambda other: ranks[other])
                own, other = versions[version_id], versions[best]
                if own.policy.user_id != other.policy.user_id:
                    tell_overtaken(session, pool, own, other, rank=rank, of=len(ranks), now=now)
        reported = session.get(TableRanks, pool_id)
        if reported is None:
            reported = TableRanks(pool_id=pool_id, ranks={}, updated_at=now)
            session.add(reported)
        reported.ranks = {str(version): rank for version, rank in ranks.items()}
        reported.updated_at, reported.final_at = now, now if has_ended else None
        session.flush()


def _stamp(reported: TableRanks | None) -> tuple[datetime, datetime | None] | None:
    """Return what changes whenever ranks are reported."""
    return None if reported is None else (reported.updated_at, reported.final_at)


def _watched(session: Session) -> list[Season]:
    """Return the public seasons that play, and those that have ended and whose end was not reported."""
    reported = (
        select(Pool.season_id).join(TableRanks, TableRanks.pool_id == Pool.id).where(TableRanks.final_at.is_(None))
    )
    plays = (Season.canonical, Season.started_at.is_not(None), Season.completed_at.is_(None))
    statement = select(Season).where(Season.public, or_(Season.id.in_(reported), (plays[0] & plays[1] & plays[2])))
    return list(session.scalars(statement))


def _ranks(session: Session, season: Season, pool: Pool) -> dict[uuid.UUID, int]:
    if shows_placements(season, pool):
        return {row.policy.id: row.rank for row in score_policies_leaderboard(session, season)}
    return {row.policy_version_id: row.rank for row in pool_table(session, pool.id).standings()}


def _versions(session: Session, ranks: Ranks) -> dict[uuid.UUID, PolicyVersion]:
    statement = select(PolicyVersion).where(PolicyVersion.id.in_(ranks)).options(selectinload(PolicyVersion.policy))
    return {version.id: version for version in session.scalars(statement)}
