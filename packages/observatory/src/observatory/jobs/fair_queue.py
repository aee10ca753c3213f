"""The order of the queue: workers' time is divided between seasons by weight, and in a season between persons.

This is start-time fair queueing. Each group of jobs (a season, a league, all assays) has an account of the time that
workers spent on it, divided by its weight, with the expected time of its jobs in work added. The next job is one of the
group with the least account. A group that had nothing waiting begins at the account of the group that is next now: time
that it did not use is not saved, and a new season is next at once. In a group, the jobs with the highest priority come
first; among these, those of the person with the least account, found by the same rule; and of a person's, the oldest.

The rule reads rows only, in a write transaction, so that any number of servers apply it alike. It costs some index
lookups for each group and each person of the chosen group that waits, whatever the number of queued jobs.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from observatory.database.tables.jobs import Job
from observatory.database.tables.queue import QueueShare
from observatory.job_states import IN_WORK, JobStatus, Lane
from observatory.jobs.labels import fits
from observatory.jobs.shares import EXPECTED_SECONDS, default_weight, lane_of, person_key, share

__all__ = ["FairQueue", "GroupAccount", "Turn", "required_labels", "waiting_by_labels", "waiting_groups"]

_PAGE = 20
_Conditions = Sequence[ColumnElement[bool]]
_WAITING: _Conditions = [Job.status == JobStatus.PENDING]


@dataclass(frozen=True)
class Turn:
    """A waiting job whose turn it is."""

    job_id: uuid.UUID
    group: str
    person: str
    queued_at: datetime


@dataclass(frozen=True)
class GroupAccount:
    """A group with waiting jobs, as the page of the queue shows it."""

    group: str
    weight: float
    in_work: int
    ahead_seconds: float
    """how much more time of workers it has had than the group that is next, for its weight"""


@dataclass
class _Account:
    """The account of a group, or of a person in a group."""

    name: str
    key: str
    weight: float
    used: float = 0.0
    waits: bool = False
    in_work: int = 0
    job_seconds: float = EXPECTED_SECONDS
    required: frozenset[str] = frozenset()
    """labels that a worker must have to get a job of this group"""
    stored: tuple[float, bool] | None = None
    """`used` and `waits` as the database has them"""
    jobs: _Jobs | None = None
    """the waiting jobs of a person"""

    @property
    def total(self) -> float:
        """Return the virtual seconds it has had, with those expected of its jobs in work."""
        return self.used + self.in_work * self.job_seconds / self.weight

    @property
    def order(self) -> tuple[float, int, str]:
        return self.total, self.in_work, self.key

    @property
    def priority(self) -> int:
        return 0 if self.jobs is None else self.jobs.priority


@dataclass
class _Level:
    """Accounts that compete with each other: the groups of a lane, or the persons of a group."""

    parent: str
    clock: float = 0.0
    accounts: dict[str, _Account] = field(default_factory=dict)

    @property
    def waiting(self) -> list[_Account]:
        return [account for account in self.accounts.values() if account.waits]

    def admit(self, names: Collection[str]) -> None:
        """Mark the accounts with waiting jobs. One that had none begins at the least account of the others."""
        for account in self.waiting:
            account.waits = account.name in names
        start = min((account.total for account in self.waiting), default=self.clock)
        for account in (self.accounts[name] for name in names):
            if not account.waits:
                account.used += max(0.0, start - account.total)
                account.waits = True

    def take(self, account: _Account) -> None:
        """Count one more job of an account in work."""
        self.clock = max(self.clock, account.total)
        account.in_work += 1


class FairQueue:
    """The waiting jobs of a lane, in the order in which workers get them. Changes nothing until `save`.

    With `labels`, only jobs that a worker with these labels may get. Groups that it may not play keep their accounts.
    """

    def __init__(
        self,
        session: Session,
        lane: Lane,
        *,
        without: Collection[uuid.UUID] = (),
        labels: Collection[str] | None = None,
    ) -> None:
        self._session = session
        self._labels = labels
        self._conditions = [*_WAITING, Job.id.not_in(without)] if without else _WAITING
        self._in_work = _in_work(session)
        names = [group for group in _distinct(session, Job.queue_group, self._conditions) if lane_of(group) == lane]
        self._groups = self._level(lane, names, {name: name for name in names})
        self._persons: dict[str, _Level] = {}

    def __iter__(self) -> Iterator[Turn]:
        """Yield waiting jobs in order, as if a worker took each at once."""
        while waiting := [group for group in self._groups.waiting if self._may_play(group)]:
            group = min(waiting, key=lambda account: account.order)
            persons = self._persons_of(group)
            person = min(persons.waiting, key=lambda account: (-account.priority, *account.order))
            assert person.jobs is not None
            job_id, queued_at = person.jobs.first()
            self._groups.take(group)
            persons.take(person)
            yield Turn(job_id, group.name, person.name, queued_at)
            person.waits = person.jobs.advance()
            group.waits = bool(persons.waiting)

    def first_of(self, turn: Turn, count: int) -> list[uuid.UUID]:
        """Return the job of a turn and the next ones of the same person, in order; all have the same priority."""
        person = self._persons[turn.group].accounts[turn.person]
        assert person.jobs is not None
        return person.jobs.peek(count)

    def required(self, group: str) -> frozenset[str]:
        """Return the labels that a group with waiting jobs requires."""
        return self._groups.accounts[group].required

    def _may_play(self, group: _Account) -> bool:
        return self._labels is None or fits(group.required, self._labels)

    def accounts(self) -> list[GroupAccount]:
        """Return the groups with waiting jobs, the next one first."""
        waiting = sorted(self._groups.waiting, key=lambda account: account.order)
        return [
            GroupAccount(row.name, row.weight, row.in_work, (row.total - waiting[0].total) * row.weight)
            for row in waiting
        ]

    def save(self) -> None:
        """Store the accounts after a job was chosen, in the transaction that leases it."""
        for level in (self._groups, *self._persons.values()):
            parent = None if level is self._groups else self._groups.parent
            share(self._session, level.parent, parent).clock = level.clock
            for account in level.accounts.values():
                if account.stored != (account.used, account.waits):
                    row = share(self._session, account.key, level.parent)
                    row.used, row.waits = account.used, account.waits
        self._session.flush()

    def _persons_of(self, group: _Account) -> _Level:
        level = self._persons.get(group.name)
        if level is None:
            conditions = [*self._conditions, Job.queue_group == group.name]
            priorities = _top_priorities(self._session, conditions)
            keys = {name: person_key(group.name, name) for name in priorities}
            level = self._persons[group.name] = self._level(group.name, list(priorities), keys)
            for name, priority in priorities.items():
                account = level.accounts[name]
                account.job_seconds = group.job_seconds
                account.jobs = _Jobs(self._session, [*conditions, Job.queue_person == name], priority)
        return level

    def _level(self, parent: str, names: Sequence[str], keys: dict[str, str]) -> _Level:
        """Read the accounts of a level: those with waiting jobs, and those that had some at the last lease."""
        clock = self._session.scalar(select(QueueShare.clock).where(QueueShare.key == parent)) or 0.0
        level = _Level(parent, clock)
        statement = select(
            QueueShare.key,
            QueueShare.weight,
            QueueShare.used,
            QueueShare.waits,
            QueueShare.job_seconds,
            QueueShare.worker_labels,
        ).where(QueueShare.parent == parent)
        rows = {row[0]: row for row in self._session.execute(statement)}
        wanted = set(keys.values())
        keys = keys | {key: key for key, row in rows.items() if row[3] and key not in wanted}
        for name, key in keys.items():
            account = _Account(name, key, default_weight(key), in_work=self._in_work.get(key, 0))
            if (row := rows.get(key)) is not None:
                account.weight, account.used, account.waits = row[1:4]
                account.job_seconds = row[4] or EXPECTED_SECONDS
                account.required = frozenset(row[5] or ())
                account.stored = (account.used, account.waits)
            level.accounts[name] = account
        level.admit(names)
        return level


class _Jobs:
    """The waiting jobs of a person in a group, read page by page."""

    def __init__(self, session: Session, conditions: _Conditions, priority: int) -> None:
        self._session, self._conditions = session, conditions
        self.priority = priority
        self._page: list[tuple[uuid.UUID, datetime]] = []
        self._read = 0

    def first(self) -> tuple[uuid.UUID, datetime]:
        """Return (job, waiting since) of the next one."""
        if not self._page:
            self._load()
        return self._page[0]

    def peek(self, count: int) -> list[uuid.UUID]:
        """Return the next jobs, as far as they are on the page that was read."""
        return [job_id for job_id, _ in self._page[:count]]

    def advance(self) -> bool:
        """Go to the next job; return whether there is one."""
        del self._page[0]
        if not self._page:
            self._load()
        while not self._page:
            lower = select(func.max(Job.priority)).where(*self._conditions, Job.priority < self.priority)
            priority = self._session.scalar(lower)
            if priority is None:
                return False
            self.priority, self._read = priority, 0
            self._load()
        return True

    def _load(self) -> None:
        statement = select(Job.id, Job.created_at).where(*self._conditions, Job.priority == self.priority)
        statement = statement.order_by(Job.created_at, Job.id).offset(self._read).limit(_PAGE)
        self._page = [(job_id, at) for job_id, at in self._session.execute(statement)]
        self._read += len(self._page)


def waiting_groups(session: Session, lane: Lane, labels: Collection[str] | None = None) -> list[str]:
    """Return the groups of a lane with waiting jobs; with `labels`, those that a worker with these labels may play."""
    groups = [group for group in _distinct(session, Job.queue_group, _WAITING) if lane_of(group) == lane]
    if labels is None or not groups:
        return groups
    required = required_labels(session, groups)
    return [group for group in groups if fits(required.get(group), labels)]


def required_labels(session: Session, groups: Collection[str]) -> dict[str, list[str]]:
    """Return the labels that groups require of a worker, for those that require some."""
    columns = select(QueueShare.key, QueueShare.worker_labels).where(QueueShare.key.in_(groups))
    return {key: list(labels) for key, labels in session.execute(columns) if labels}


def waiting_by_labels(session: Session) -> dict[tuple[Lane, tuple[str, ...]], tuple[int, int]]:
    """Return the numbers of (waiting jobs, jobs in work), by lane and required labels."""
    statement = select(Job.queue_group, Job.status, func.count()).where(Job.status.in_([JobStatus.PENDING, *IN_WORK]))
    rows = session.execute(statement.group_by(Job.queue_group, Job.status)).all()
    required = required_labels(session, {row[0] for row in rows})
    numbers: dict[tuple[Lane, tuple[str, ...]], tuple[int, int]] = {}
    for group, status, number in rows:
        key = (lane_of(group), tuple(sorted(required.get(group, ()))))
        waiting, in_work = numbers.get(key, (0, 0))
        is_waiting = status is JobStatus.PENDING
        numbers[key] = (waiting + number * is_waiting, in_work + number * (not is_waiting))
    return numbers


def _in_work(session: Session) -> dict[str, int]:
    """Return how many jobs workers have, by the key of each group and each person in it."""
    statement = select(Job.queue_group, Job.queue_person, func.count()).where(Job.status.in_(IN_WORK))
    counts: dict[str, int] = {}
    for group, person, number in session.execute(statement.group_by(Job.queue_group, Job.queue_person)):
        counts[person_key(group, person)] = number
        counts[group] = counts.get(group, 0) + number
    return counts


def _distinct(session: Session, column: InstrumentedAttribute[str], conditions: _Conditions) -> list[str]:
    return list(session.scalars(_skip_scan(column, conditions)))


def _top_priorities(session: Session, conditions: _Conditions) -> dict[str, int]:
    """Return the highest priority of each person with waiting jobs."""
    persons = _skip_scan(Job.queue_person, conditions).subquery()
    person = persons.c[0]
    top = select(func.max(Job.priority)).where(*conditions, Job.queue_person == person).scalar_subquery()
    return {row[0]: row[1] for row in session.execute(select(person, top))}


def _skip_scan(column: InstrumentedAttribute[str], conditions: _Conditions) -> Select[Any]:
    """Select the distinct values of an indexed column, with one index lookup for each."""
    values = select(func.min(column).label("value")).where(*conditions).cte("values_seen", recursive=True)
    following = select(func.min(column)).where(*conditions, column > values.c.value).scalar_subquery()
    values = values.union_all(select(following).where(values.c.value.is_not(None)))
    return select(values.c.value).where(values.c.value.is_not(None))
