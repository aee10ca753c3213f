"""Publish changes after the transaction that made them has been committed.

A service records a change with `note(session, Change(...))`. When its transaction commits, all subscribers of the
database's `Hub` get the changes; a rollback drops them. Changes of one kind in one season or division are merged, so
that the queue of a slow subscriber stays bounded. With PostgreSQL the hubs of other servers get them too, as a
notification that is part of the transaction (`database.link`).

The hub also counts the changes of each kind, those of rounds by division and those of tables by pool, too. Caches
(`database.cache`) compare these versions: a value is stale when a kind that it depends on has changed, or has changed
in the division or pool it is about.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import TracebackType
from typing import Self

from sqlalchemy.orm import Session

__all__ = [
    "INTERNAL",
    "OF_DIVISIONS",
    "AsyncSubscription",
    "Change",
    "ChangeKind",
    "Dependency",
    "Hub",
    "Subscription",
    "Versions",
    "note",
    "recorded",
    "user_mark",
    "versions_in",
]

MAX_IDS = 100
_DEAF_SECONDS = 1.0
_RECORDED = "observatory_recorded"
_ALL = ""
"""counts what invalidates every kind"""


class ChangeKind(StrEnum):
    """The kind of object that changed, to which the `ids` of a change refer."""

    MATCH = "match"
    """a match was created, started or ended: ids of matches"""
    TABLE = "table"
    """a table has other numbers: ids of pools"""
    STAGE = "stage"
    """a stage began or ended, teams were drawn or culled: ids of pools"""
    MEMBERSHIP = "membership"
    """a policy entered or left a pool: ids of policy versions"""
    SEASON = "season"
    """a season was created, started, rolled, edited or ended: ids of seasons"""
    QUEUE = "queue"
    """a job was queued, leased or ended: ids of jobs"""
    POLICY = "policy"
    """a policy or a version was created or edited: ids of policy versions"""
    ASSAY = "assay"
    """the state of an assay changed: ids of runs"""
    SCHEDULE = "schedule"
    """matches were created: ids of pools"""
    EPISODE = "episode"
    """an episode was recorded, or its files were removed"""
    REQUEST = "request"
    """an experience request or one of its episodes changed: ids of episode requests"""
    ACCOUNT = "account"
    """a user, player, token or browser session was created, edited or revoked"""
    COWORLD = "coworld"
    """a Coworld was uploaded or certified, or became canonical, public or private: ids of Coworlds"""
    LEAGUE = "league"
    """a league, its game, seed or divisions were created or edited: ids of leagues; not the tables of divisions"""
    LEAGUE_ENTRY = "league_entry"
    """a policy was submitted to a league, entered it or left it, or a player changed its champion: ids of leagues"""
    ROUND = "round"
    """a round of a division was created, started or ended, tables of divisions with it: ids of rounds"""
    ROUND_EPISODE = "round_episode"
    """an episode of a round was queued, started or ended: ids of rounds"""
    WINDOW = "window"
    """a window of lasting games was recorded, for a round to count: ids of leagues"""
    DIVISION = "division"
    """the reason for which a division plays no round now has changed: ids of divisions"""
    HOSTED = "hosted"
    """a hosted game or a lobby was created, joined, changed, started or ended; without ids, which let others join"""
    NOTICE = "notice"
    """notices of users, or their settings, were written or read: marks of the users, see `user_mark`"""
    FRIENDLY = "friendly"
    """a friendly match was asked for, answered, started or ended: ids of friendly matches"""


INTERNAL = frozenset(
    {
        ChangeKind.SCHEDULE,
        ChangeKind.EPISODE,
        ChangeKind.REQUEST,
        ChangeKind.ACCOUNT,
        ChangeKind.COWORLD,
        ChangeKind.WINDOW,
    }
)
"""kinds that only invalidate caches and wake loops; event streams do not send them"""

OF_DIVISIONS = frozenset({ChangeKind.ROUND, ChangeKind.ROUND_EPISODE, ChangeKind.WINDOW, ChangeKind.DIVISION})
"""kinds that the hub also counts by division"""

Dependency = ChangeKind | tuple[ChangeKind, uuid.UUID]
"""changes of this kind, or only those that may be about this division or, for tables, this pool"""
Versions = tuple[int, ...]
"""how often each of some dependencies has changed; equal versions mean that none of them changed in between"""
_Counted = str | tuple[str, uuid.UUID | None]


@dataclass(frozen=True)
class Change:
    """A change of this kind. Without `ids` any object may have changed; without a `season` it belongs to none.

    With a `division` only rounds of this division, its windows, its state and its table have changed.
    """

    kind: ChangeKind
    season: uuid.UUID | None = None
    ids: frozenset[uuid.UUID] = field(default=frozenset())
    division: uuid.UUID | None = None

    def merged(self, other: Change) -> Change:
        ids = self.ids | other.ids if self.ids and other.ids else frozenset[uuid.UUID]()
        return replace(self, ids=ids if len(ids) <= MAX_IDS else frozenset())


_Changes = dict[tuple[ChangeKind, uuid.UUID | None, uuid.UUID | None], Change]
"""by kind, season and division"""


def user_mark(user_id: str) -> uuid.UUID:
    """Return the id by which changes name a user."""
    return uuid.uuid5(uuid.NAMESPACE_OID, user_id)


def note(session: Session, change: Change) -> None:
    """Record a change, published if and when this session's transaction is committed."""
    _merge(session.info.setdefault(_RECORDED, {}), change)


