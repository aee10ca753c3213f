"""The task that keeps seasons playing, for as long as the server runs."""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import anyio
import anyio.to_thread
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from observatory.clock import Clock
from observatory.commissioner.applying import apply
from observatory.commissioner.decisions import Decisions
from observatory.commissioner.facts import Limits
from observatory.commissioner.reading import Memory, Reading, active_seasons, read, stamp
from observatory.commissioner.reasons import Reasons, decide, reasons
from observatory.commissioner.rolling import roll_due_seasons
from observatory.database import Database
from observatory.errors import ObservatoryError
from observatory.events import Change, ChangeKind
from observatory.settings import Settings

__all__ = ["Commissioner", "LastPass"]

logger = logging.getLogger(__name__)

CHECK_ALL_SECONDS = 30.0
"""changes wake the loop; this interval covers changes without a notification"""
RETRY_SECONDS = 2.0
GATHER_SECONDS = 0.1
"""changes come in bursts, and one pass handles all of them"""
OBSERVE_SECONDS = 2.0
"""the same for a server that does not lead: it reads along, to explain what policies wait for and to take over"""
MATCHES_AT_ONCE = 10
"""created in one transaction, so that others can write in between"""
_PASSES = 200
_PATIENCE_SECONDS = 0.2
_TRIES = 3
_WAKING = frozenset({ChangeKind.MATCH, ChangeKind.MEMBERSHIP, ChangeKind.SEASON, ChangeKind.STAGE})


@dataclass(frozen=True)
class LastPass:
    """The result of the last pass over a season."""

    at: datetime
    season: str
    queued: int
    """matches created in this pass"""
    why: str
    """why there are no more; the error, if the pass failed"""
    failed: bool = False


