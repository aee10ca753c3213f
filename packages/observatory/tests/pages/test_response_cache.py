"""Answers are cached as bytes, and never given to the wrong person or after they have become wrong."""

from __future__ import annotations

import gzip
from concurrent.futures import ThreadPoolExecutor

from fastapi import FastAPI
from fastapi.testclient import TestClient

from observatory.database.tables.accounts import User
from observatory.http.rate_limits import RateLimits
from observatory.http.response_cache import POPULAR, ResponseCache
from packages.observatory.tests.servers.conftest import wait_for
from packages.observatory.tests.world import World

TABLE = "/tournament/seasons/open/leaderboard"
PAGE = "/observatory/api/seasons/open"


def test_an_unchanged_response_is_304_and_a_changed_one_is_sent(client: TestClient, world: World, ada) -> None:
    world.season()
    version = world.version(ada)
    world.play(world.match("open", "competition", [(version, 4)]), [1.0] * 4)
    first = client.get(TABLE)
    assert first.status_code == 200 and first.json()[0]["score"] == 1.0
    same = client.get(TABLE, headers={"If-None-Match": first.headers["ETag"]})
    assert (same.status_code, same.content) == (304, b"") and same.headers["ETag"] == first.headers["ETag"]
    assert client.get(TABLE, headers={"If-None-Match": 'W/"other"'}).json() == first.json()
    world.play(world.match("open", "competition", [(version, 4)], repetition=1), [3.0] * 4)
    changed = client.get(TABLE, headers={"If-None-Match": first.headers["ETag"]})
    assert changed.status_code == 200 and changed.json()[0]["score"] == 2.0
    assert changed.headers["Cache-Control"] == "private, no-cache" and "X-Auth-Token" in changed.headers["Vary"]


def test_long_responses_are_compressed_for_clients_that_accept_it(server, world: World, ada) -> None:
    import httpx

    world.season()
    for number in range(12):
        version = world.version(ada, f"policy {number}")
        world.play(world.match("open", "competition", [(version, 4)]), [1.0] * 4)
    with httpx.Client(base_url=server.url, trust_env=False) as client:
        plain = client.get(TABLE, headers={"Accept-Encoding": "identity"})
        packed = client.get(TABLE, headers={"Accept-Encoding": "gzip"})
        assert "Content-Encoding" not in plain.headers and packed.headers["Content-Encoding"] == "gzip"
        assert plain.content == packed.content and len(plain.json()) == 12
        with client.stream("GET", TABLE, headers={"Accept-Encoding": "gzip"}) as raw:
            assert gzip.decompress(b"".join(raw.iter_raw())) == plain.content
        total = client.get("/tournament/seasons/open/matches", headers={"Accept-Encoding": "gzip"})
        assert total.headers["X-Total-Count"] == "12"


def test_a_large_table_may_miss_the_matches_of_the_last_second_but_nothing_else(
    server, world: World, ada, monkeypatch
) -> None:
    import httpx

    monkeypatch.setattr("observatory.http.response_cache.LARGE", 1)
    monkeypatch.setattr("observatory.http.response_cache.STALE_SECONDS", 60.0)
    world.season()
    version, other = world.version(ada), world.version(ada, "other")

    def play(score: float, repetition: int) -> None:
        world.play(world.match("open", "competition", [(version, 4)], repetition=repetition), [score] * 4)

    play(1.0, 0)
    _without_rate_limit(server.app)
    with httpx.Client(base_url=server.url, trust_env=False) as client:

        def score(**headers: str) -> float:
            return client.get(TABLE, headers=headers).json()[0]["score"]

        assert score() == 1.0
        play(3.0, 1)
        assert score() == 1.0  # and it is refreshed meanwhile
        while score() == 1.0:
            pass
        assert score() == 2.0
        play(5.0, 2)
        assert score(**{"Cache-Control": "no-cache"}) == 3.0
        play(7.0, 3)
        world.enter("open", "competition", [other])  # who comes or goes is seen at once
        assert score() == 4.0


