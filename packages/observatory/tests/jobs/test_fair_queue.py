"""Seasons and persons share the workers' time by weight, whatever each has queued."""

from __future__ import annotations

import heapq
import uuid
from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy.orm import Session

from observatory.database import Database
from observatory.database.tables.jobs import Job
from observatory.job_states import EPISODE, JobStatus
from observatory.jobs.fair_queue import FairQueue
from observatory.jobs.service import Ending, create_job, end, take_next
from observatory.jobs.shares import ASSAYS, FRIENDLY, REQUESTS, league_group, season_group, set_group

SLOW, NEW = uuid.UUID(int=1), uuid.UUID(int=2)
MATCH_SECONDS = 600.0


class Machines:
    """Workers that play for a known time, on the server's clock."""

    def __init__(self, database: Database, clock: Any, *, workers: int, seconds: Mapping[str, float]) -> None:
        self.database, self.clock, self.seconds = database, clock, seconds
        self.free = [f"worker {number}" for number in range(workers)]
        self.playing: list[tuple[datetime, str, uuid.UUID]] = []

    def play(self, number: int) -> list[Job]:
        """Return the next jobs in the order in which workers get them. The clock moves on when all are busy."""
        leased: list[Job] = []
        with self.database.transaction() as session:
            while len(leased) < number:
                job = self._take(session) if self.free else None
                if job is not None:
                    leased.append(job)
                    continue
                self.clock.now, worker, job_id = heapq.heappop(self.playing)
                end(session, session.get_one(Job, job_id), Ending(JobStatus.COMPLETED), now=self.clock())
                self.free.append(worker)
        return leased

    def _take(self, session: Session) -> Job | None:
        leased = take_next(session, self.free[-1], live=(), now=self.clock(), lease_seconds=1e6)
        if leased is None:
            return None
        job = leased[0]
        length = self.seconds.get(job.queue_group, MATCH_SECONDS)
        heapq.heappush(self.playing, (self.clock() + timedelta(seconds=length), self.free.pop(), job.id))
        return job


def queue(session: Session, clock: Any, number: int = 1, **options: Any) -> list[uuid.UUID]:
    return [create_job(session, {}, now=clock(), **options).id for _ in range(number)]


FLOODS = [
    {"season_id": SLOW, "priority": 20},
    {"queue_group": ASSAYS, "user_id": None, "queue_person": "ada"},
    {"queue_group": REQUESTS, "queue_person": "ada"},
    {"queue_group": league_group(SLOW)},
    {"queue_group": FRIENDLY, "queue_person": "ada"},
]


@pytest.mark.any_database
@pytest.mark.parametrize("flood", FLOODS)
def test_500_long_matches_delay_the_first_match_of_a_season_by_at_most_two_match_lengths(
    database: Database, clock: Any, flood: Mapping[str, Any]
) -> None:
    workers = 3
    with database.transaction() as session:
        queue(session, clock, 500, **flood)
    machines = Machines(database, clock, workers=workers, seconds={})
    machines.play(5 * workers)
    clock.advance(1)
    queued_at = clock()
    with database.transaction() as session:
        [first] = queue(session, clock, season_id=NEW)
    assert any(job.id == first for job in machines.play(2 * workers))
    assert (clock() - queued_at).total_seconds() <= 2 * MATCH_SECONDS


@pytest.mark.any_database
def test_seasons_get_workers_time_by_their_weight_and_not_by_their_number_of_matches(
    database: Database, clock: Any
) -> None:
    third = uuid.UUID(int=3)
    seconds = {season_group(SLOW): 600.0, season_group(NEW): 60.0, season_group(third): 60.0}
    with database.transaction() as session:
        for season, number in ((SLOW, 20), (NEW, 150), (third, 150)):
            queue(session, clock, number, season_id=season)
        set_group(session, season_group(third), weight=2.0)
    used: Counter[str] = Counter()
    for job in Machines(database, clock, workers=2, seconds=seconds).play(150):
        used[job.queue_group] += int(seconds[job.queue_group])
    total = sum(used.values())
    shares = {group: time / total for group, time in used.items()}
    assert shares[season_group(SLOW)] == pytest.approx(0.25, abs=0.05)
    assert shares[season_group(NEW)] == pytest.approx(0.25, abs=0.05)
    assert shares[season_group(third)] == pytest.approx(0.5, abs=0.05)


@pytest.mark.any_database
def test_a_season_that_had_nothing_queued_cannot_catch_up_on_the_time_it_did_not_use(
    database: Database, clock: Any
) -> None:
    with database.transaction() as session:
        queue(session, clock, 100, season_id=SLOW)
    machines = Machines(database, clock, workers=1, seconds={})
    machines.play(40)
    with database.transaction() as session:
        queue(session, clock, 100, season_id=NEW)
    groups = [job.queue_group for job in machines.play(20)]
    assert abs(groups.count(season_group(NEW)) - groups.count(season_group(SLOW))) <= 1


def test_persons_in_a_season_take_turns_after_its_urgent_matches(database: Database, clock: Any) -> None:
    with database.transaction() as session:
        of_ada = queue(session, clock, 50, season_id=NEW, queue_person="ada")
        of_bob = queue(session, clock, 2, season_id=NEW, queue_person="bob")
        urgent = queue(session, clock, 2, season_id=NEW, queue_person="ada", priority=20)
    order = [job.id for job in Machines(database, clock, workers=1, seconds={}).play(6)]
    assert set(order[:2]) == set(urgent)
    assert set(order[2:4]) == set(of_bob), "two matches of ada were played before"
    assert order[4:] == of_ada[:2]


def test_the_shown_order_is_the_order_in_which_workers_get_the_jobs(database: Database, clock: Any) -> None:
    with database.transaction() as session:
        for number in range(30):
            season = uuid.UUID(int=number % 3)
            queue(session, clock, season_id=season, queue_person=f"p{number % 4}", priority=number % 2)
        queue(session, clock, 3, queue_group=ASSAYS, queue_person="ada")
    with database.read() as session:
        shown = [turn.job_id for turn in FairQueue(session, EPISODE)]
    machines = Machines(database, clock, workers=33, seconds={})
    assert shown == [job.id for job in machines.play(33)] and len(set(shown)) == 33