def recorded(session: Session) -> list[Change]:
    """Return the changes that this session has recorded so far."""
    return list(session.info.get(_RECORDED, {}).values())


def versions_in(counts: Mapping[_Counted, int], dependencies: Iterable[Dependency]) -> Versions:
    """Return what `Hub.versions` returned for these dependencies when `all_versions` returned the counts."""
    return counts.get(_ALL, 0), *(_version(counts, dependency) for dependency in dependencies)


def _version(counts: Mapping[_Counted, int], dependency: Dependency) -> int:
    if isinstance(dependency, ChangeKind):
        return counts.get(dependency, 0)
    kind, division = dependency
    return counts.get((kind, division), 0) + counts.get((kind, None), 0)


class Hub:
    """Publishes the changes of one database to its subscribers. Safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._subscribers: dict[_Inbox, None] = {}  # woken in the order in which they came
        self._life = secrets.token_hex(4)
        self._number = 0
        self._versions: Counter[_Counted] = Counter()
        self._own: set[int] = set()
        """numbers of this server's transactions that are counted, but whose notifications have not arrived"""
        self._latest = 0
        self.heard = 0
        """all changes of transactions up to this number are counted here; 0 while that is not known of any"""
        self.is_deaf = False
        """whether changes of other servers do not arrive"""
        self.closed = False

    @property
    def position(self) -> str:
        """Return the position in the stream of changes; equal positions mean that no change came between them."""
        return f"{self._life}-{self._number}"

    def committed(self, session: Session, number: int = 0) -> None:
        """Publish the changes recorded in a session; `Database` calls this after the commit, with its number."""
        changes = recorded(session)
        session.info.pop(_RECORDED, None)
        if changes:
            self.publish(changes, number, is_own=True)

    def receive(self, changes: Iterable[Change], number: int, *, is_own: bool, is_last: bool) -> None:
        """Publish the changes of a notification. They arrive in the order of their transactions' numbers.

        Those of this server were published by `committed`, unless the notification was faster. A server of an older
        release sends no number, and it is not known any more up to which number all changes are counted.
        """
        with self._lock:
            is_counted = is_own and (number in self._own or not number)
            if not is_own and not number:
                self.heard = 0
        if not is_counted:
            self.publish(changes, number)
        if number and is_last:
            with self._lock:
                self.heard = number
                self._own = {own for own in self._own if own > number}

    def publish(self, changes: Iterable[Change], number: int = 0, *, is_own: bool = False) -> None:
        """Count the changes, and send those that are not internal to all subscribers without waiting for them.

        `number` is that of their transaction, and 0 if they have none; `is_own` before their notification arrived.
        """
        changes = list(changes)
        visible = [change for change in changes if change.kind not in INTERNAL]
        counted: set[_Counted] = {change.kind for change in changes}
        counted |= {(change.kind, part) for change in changes for part in _parts(change)}
        with self._lock:
            self._versions.update(counted)
            self._latest = max(self._latest, number)
            if is_own and number > self.heard:
                self._own.add(number)
            if not visible:
                return
            self._number += 1
            for inbox in self._subscribers:
                inbox.put(visible)

    def versions(self, dependencies: Iterable[Dependency]) -> Versions:
        """Return the versions of these dependencies. Ask before reading the data that they describe."""
        with self._lock:
            self._count_unheard()
            return versions_in(self._versions, dependencies)

    def all_versions(self) -> Mapping[_Counted, int]:
        """Return all versions, for `versions_in`."""
        with self._lock:
            self._count_unheard()
            return self._versions.copy()

    def numbered_versions(self) -> tuple[Mapping[_Counted, int], int]:
        """Return all versions, and the number of the newest transaction that they count.

        0 if other servers cannot know by a number what this one has counted.
        """
        with self._lock:
            self._count_unheard()
            return self._versions.copy(), self._latest if self.heard else 0

    def invalidate(self) -> None:
        """Count a change of every kind: the database was replaced."""
        with self._lock:
            self._versions[_ALL] += 1

    def lose_touch(self) -> None:
        """Trust no cached value from now on: changes of other servers do not arrive."""
        with self._lock:
            self.is_deaf = True
            self.heard = 0

    def catch_up(self) -> None:
        """Report a change of every kind, and trust cached values again: changes of other servers arrive."""
        with self._lock:
            self.is_deaf = False
            # A database that was restored into another PostgreSQL server may count transactions from a lower number.
            self.heard = self._latest = 0
            self._own.clear()
            self._versions[_ALL] += 1
        self.publish(Change(kind) for kind in ChangeKind)

    def wake(self) -> None:
        """Wake all subscribers without a change: this server has become the leader."""
        with self._lock:
            for inbox in self._subscribers:
                inbox.put([])

    def _count_unheard(self) -> None:
        if self.is_deaf:
            self._versions[_ALL] += 1

    def subscribe(self) -> Subscription:
        """For a thread; to be used in a `with` block."""
        return Subscription(self)

    def subscribe_async(self) -> AsyncSubscription:
        """For a task of the running event loop; to be used in a `with` block."""
        return AsyncSubscription(self)

    def close(self) -> None:
        """Wake all waiting subscribers one last time: the server stops."""
        with self._lock:
            self.closed = True
            for inbox in self._subscribers:
                inbox.put([])

    def _add(self, inbox: _Inbox) -> None:
        with self._lock:
            self._subscribers[inbox] = None

    def _remove(self, inbox: _Inbox) -> None:
        with self._lock:
            self._subscribers.pop(inbox, None)