def test_a_page_that_many_poll_may_miss_the_matches_of_the_last_second_but_nothing_else(
    server, world: World, ada, monkeypatch
) -> None:
    import httpx

    monkeypatch.setattr("observatory.http.response_cache.STALE_SECONDS", 60.0)
    monkeypatch.setattr("observatory.http.response_cache.GATHER_SECONDS", 60.0)  # not computed again meanwhile
    monkeypatch.setattr("observatory.http.response_cache.POPULAR_SECONDS", 60.0)
    _without_rate_limit(server.app)
    world.season()
    version = world.version(ada)

    def play(repetition: int) -> None:
        world.play(world.match("open", "competition", [(version, 4)], repetition=repetition), [1.0] * 4)

    with httpx.Client(base_url=server.url, trust_env=False) as client:

        def matches(**headers: str) -> int:
            return client.get(PAGE, headers=headers).json()["matches"]

        def listed() -> int:
            return client.get(TABLE).json()[0]["matches"]

        play(0)
        assert matches() == 1
        play(1)
        assert matches() == 2  # few have asked for it
        for _ in range(POPULAR):
            assert matches() == 2
        play(2)
        assert matches() == 2
        assert matches(**{"Cache-Control": "no-cache"}) == 3
        for _ in range(POPULAR):
            assert matches() == 3
        play(3)
        world.enter("open", "competition", [world.version(ada, "other")])
        page = client.get(PAGE).json()
        assert (page["matches"], page["entrants"]) == (4, 2)
        assert [listed() for _ in range(POPULAR + 1)] == [4] * (POPULAR + 1)
        play(4)
        assert listed() == 5  # a client that is not one of our pages is never given less than there is


def test_a_page_that_changes_as_often_as_it_is_asked_for_may_be_stale_too(
    server, world: World, ada, monkeypatch
) -> None:
    import httpx

    for name in ("STALE_SECONDS", "GATHER_SECONDS", "POPULAR_SECONDS"):
        monkeypatch.setattr(f"observatory.http.response_cache.{name}", 60.0)
    _without_rate_limit(server.app)
    world.season()
    version = world.version(ada)
    seen = []
    with httpx.Client(base_url=server.url, trust_env=False) as client:
        for repetition in range(POPULAR + 1):
            world.play(world.match("open", "competition", [(version, 4)], repetition=repetition), [1.0] * 4)
            seen.append(client.get(PAGE).json()["matches"])
    assert seen == [*range(1, POPULAR + 1), POPULAR]  # the first request is not for a cached response


def test_what_many_poll_is_computed_when_it_has_changed_and_not_when_it_is_asked_for(
    server, world: World, ada, monkeypatch
) -> None:
    import httpx

    monkeypatch.setattr("observatory.http.response_cache.POPULAR_SECONDS", 60.0)
    _without_rate_limit(server.app)
    computed = _computed(monkeypatch)
    world.season()
    version = world.version(ada)
    with httpx.Client(base_url=server.url, trust_env=False) as client:
        for _ in range(POPULAR + 1):
            assert client.get(TABLE).json() == []
        before = len(computed)
        world.play(world.match("open", "competition", [(version, 4)]), [1.0] * 4)
        wait_for(lambda: len(computed) > before)
        assert client.get(TABLE).json()[0]["matches"] == 1


def test_a_response_is_computed_once_however_many_clients_wait_for_it(server, world: World, ada, monkeypatch) -> None:
    import httpx

    world.season()
    version = world.version(ada)
    computed = _computed(monkeypatch)
    _without_rate_limit(server.app)
    with httpx.Client(base_url=server.url, trust_env=False) as client, ThreadPoolExecutor(16) as threads:
        for repetition in range(3):
            world.play(world.match("open", "competition", [(version, 4)], repetition=repetition), [1.0] * 4)
            seen = list(threads.map(lambda _: client.get(PAGE, headers={"Cache-Control": "no-cache"}), range(16)))
            assert {response.json()["matches"] for response in seen} == {repetition + 1}
            assert computed == [PAGE] * (repetition + 1)


