"""The task that keeps leagues playing, for as long as the server runs.

Killed at any point it loses nothing: the next pass reads the same facts. Of several servers on one database only the
leader takes steps; two leaders would do no harm, because every step is written in a transaction that sees the facts it
follows from. The others only find out what each division waits for.
"""

from __future__ import annotations

import logging
import uuid
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import anyio
import anyio.to_thread
from sqlalchemy.exc import IntegrityError

from observatory.clock import Clock
from observatory.database import Database
from observatory.database.cache import of_division
from observatory.errors import ObservatoryError
from observatory.events import Change, ChangeKind, Versions
from observatory.rounds.applying import apply
from observatory.rounds.decisions import Decision, Wait, decide
from observatory.rounds.reading import Reader, due_divisions, idle_divisions

__all__ = ["LastCheck", "LeagueLoop"]

logger = logging.getLogger(__name__)

CHECK_SECONDS = 0.5
"""how often the loop looks whether something has changed"""
CHECK_ALL_SECONDS = 5.0
"""how often it checks all divisions when nothing has: time passes, and other servers write, too"""
OBSERVE_SECONDS = 2.0
"""how often a server that does not lead looks: it only explains what divisions wait for"""
_OPENING = (ChangeKind.LEAGUE, ChangeKind.LEAGUE_ENTRY, ChangeKind.ROUND, ChangeKind.COWORLD, ChangeKind.WINDOW)
"""changes after which a round may begin"""
_CONTINUING = (ChangeKind.REQUEST,)
"""changes after which a round may continue or end"""
_STEPS = 20
"""of one division in one pass; more wait for the next"""


@dataclass(frozen=True)
class LastCheck:
    """What the last pass over a division found."""

    at: datetime
    why: str
    until: datetime | None = None
    failed: bool = False


class LeagueLoop:
    """Opens, continues and settles the rounds of platform leagues. `last` has the last check of each division."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database, self._clock = database, clock
        self._reader = Reader()
        self._checked: dict[uuid.UUID, Versions] = {}
        """the changes that the last check of a division has seen"""
        self.last: dict[uuid.UUID, LastCheck] = {}

    async def run(self) -> None:
        """Run until cancelled."""
        threads = anyio.CapacityLimiter(1)  # a separate limiter: the thread may have to wait for the write gate
        changes = self._database.changes
        opening: Versions = ()
        continuing: Versions = ()
        checked_all_at = observed_at = float("-inf")
        has_led = False
        while True:
            leads, now = self._database.is_leader, anyio.current_time()
            if leads and not has_led:
                checked_all_at = float("-inf")
            has_led = leads
            if not leads and now - observed_at < OBSERVE_SECONDS:
                await anyio.sleep(CHECK_SECONDS)
                continue
            observed_at = now
            opened, continued = changes.versions(_OPENING), changes.versions(_CONTINUING)
            is_time = now - checked_all_at >= CHECK_ALL_SECONDS
            check_idle = opened != opening or is_time
            if check_idle or continued != continuing:
                check = partial(self.check_all, idle=check_idle, unchanged=is_time, observe=not leads)
                await anyio.to_thread.run_sync(check, limiter=threads)
                continuing = continued
            if check_idle:
                opening = opened
            if is_time:
                checked_all_at = now
            await anyio.sleep(CHECK_SECONDS)

    def check_all(self, *, idle: bool = True, unchanged: bool = True, observe: bool = False) -> None:
        """Check the divisions in which something can happen; without `idle` only those that play a round.

        Without `unchanged`, divisions are left out in which nothing has changed since their last check. With `observe`
        no step is taken. A division that fails is logged and retried later, and the others continue.
        """
        try:
            with self._database.read() as session:
                divisions = due_divisions(session)
                if idle:
                    waiting = idle_divisions(session)
                    self.last = {found: check for found, check in self.last.items() if found in waiting}
                    self._checked = {found: seen for found, seen in self._checked.items() if found in waiting}
                    divisions += [found for found in waiting if unchanged or self._has_changed(found)]
        except Exception as problem:
            _log("Leagues could not be listed", problem)
            return
        for division_id in divisions:
            try:
                self.check(division_id, observe=observe)
            except Exception as problem:
                former = self.last.get(division_id)
                if former is None or former.why != str(problem):  # the same sentence every few seconds helps no one
                    _log(f"The rounds of div_{division_id} could not be checked", problem)
                self._record(division_id, LastCheck(self._clock(), str(problem), failed=True))

    def check(self, division_id: uuid.UUID, *, observe: bool = False) -> None:
        """Take steps in a division until there is nothing to do now."""
        for _ in range(1 if observe else _STEPS):
            versions = self._versions(division_id)  # before anything is read
            decision = self._step(division_id, observe=observe)
            if isinstance(decision, Wait):
                self._checked[division_id] = versions
                self._record(division_id, LastCheck(self._clock(), decision.why, decision.until))
                return

    def _has_changed(self, division_id: uuid.UUID) -> bool:
        return self._checked.get(division_id) != self._versions(division_id)

    def _versions(self, division_id: uuid.UUID) -> Versions:
        return self._database.changes.versions(of_division(_OPENING, division_id))

    def _record(self, division_id: uuid.UUID, check: LastCheck) -> None:
        """Store the result of a check; report it if pages would show something else now."""
        former = self.last.get(division_id)
        self.last[division_id] = check
        if former is None or (former.why, former.until, former.failed) != (check.why, check.until, check.failed):
            change = Change(ChangeKind.DIVISION, ids=frozenset({division_id}), division=division_id)
            self._database.changes.publish([change])

    def _step(self, division_id: uuid.UUID, *, observe: bool) -> Decision:
        with self._database.read() as session:
            facts = self._reader.read(session, division_id)
        decision = decide(facts, self._clock())
        if isinstance(decision, Wait) or observe:
            return decision
        try:
            with self._database.transaction() as session:
                now = self._clock()
                current = self._reader.read(session, division_id)
                if current != facts:  # another writer was faster
                    decision = decide(current, now)
                apply(session, division_id, decision, now=now)
        except IntegrityError:
            logger.info("Another server wrote the round of div_%s first", division_id)
        return decision


def _log(sentence: str, problem: Exception) -> None:
    if isinstance(problem, ObservatoryError | OSError):  # the database is busy, or the game refuses its settings
        logger.warning("%s: %s", sentence, problem)
    else:
        logger.error(sentence, exc_info=problem)