class _Inbox:
    """Changes that the subscriber has not taken yet."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self._guard = threading.Lock()
        self._waiting: _Changes = {}

    def __enter__(self) -> Self:
        self.hub._add(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.hub._remove(self)

    def put(self, changes: Iterable[Change]) -> None:
        with self._guard:
            for change in changes:
                _merge(self._waiting, change)
        self._wake()

    def take(self) -> list[Change]:
        """Return the changes since the last call, without waiting."""
        with self._guard:
            changes, self._waiting = list(self._waiting.values()), {}
        return changes

    def _wake(self) -> None:
        raise NotImplementedError


class Subscription(_Inbox):
    """Changes, for a thread."""

    def __init__(self, hub: Hub) -> None:
        super().__init__(hub)
        self._ready = threading.Event()

    def wait(self, seconds: float | None = None) -> list[Change]:
        """Return the changes since the last call; wait for a change, the timeout or the server's end."""
        self._ready.wait(seconds)
        self._ready.clear()
        return self.take()

    def _wake(self) -> None:
        self._ready.set()


class AsyncSubscription(_Inbox):
    """Changes, for a task."""

    def __init__(self, hub: Hub) -> None:
        super().__init__(hub)
        self._loop = asyncio.get_running_loop()
        self._ready = asyncio.Event()

    async def wait_for(self, dependencies: Sequence[Dependency], since: Versions, deadline: float) -> None:
        """Wait for a change of a dependency since these versions, the deadline, or the server's end.

        While changes of other servers do not arrive, the wait ends after a second, and the caller reads again.
        """
        while not self.hub.closed and (left := deadline - time.monotonic()) > 0:
            if self.hub.is_deaf:
                await self.wait(min(left, _DEAF_SECONDS))
                return
            if self.hub.versions(dependencies) != since:
                return
            await self.wait(left)

    async def wait(self, seconds: float | None = None) -> list[Change]:
        """As `Subscription.wait`."""
        try:
            async with asyncio.timeout(seconds):
                await self._ready.wait()
        except TimeoutError:
            return []
        self._ready.clear()
        return self.take()

    def _wake(self) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._ready.set)


def _parts(change: Change) -> Iterable[uuid.UUID | None]:
    """Return the divisions or pools by which a change is counted; None stands for any of them."""
    if change.kind in OF_DIVISIONS:
        return [change.division]
    return (change.ids or [None]) if change.kind is ChangeKind.TABLE else []


def _merge(changes: _Changes, change: Change) -> None:
    key = change.kind, change.season, change.division
    earlier = changes.get(key)
    changes[key] = change if earlier is None else earlier.merged(change)