def test_a_response_that_is_computed_again_shows_the_time_of_the_new_one(
    client: TestClient, world: World, account, admin, clock
) -> None:
    from datetime import timedelta

    world.season()
    eve = account("eve")
    body = {"name": "short", "email": "eve@example.com", "expires_in_days": 1}
    assert client.post("/admin/tokens", json=body, headers=admin.headers).status_code == 201

    def names() -> list[str]:
        tokens = client.get("/observatory/api/profile", headers=eve.headers).json()["tokens"]
        return [token["name"] for token in tokens if token["name"] == "short"]

    assert names() == ["short"]
    clock.advance(timedelta(days=1, seconds=1).total_seconds())
    world.play(world.match("open", "competition", [(world.version(eve), 4)]), [1.0] * 4)
    assert names() == []


def test_cached_responses_are_separate_for_each_viewer(client: TestClient, world: World, ada, bob, admin) -> None:
    world.season()
    hidden = world.season(name="hidden", public=False, is_default=False)
    world.enter("open", "competition", [world.version(ada), world.version(bob, "theirs")])

    def seasons(headers=None) -> list[str]:
        return sorted(entry["name"] for entry in client.get("/tournament/seasons", headers=headers).json())

    def entries(headers=None) -> list[str]:
        return [entry["policy"]["name"] for entry in client.get(PAGE, headers=headers).json()["my_entries"]]

    staff = admin.headers
    for _ in range(2):  # the second time from what is kept
        for headers, mine in ((staff, []), (ada.headers, ["mine"]), (bob.headers, ["theirs"]), ({}, [])):
            assert seasons(headers) == (["hidden", "open"] if headers is staff else ["open"])
            assert entries(headers) == mine
            status = client.get(f"/tournament/seasons/{hidden}", headers=headers).status_code
            assert status == (200 if headers is staff else 404)
        assert client.get("/tournament/seasons/open/policies?mine=true").status_code == 401
        own_entries = client.get("/tournament/seasons/open/policies?mine=true", headers=ada.headers).json()
        assert [entry["policy"]["name"] for entry in own_entries] == ["mine"]
        assert client.get("/tournament/seasons", headers={"X-Auth-Token": "wrong"}).status_code == 401


def test_revoked_rights_end_at_once(client: TestClient, app: FastAPI, world: World, admin, account, clock) -> None:
    from datetime import timedelta

    world.season(name="hidden", public=False)
    short = account("eve", expires_in=timedelta(seconds=60))
    for headers, expected in ((admin.headers, 1), (short.headers, 0), (admin.headers, 1), (short.headers, 0)):
        assert len(client.get("/tournament/seasons", headers=headers).json()) == expected
    clock.advance(61)
    assert client.get("/tournament/seasons", headers=short.headers).status_code == 401
    with app.state.database.transaction() as session:
        session.get_one(User, admin.user_id).is_admin = False
    assert client.get("/tournament/seasons", headers=admin.headers).json() == []
    with app.state.database.transaction() as session:
        session.get_one(User, admin.user_id).disabled_at = clock()
    assert client.get("/tournament/seasons", headers=admin.headers).status_code == 401


def test_cached_responses_count_against_the_rate_limit(make_app) -> None:
    client = TestClient(make_app(anonymous_rate=6.0))
    statuses = [client.get("/tournament/seasons").status_code for _ in range(5)]
    assert statuses == [200, 200, 200, 429, 429]


def _computed(monkeypatch) -> list[str]:
    """Return a list to which the path of each response is added before it is computed."""
    computed: list[str] = []
    compute = ResponseCache._compute

    async def counted(self: ResponseCache, key: tuple[str, ...], *rest, **options) -> object:
        computed.append(key[0])
        return await compute(self, key, *rest, **options)

    monkeypatch.setattr(ResponseCache, "_compute", counted)
    return computed


def _without_rate_limit(app: FastAPI) -> None:
    """Let a test ask without a pause."""
    settings = app.state.settings.model_copy(update={"anonymous_rate": 1e6})
    app.state.rate_limits = RateLimits(settings, app.state.metrics)