class Commissioner:
    """Schedules matches for seasons that changed, and checks all of them periodically.

    Facts are read and decisions made before the transaction that applies them, which checks that the facts are still
    current. Killed at any point it loses nothing: the next pass reads the same facts. Only the leader applies its
    decisions; two leaders would do no harm. `last` has the result of the last pass, by season.
    """

    def __init__(self, database: Database, settings: Settings, clock: Clock) -> None:
        self._database = database
        self._limits = Limits(settings.max_outstanding_matches, MATCHES_AT_ONCE, settings.first_matches)
        self._clock = clock
        self._memory = Memory()
        self._lock = threading.Lock()  # guards the cached readings, which pages read too
        self._readings: dict[uuid.UUID, Reading] = {}
        self.last: dict[uuid.UUID, LastPass] = {}

    async def run(self) -> None:
        """Run until cancelled."""
        threads = anyio.CapacityLimiter(1)  # a separate limiter: the thread may have to wait for the write gate
        with self._database.changes.subscribe_async() as changes:
            checked_all_at = float("-inf")
            changed: set[uuid.UUID] | None = None
            has_led = False
            while True:
                leads = self._database.is_leader
                if leads and not has_led:
                    changed = None
                has_led = leads
                check = partial(self.run_passes, changed, observe=not leads)
                succeeded = await anyio.to_thread.run_sync(check, limiter=threads)
                now = time.monotonic()
                checked_all_at = now if changed is None else checked_all_at
                wait = CHECK_ALL_SECONDS - (now - checked_all_at) if succeeded else RETRY_SECONDS
                received = await changes.wait(max(0.0, wait))
                if received:
                    await anyio.sleep(GATHER_SECONDS if leads else OBSERVE_SECONDS)
                    received += changes.take()
                check_all = time.monotonic() - checked_all_at >= CHECK_ALL_SECONDS or _is_any(received)
                changed = None if check_all or not succeeded else _seasons(received)

    def run_passes(self, changed: set[uuid.UUID] | None = None, *, observe: bool = False) -> bool:
        """Run passes over these seasons, or over all, until no step follows. Return whether all succeeded.

        With `observe` nothing is applied. A season that fails is logged and retried later; the others continue.
        """
        succeeded = True
        if changed is None:
            if not observe:
                roll = partial(roll_due_seasons, self._database, self._clock())
                succeeded = _logged("Seasons could not be rolled", roll)
            changed = set()
            succeeded = _logged("Seasons could not be listed", lambda: changed.update(self._active())) and succeeded
        for season_id in sorted(changed):
            name = self.last[season_id].season if season_id in self.last else str(season_id)
            check = partial(self.observe_season if observe else self.check_season, season_id)
            passed = _logged(f"Season {name} could not be checked", check)
            if not passed:
                self._note(season_id, 0, "The season could not be checked; it is retried", failed=True)
            succeeded = succeeded and passed
        return succeeded

    def check_season(self, season_id: uuid.UUID) -> None:
        """Decide and apply until there are no more steps."""
        queued = 0
        for _ in range(_PASSES):
            decisions = self._pass(season_id)
            if decisions is None:
                return
            queued += len(decisions.matches)
            self._note(season_id, queued, decisions.why)
            if not decisions.steps:
                return

    def observe_season(self, season_id: uuid.UUID) -> None:
        """Decide, and leave it to the leader to apply that."""
        with self._database.read() as session:
            decisions = self._decide(session, season_id)[1]
        if decisions is not None:
            self._note(season_id, 0, decisions.why)

    def forget(self) -> None:
        """Drop all tallies, so that the next pass recomputes them: scores were corrected."""
        with self._lock:
            self._memory.forget()

    def reasons(self, season_id: uuid.UUID) -> Reasons | None:
        """Return what each policy of a season waits for, as of the last pass.

        None for a season that does not play, and during a long read after a start: the caller does not wait for it.
        """
        if not self._lock.acquire(timeout=_PATIENCE_SECONDS):
            return None
        try:
            reading = self._readings.get(season_id)
            return None if reading is None else reasons(reading.facts)
        finally:
            self._lock.release()

    def _pass(self, season_id: uuid.UUID) -> Decisions | None:
        """Return the decisions that were applied; None for a season that no longer plays."""
        for _ in range(_TRIES):
            with self._database.read() as session:
                reading, decisions = self._decide(session, season_id)
            if reading is None or decisions is None or not decisions.steps:
                return decisions
            try:
                with self._database.transaction() as session:
                    if stamp(session, season_id) == reading.stamp:
                        apply(session, season_id, decisions.steps, now=self._clock())
                        return decisions
            except IntegrityError:
                logger.info("Another writer created a match of season %s; retrying", reading.facts.name)
        # Too many concurrent changes: decide inside the write transaction. Nearly everything has been read by now.
        with self._database.transaction() as session:
            _, decisions = self._decide(session, season_id)
            if decisions is not None:
                apply(session, season_id, decisions.steps, now=self._clock())
        return decisions

    def _decide(self, session: Session, season_id: uuid.UUID) -> tuple[Reading | None, Decisions | None]:
        with self._lock:
            reading = read(session, self._memory, season_id, self._limits)
            self._remember(season_id, reading)
            return reading, None if reading is None else decide(reading.facts)

    def _remember(self, season_id: uuid.UUID, reading: Reading | None) -> None:
        if reading is None:
            self._readings.pop(season_id, None)
            self.last.pop(season_id, None)
        else:
            self._readings[season_id] = reading

    def _active(self) -> set[uuid.UUID]:
        """Return the seasons that play; drop the cached facts of all others."""
        with self._database.read() as session:
            active = set(active_seasons(session))
        with self._lock:
            self._memory.keep(active)
            self._readings = {season: reading for season, reading in self._readings.items() if season in active}
            self.last = {season: last_pass for season, last_pass in self.last.items() if season in active}
        return active

    def _note(self, season_id: uuid.UUID, queued: int, why: str, *, failed: bool = False) -> None:
        reading = self._readings.get(season_id)
        name = "" if reading is None else reading.facts.name
        self.last[season_id] = LastPass(self._clock(), name, queued, why, failed)


def _seasons(changes: list[Change]) -> set[uuid.UUID]:
    return {change.season for change in changes if change.kind in _WAKING and change.season is not None}


def _is_any(changes: list[Change]) -> bool:
    """Return whether any season may have changed: notifications were missed."""
    return any(change.kind is ChangeKind.SEASON and change.season is None and not change.ids for change in changes)


def _logged(problem: str, action: Callable[[], object]) -> bool:
    """Run a function and log its failure; return whether it succeeded."""
    try:
        action()
    except (ObservatoryError, OSError) as error:  # the database is busy or missing: retried later
        logger.warning("%s: %s", problem, error)
        return False
    except Exception:
        logger.exception("%s", problem)
        return False
    return True
