"""The cache: a value is stale as soon as a change of a kind that it depends on was committed."""

from __future__ import annotations

import itertools
import time
import uuid
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from observatory.database import Database
from observatory.database.cache import Cache, cached_value, of_division
from observatory.events import Change, ChangeKind, Hub, note

KINDS = (ChangeKind.SEASON, ChangeKind.MATCH, ChangeKind.ACCOUNT)


@settings(deadline=None)
@given(st.lists(st.one_of(st.sampled_from(KINDS), st.tuples(st.integers(0, 3), st.frozensets(st.sampled_from(KINDS))))))
def test_a_cached_value_is_never_older_than_the_last_change_it_depends_on(steps: list[Any]) -> None:
    hub, cache = Hub(), Cache(max_entries=3)
    data = dict.fromkeys(KINDS, 0)
    for step in steps:
        if isinstance(step, ChangeKind):
            data[step] += 1
            hub.publish([Change(step)])
            continue
        number, kinds = step
        key = number, kinds
        entry = cache.fresh(key, hub.versions)
        if entry is None:
            entry = cache.put(key, {kind: data[kind] for kind in kinds}, kinds, hub.versions(kinds))
        assert entry.value == {kind: data[kind] for kind in kinds}


def test_a_value_about_a_division_is_stale_after_changes_there_and_after_those_of_no_known_division() -> None:
    hub, cache, (own, other) = Hub(), Cache(max_entries=3), (uuid.uuid4(), uuid.uuid4())
    dependencies = of_division([ChangeKind.LEAGUE, ChangeKind.ROUND], own)

    def is_fresh_after(*changes: Change) -> bool:
        cache.put("key", 1, dependencies, hub.versions(dependencies))
        hub.publish(changes)
        return cache.fresh("key", hub.versions) is not None

    assert is_fresh_after(Change(ChangeKind.ROUND, division=other), Change(ChangeKind.DIVISION, division=own))
    assert not is_fresh_after(Change(ChangeKind.ROUND, division=other), Change(ChangeKind.ROUND, division=own))
    assert not is_fresh_after(Change(ChangeKind.ROUND))
    assert not is_fresh_after(Change(ChangeKind.LEAGUE))
    hub.invalidate()
    assert cache.fresh("key", hub.versions) is None


def test_a_value_about_a_table_is_stale_after_changes_of_its_pool_and_after_those_of_no_known_pool() -> None:
    hub, own, other = Hub(), uuid.uuid4(), uuid.uuid4()

    def changes_own(change: Change) -> bool:
        before = hub.versions([(ChangeKind.TABLE, own)])
        hub.publish([change])
        return hub.versions([(ChangeKind.TABLE, own)]) != before

    assert not changes_own(Change(ChangeKind.TABLE, ids=frozenset({other})))
    assert changes_own(Change(ChangeKind.TABLE, ids=frozenset({own, other})))
    assert changes_own(Change(ChangeKind.TABLE))


def test_the_least_recently_used_values_are_evicted_by_number_and_by_size() -> None:
    cache = Cache(max_entries=3, max_bytes=100)
    for key in "abc":
        cache.put(key, key, (), (0,), size=10)
    assert cache.get("a") is not None
    cache.put("d", "d", (), (0,), size=10)
    assert [cache.get(key) is not None for key in "abcd"] == [True, False, True, True]
    cache.put("large", "", (), (0,), size=85)
    assert [cache.get(key) is not None for key in ("a", "c", "d", "large")] == [False, False, True, True]
    cache.invalidate()
    assert cache.get("large") is None


def test_a_value_expires_without_a_change() -> None:
    """Another process may write to the same database; its changes are not counted here."""
    hub, cache = Hub(), Cache(max_entries=3)
    cache.put("key", 1, (), hub.versions(()), began=time.monotonic() - 6)
    assert cache.fresh("key", hub.versions) is None
    assert cache.get("key") is not None


def test_sessions_share_values_until_a_commit_and_ignore_a_rollback(database: Database) -> None:
    calls = itertools.count(1)

    def read() -> int:
        with database.read() as session:
            return cached_value(session, "calls", [ChangeKind.SEASON], lambda: next(calls))

    assert (read(), read()) == (1, 1)
    try:
        with database.transaction() as session:
            note(session, Change(ChangeKind.SEASON))
            raise ZeroDivisionError
    except ZeroDivisionError:
        pass
    assert read() == 1
    with database.transaction() as session:
        note(session, Change(ChangeKind.MATCH))
    assert read() == 1
    with database.read() as earlier:
        with database.transaction() as session:
            note(session, Change(ChangeKind.SEASON))
            in_write = cached_value(session, "calls", [ChangeKind.SEASON], lambda: -1)
        assert (in_write, read(), read()) == (-1, 2, 2)
        # A session that began before the change computes its own value, and later sessions do not get it.
        assert cached_value(earlier, "calls", [ChangeKind.SEASON], lambda: 99) == 99
    assert read() == 3
