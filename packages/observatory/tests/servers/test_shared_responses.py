"""The leader computes what many clients ask for, and the other server gets it from there, never older than its own."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from sqlalchemy import delete, update
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from observatory.database.tables.matches import MatchLogSegment, MatchPlayer
from observatory.http.response_cache import POPULAR, ResponseCache
from observatory.settings import Settings
from packages.observatory.tests.conftest import Account
from packages.observatory.tests.servers.conftest import Pair, person, wait_for
from packages.observatory.tests.world import FREEPLAY, World

pytestmark = pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True, scope="session")
TABLE = "/tournament/seasons/open/leaderboard"
PROFILE = "/observatory/api/profile"


class Group:
    """Two servers that listen. `computed` counts the responses that each has computed, by its number and the path."""

    def __init__(self, pair: Pair, urls: list[str], clock: Any) -> None:
        self.pair, self.urls = pair, urls
        self.computed: Counter[tuple[int, str]] = Counter()
        self.worlds = [World(member.app, clock) for member in (pair.first, pair.second)]
        self.season = pair.world.season(FREEPLAY)
        self.ada = person(pair, "ada", clock)
        self._version = pair.world.version(self.ada)
        self._played = 0
        self._clients = [httpx.Client(base_url=url, timeout=60, trust_env=False) for url in urls]

    def close(self) -> None:
        for client in self._clients:
            client.close()

    def get(self, number: int, path: str, account: Account | None = None) -> Any:
        headers = {} if account is None else account.headers
        return self._clients[number].get(path, headers=headers).raise_for_status().json()

    def make_popular(self, path: str, account: Account | None = None) -> None:
        for number in range(2):
            for _ in range(POPULAR + 1):
                self.get(number, path, account)

    def play(self, number: int = 0) -> None:
        """Play a match, whose end is written by one of the servers; each match has a higher score."""
        self._played += 1
        world, seats = self.worlds[number], [(self._version, 4)]
        world.play(world.match(self.season, "competition", seats, repetition=self._played), [float(self._played)] * 4)

    def matches(self, number: int) -> int:
        rows = self.get(number, TABLE)
        return int(rows[0]["matches"]) if rows else 0

    def plays_without_computing(self) -> bool:
        """Play a match; return whether the second server shows it without having computed the table."""
        before = self.computed[1, TABLE]
        self.play()
        wait_for(lambda: self.matches(1) == self._played)
        return self.computed[1, TABLE] == before


@pytest.fixture
def group(pair: Pair, urls: list[str], clock: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Group]:
    monkeypatch.setattr("observatory.http.response_cache.POPULAR_SECONDS", 600.0)
    monkeypatch.setattr("observatory.http.shared_responses.RETRY_SECONDS", 0.1)
    for member in (pair.first, pair.second):
        monkeypatch.setattr(member.app.state.rate_limits, "check", lambda _: None)
    group = Group(pair, urls, clock)
    caches = [member.app.state.response_cache for member in (pair.first, pair.second)]
    compute: Callable[..., Any] = ResponseCache._compute

    async def counted(cache: ResponseCache, key: Any, *arguments: Any, **options: Any) -> Any:
        group.computed[caches.index(cache), key[0]] += 1
        return await compute(cache, key, *arguments, **options)

    monkeypatch.setattr(ResponseCache, "_compute", counted)
    yield group
    group.close()


def test_a_popular_table_is_computed_by_the_leader_for_both_servers(group: Group) -> None:
    group.make_popular(TABLE)
    wait_for(group.plays_without_computing)  # once they are connected
    assert all(group.plays_without_computing() for _ in range(3))
    assert group.get(0, TABLE) == group.get(1, TABLE)


def test_a_server_reads_its_own_writes_in_responses_of_the_leader(group: Group) -> None:
    group.make_popular(TABLE)
    wait_for(group.plays_without_computing)
    before = group.computed[1, TABLE]
    for _ in range(5):
        played = group.matches(1)
        group.play(1)
        assert group.matches(1) == played + 1  # by the next request
    assert group.computed[1, TABLE] == before


def test_a_server_computes_what_a_leader_that_misses_a_change_would_send_too_old(
    group: Group, monkeypatch: pytest.MonkeyPatch
) -> None:
    group.make_popular(TABLE)
    wait_for(group.plays_without_computing)
    monkeypatch.setattr(group.pair.first.database.changes, "receive", lambda *_, **__: None)
    played, before = group.matches(1), group.computed[1, TABLE]
    group.play(1)
    assert group.matches(1) == played + 1
    assert group.computed[1, TABLE] > before


def test_a_server_does_not_wait_for_each_response_of_a_slow_leader(
    group: Group, monkeypatch: pytest.MonkeyPatch
) -> None:
    group.make_popular(TABLE)
    wait_for(group.plays_without_computing)
    monkeypatch.setattr("observatory.http.shared_responses.ASK_SECONDS", 0.2)
    monkeypatch.setattr("observatory.http.shared_responses.RETRY_SECONDS", 600.0)
    asked: list[Any] = []

    async def slow(cache: ResponseCache, key: Any, after: int) -> None:
        asked.append(key)
        await asyncio.sleep(5)

    monkeypatch.setattr(ResponseCache, "share", slow)
    for _ in range(3):
        played = group.matches(1)
        group.play(1)
        assert group.matches(1) == played + 1
    assert len(asked) == 1


def test_a_server_that_corrected_scores_gets_no_response_from_before(
    group: Group, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    group.make_popular(TABLE)
    wait_for(group.plays_without_computing)
    expected, leader = group.get(1, TABLE), group.pair.first
    played = group.matches(1)
    with leader.database.transaction() as session:
        session.execute(update(MatchPlayer).values(score=99.0))
        session.execute(delete(MatchLogSegment))
    for member in (leader, group.pair.second):
        member.link.reset()
    assert wait_for(lambda: group.get(1, TABLE) != expected)
    group.play()  # after a reset, servers share responses from the next change on
    wait_for(lambda: group.matches(0) == group.matches(1))
    reset = leader.link.reset

    def reset_late() -> None:
        time.sleep(0.5)
        reset()

    monkeypatch.setattr(leader.link, "reset", reset_late)
    group.make_popular(TABLE)
    root = person(group.pair, "root", clock, admin=True)
    report = group.pair.second.client.post(
        "/observatory/api/admin/recompute", json={"check": False}, headers=root.headers
    )
    assert report.json()["repaired"] > 0
    [row] = group.get(1, TABLE)
    assert row["score"] <= played + 1 and row["matches"] == played + 1


def test_each_viewer_gets_their_own_response_of_the_leader(group: Group, clock: Any) -> None:
    bob = person(group.pair, "bob", clock)
    for account in (group.ada, bob):
        group.make_popular(PROFILE, account)
    group.make_popular(TABLE)
    wait_for(group.plays_without_computing)
    before = group.computed[1, PROFILE]
    versions = [group.pair.world.version(account, "new") for account in (group.ada, bob)]
    group.pair.world.enter(group.season, "competition", versions)
    for account, own, other in ((group.ada, *versions), (bob, *reversed(versions))):

        def shows_own(account: Account = account, own: Any = own) -> bool:
            return str(own) in str(group.get(1, PROFILE, account))

        wait_for(shows_own)
        assert str(other) not in str(group.get(1, PROFILE, account))
    assert group.computed[1, PROFILE] == before


def test_servers_with_different_public_addresses_share_no_responses(
    group: Group, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Settings, "base_url", lambda _: "https://another.example")  # as the leader reads it
    group.make_popular(TABLE)
    assert not any(group.plays_without_computing() for _ in range(5))


def test_a_client_cannot_ask_for_the_responses_of_others(group: Group) -> None:
    address = group.urls[0].replace("http", "ws", 1) + "/work/peers/responses"
    for headers in ({}, {"X-Peer-Proof": "guessed"}, group.ada.headers):
        with pytest.raises(InvalidStatus, match="403"), connect(address, additional_headers=headers, proxy=None):
            pass
