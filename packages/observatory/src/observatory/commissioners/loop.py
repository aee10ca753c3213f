"""Start the conversations that are due, and cancel rounds of closed leagues, for as long as the server runs.

Nothing else happens here: workers bring what commissioners say, and each message is handled in its own transaction.
Killed at any point the loop loses nothing.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable
from datetime import datetime, timedelta

import anyio
import anyio.to_thread
from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory.clock import Clock
from observatory.commissioners.conversation import abort_round
from observatory.commissioners.programs import CONTAINER, program_of
from observatory.commissioners.runs import active_runs, progress_of, start_run
from observatory.commissioners.scheduling import QUESTION, schedule_due_rounds
from observatory.database import Database
from observatory.database.tables.commissioners import CommissionerPhase, CommissionerRun, LeagueCommissioner
from observatory.database.tables.leagues import Division, League, Round
from observatory.errors import Conflict, ObservatoryError
from observatory.events import ChangeKind, Versions
from observatory.leagues.repository import ACTIVE_ROUND
from observatory.settings import Settings

__all__ = ["CommissionerLoop"]

logger = logging.getLogger(__name__)

CHECK_SECONDS = 1.0
GATHER_SECONDS = 0.1
"""changes come in bursts, and one check handles all of them"""
CHECK_ALL_SECONDS = 5.0
"""how often leagues are checked when nothing changed: time passes, too"""
RETRY_MINUTES = 10.0
"""after a migration has failed"""
_WAKING = (ChangeKind.LEAGUE, ChangeKind.COWORLD, ChangeKind.ROUND)


class CommissionerLoop:
    """Starts migrations and asks for rounds, in every league whose commissioner is a program."""

    def __init__(self, database: Database, settings: Settings, clock: Clock) -> None:
        self._database, self._settings, self._clock = database, settings, clock

    async def run(self) -> None:
        """Run until cancelled."""
        threads = anyio.CapacityLimiter(1)
        checked: Versions | None = None
        checked_at = float("-inf")
        with self._database.changes.subscribe_async() as changes:
            while True:
                versions = self._database.changes.versions(_WAKING)
                if not self._database.is_leader:
                    checked = None
                elif versions != checked or anyio.current_time() - checked_at >= CHECK_ALL_SECONDS:
                    checked, checked_at = versions, anyio.current_time()
                    await anyio.to_thread.run_sync(self.check_all, limiter=threads)
                await changes.wait(CHECK_SECONDS)
                await anyio.sleep(GATHER_SECONDS)

    def check_all(self) -> None:
        """Check every league; one that fails is logged, and the others continue."""
        try:
            with self._database.read() as session:
                due = [league_id for league_id in _leagues(session) if self._due(session, league_id) is not None]
                closed = _rounds_of_closed_leagues(session)
        except (ObservatoryError, OSError) as problem:
            logger.warning("Leagues with commissioners could not be listed: %s", problem)
            return
        for league_id in due:
            self._logged(f"League {league_id} could not be checked", lambda id=league_id: self.check_league(id))  # type: ignore[misc]
        for round_id in closed:
            self._logged(f"Round {round_id} could not be cancelled", lambda id=round_id: self._cancel(id))  # type: ignore[misc]

    @staticmethod
    def _logged(problem: str, action: Callable[[], object]) -> None:
        try:
            action()
        except (ObservatoryError, OSError) as error:  # the database is busy or missing: retried later
            logger.warning("%s: %s", problem, error)
        except Exception:
            logger.exception("%s", problem)

    def _cancel(self, round_id: uuid.UUID) -> None:
        with self._database.transaction() as session:
            abort_round(session, session.get_one(Round, round_id), "The league was closed", now=self._clock())

    def check_league(self, league_id: uuid.UUID) -> CommissionerPhase | None:
        """Start the conversation that is due in a league, if any."""
        with self._database.transaction() as session:
            phase = self._due(session, league_id)
            if phase is not None:
                league = session.get_one(League, league_id)
                now = self._clock()
                program = program_of(session, league)
                if phase is CommissionerPhase.SCHEDULING:
                    progress = progress_of(session, league)
                    progress.scheduled_at = now
                    if QUESTION in progress.refused:
                        schedule_due_rounds(session, league, program, now=now)
                        return phase
                start_run(session, league, program, phase, now=now)
            return phase

    def _due(self, session: Session, league_id: uuid.UUID) -> CommissionerPhase | None:
        league = session.get_one(League, league_id)
        try:
            version = program_of(session, league).version
        except Conflict as problem:
            logger.info("League %s has no commissioner: %s", league_id, problem.message)
            return None
        progress = session.get(LeagueCommissioner, league_id)
        phases = {run.phase for run in active_runs(session, league_id)}
        now = self._clock()
        if progress is None or progress.version != version:
            if phases or _has_active_round(session, league_id):
                return None
            waits = progress is not None and _failed_lately(session, progress, version, now)
            return None if waits else CommissionerPhase.MIGRATION
        # A review may still move members, so that rounds are scheduled after it.
        if league.rounds_paused_at is not None or phases & {CommissionerPhase.SCHEDULING, CommissionerPhase.REVIEW}:
            return None
        if not self._is_time(league, progress.scheduled_at) or not _has_free_division(session, league_id):
            return None
        return CommissionerPhase.SCHEDULING

    def _is_time(self, league: League, asked_at: datetime | None) -> bool:
        """Return whether the commissioner has to be asked for rounds again."""
        if asked_at is None or (league.round_triggered_at is not None and league.round_triggered_at > asked_at):
            return True
        return self._clock() >= asked_at + timedelta(seconds=self._settings.commissioner_tick_seconds)


def _leagues(session: Session) -> list[uuid.UUID]:
    statement = select(League.id).where(League.commissioner_key == CONTAINER, League.disabled_at.is_(None))
    return list(session.scalars(statement.order_by(League.created_at, League.id)))


def _rounds_of_closed_leagues(session: Session) -> list[uuid.UUID]:
    active = (League.disabled_at.is_not(None), Round.commissioner_key == CONTAINER, Round.status.in_(ACTIVE_ROUND))
    statement = select(Round.id).join(Round.division).join(Division.league)
    return list(session.scalars(statement.where(*active)))


def _has_active_round(session: Session, league_id: uuid.UUID) -> bool:
    active = (Division.league_id == league_id, Round.status.in_(ACTIVE_ROUND))
    return session.scalar(select(Round.id).join(Round.division).where(*active).limit(1)) is not None


def _has_free_division(session: Session, league_id: uuid.UUID) -> bool:
    """Return whether a division has no active round: without one no new round could begin."""
    busy = select(Round.id).where(Round.division_id == Division.id, Round.status.in_(ACTIVE_ROUND)).exists()
    free = (Division.league_id == league_id, Division.archived_at.is_(None), ~busy)
    return session.scalar(select(Division.id).where(*free).limit(1)) is not None


def _failed_lately(session: Session, progress: LeagueCommissioner, version: str, now: datetime) -> bool:
    """Return whether this very commissioner failed a short time ago."""
    if progress.failed_at is None or now >= progress.failed_at + timedelta(minutes=RETRY_MINUTES):
        return False
    same = (CommissionerRun.league_id == progress.league_id, CommissionerRun.version == version)
    return session.scalar(select(CommissionerRun.id).where(*same).limit(1)) is not None
