"""Events are sent after the commit, to permitted listeners only, over a stream that ends with the server."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import select, update

from observatory import events
from observatory.accounts.passwords import hash_password
from observatory.database import Database
from observatory.database.tables.accounts import Token, User
from observatory.database.tables.seasons import Season
from observatory.events import MAX_IDS, Change, ChangeKind, Hub, note
from observatory.http.visitors import COOKIE
from observatory.serving.serving import GRACE_SECONDS
from packages.observatory.tests.leagues.field import Field, raw
from packages.observatory.tests.world import World


class Stream:
    """What a page hears: (event, data) of each message."""

    def __init__(self, response: httpx.Response) -> None:
        self._lines = response.iter_lines()
        self.last_id: str | None = None

    def next(self) -> tuple[str, Any]:
        """Return the next message that is not a heartbeat."""
        event = data = None
        for line in self._lines:
            name, _, value = line.partition(": ")
            if name == "id":
                self.last_id = value
            elif name == "event":
                event = value
            elif name == "data":
                data = json.loads(value)
            elif not line and event is not None:
                return event, data
        raise AssertionError("the stream has ended")

    def drain(self) -> str:
        """Read to the end, which must come."""
        return "".join(self._lines)


@contextmanager
def listening(url: str, headers: dict[str, str] | None = None, **parameters: str) -> Iterator[Stream]:
    with (
        httpx.Client(base_url=url, timeout=20, trust_env=False) as client,
        client.stream("GET", "/observatory/api/events", params=parameters, headers=headers) as response,
    ):
        assert response.status_code == 200, response.read()
        assert response.headers["content-type"].startswith("text/event-stream")
        stream = Stream(response)
        assert stream.next()[0] == "hello"
        yield stream


def season_id(app: FastAPI, name: str) -> uuid.UUID:
    with app.state.database.read() as session:
        return session.scalars(select(Season.id).where(Season.name == name)).one()


def publish(app: FastAPI, *changes: Change) -> None:
    with app.state.database.transaction() as session:
        for change in changes:
            note(session, change)


def test_changes_are_published_after_a_commit_and_never_after_a_rollback(database: Database) -> None:
    with database.changes.subscribe() as subscription:
        with pytest.raises(RuntimeError), database.transaction() as session:
            note(session, Change(ChangeKind.POLICY))
            raise RuntimeError
        with database.transaction() as session:
            note(session, Change(ChangeKind.MATCH))
            assert subscription.take() == []
        assert subscription.wait(10) == [Change(ChangeKind.MATCH)]


def test_changes_for_a_slow_listener_are_merged() -> None:
    hub, season, ids = Hub(), uuid.uuid4(), [uuid.uuid4() for _ in range(MAX_IDS + 1)]
    with hub.subscribe() as subscription:
        for match_id in ids[:3]:
            hub.publish([Change(ChangeKind.MATCH, season, frozenset({match_id})), Change(ChangeKind.QUEUE)])
        [match, queue] = subscription.wait(10)
        assert match.ids == set(ids[:3]) and queue == Change(ChangeKind.QUEUE)
        for match_id in ids:
            hub.publish([Change(ChangeKind.MATCH, season, frozenset({match_id}))])
        assert subscription.wait(10) == [Change(ChangeKind.MATCH, season)]  # too many to name: any of them
    hub.publish([Change(ChangeKind.QUEUE)])
    assert subscription.take() == []


def test_a_server_has_heard_a_transaction_when_all_changes_up_to_its_number_are_counted() -> None:
    hub, kinds = Hub(), (ChangeKind.QUEUE, ChangeKind.MATCH)

    def receive(kind: ChangeKind, number: int, *, is_own: bool = False, is_last: bool = True) -> None:
        hub.receive([Change(kind)], number, is_own=is_own, is_last=is_last)

    def counted() -> tuple[int, int, tuple[int, ...]]:
        return hub.heard, hub.numbered_versions()[1], hub.versions(kinds)[1:]

    hub.publish([Change(ChangeKind.QUEUE)], 5, is_own=True)
    assert counted() == (0, 0, (1, 0))  # that of another server with a lower number may still arrive
    receive(ChangeKind.MATCH, 4)
    assert counted() == (4, 5, (1, 1))
    receive(ChangeKind.QUEUE, 5, is_own=True)  # counted already
    assert counted() == (5, 5, (1, 1))
    receive(ChangeKind.MATCH, 6, is_own=True)  # faster than the thread that commits
    assert counted() == (6, 6, (1, 2))
    receive(ChangeKind.MATCH, 7, is_last=False)
    assert counted() == (6, 7, (1, 3))
    receive(ChangeKind.QUEUE, 7)
    assert counted() == (7, 7, (2, 3))
    receive(ChangeKind.QUEUE, 0)  # of a server of an older release
    assert counted() == (0, 0, (3, 3))
    receive(ChangeKind.QUEUE, 9)
    assert counted() == (9, 9, (4, 3))
    hub.catch_up()  # notifications may have been missed
    assert counted()[:2] == (0, 0)
    receive(ChangeKind.QUEUE, 3)  # of a database that was restored into another PostgreSQL server
    assert counted()[:2] == (3, 3)


def test_tasks_are_woken_from_other_threads_and_when_the_server_stops() -> None:
    hub = Hub()

    async def listen() -> list[list[Change]]:
        with hub.subscribe_async() as subscription:
            assert await subscription.wait(0.01) == []
            threading.Thread(target=hub.publish, args=([Change(ChangeKind.QUEUE)],)).start()
            first = await subscription.wait(10)
            threading.Thread(target=hub.close).start()
            return [first, await subscription.wait(10)]

    assert anyio.run(listen) == [[Change(ChangeKind.QUEUE)], []]
    assert hub.closed


def test_a_page_receives_the_changes_of_the_seasons_it_may_see(server, app: FastAPI, world: World, ada, admin) -> None:
    open_season, hidden = world.season(), world.season(name="hidden", public=False, is_default=False)
    match = uuid.uuid4()
    in_open = Change(ChangeKind.MATCH, season_id(app, open_season), frozenset({match}))
    in_hidden = Change(ChangeKind.TABLE, season_id(app, hidden))
    own = Change(ChangeKind.ASSAY, None, frozenset({uuid.uuid4()}))
    for_all = {"kind": "match", "season": "open", "season_version": 1, "ids": [str(match)]}
    with (
        listening(server.url) as anonymous,
        listening(server.url, ada.headers) as user,
        listening(server.url, admin.headers) as staff,
        listening(server.url, admin.headers, season="hidden") as hidden_stream,
    ):
        publish(app, in_open, in_hidden, own)
        assay = {"kind": "assay", "season": None, "season_version": None, "ids": []}
        assert anonymous.next() == user.next() == ("changes", [for_all, assay])
        kinds = {(entry["kind"], entry["season"]) for entry in staff.next()[1]}
        assert kinds == {("match", "open"), ("table", "hidden"), ("assay", None)}
        assert {entry["season"] for entry in hidden_stream.next()[1]} == {"hidden", None}
    refused = httpx.get(f"{server.url}/observatory/api/events?season=hidden", headers=ada.headers)
    assert refused.status_code == 404


def test_a_page_receives_the_changes_of_the_leagues_it_may_see(
    server, client: TestClient, app: FastAPI, world: World, ada, bob
) -> None:
    field = Field(world, client)
    shown, private = field.league(ada), field.league(ada, "secret", private=True)
    round_id = field.round(field.division(shown), {})
    concealed = field.division(private, ada.headers)
    in_shown = Change(ChangeKind.ROUND_EPISODE, ids=frozenset({raw(round_id)}))
    in_private = Change(ChangeKind.DIVISION, ids=frozenset({raw(concealed)}))
    for_all = {"kind": "round_episode", "league": shown, "ids": [round_id]}
    with (
        listening(server.url) as anonymous,
        listening(server.url, league=round_id) as of_round,
        listening(server.url, ada.headers, league=concealed) as owner,
    ):
        publish(app, in_shown, in_private, Change(ChangeKind.QUEUE))
        queue = {"kind": "queue", "season": None, "season_version": None, "ids": []}
        assert anonymous.next() == ("changes", [for_all, queue])
        assert of_round.next() == ("changes", [for_all])
        assert owner.next() == ("changes", [{"kind": "division", "league": private, "ids": [concealed]}])
        hide = {"divisions": [{"name": "Competition", "level": 1, "hidden": True}]}
        client.put(f"/v2/leagues/{shown}/divisions", json=hide, headers=ada.headers)
        assert of_round.next() == ("changes", [{"kind": "league", "league": shown, "ids": [shown]}])
        publish(app, in_shown)  # that something happened in a hidden division, but not what
        assert of_round.next() == ("changes", [{"kind": "round_episode", "league": shown, "ids": []}])
    refused = httpx.get(f"{server.url}/observatory/api/events", params={"league": private}, headers=bob.headers)
    assert refused.status_code == 404


def test_a_stream_ends_when_its_listener_loses_access(server, app: FastAPI, world: World, admin) -> None:
    hidden = season_id(app, world.season(name="hidden", public=False))
    with httpx.Client(base_url=server.url, trust_env=False) as browser:
        csrf = browser.get("/observatory/api/me").json()["csrf"]
        with app.state.database.transaction() as session:
            session.get_one(User, admin.user_id).password_hash = hash_password("a long enough password")
        browser.post("/sign-in", data={"csrf": csrf, "email": admin.email, "password": "a long enough password"})
        cookie = {"Cookie": f"{COOKIE}={browser.cookies[COOKIE]}", "X-Use-Elevated-Privileges": "true"}
        csrf = browser.get("/observatory/api/me").json()["csrf"]
        with listening(server.url, cookie) as tab, listening(server.url, admin.headers) as program:
            publish(app, Change(ChangeKind.TABLE, hidden))
            assert tab.next()[1][0]["season"] == program.next()[1][0]["season"] == "hidden"
            assert browser.post("/sign-out", data={"csrf": csrf}).status_code == 303
            publish(app, Change(ChangeKind.TABLE, hidden))
            assert program.next()[1][0]["season"] == "hidden"
            assert "hidden" not in tab.drain()
            with app.state.database.transaction() as session:
                session.execute(update(Token).values(revoked_at=app.state.clock()))
            publish(app, Change(ChangeKind.TABLE, hidden))
            assert "hidden" not in program.drain()
        assert httpx.get(f"{server.url}/observatory/api/me", headers=cookie).json()["signed_in"] is False


def test_a_reconnecting_page_learns_whether_it_missed_changes(server, app: FastAPI) -> None:
    with listening(server.url) as stream:
        last_id = stream.last_id

    def hello(last: str | None) -> bool:
        headers = {"Last-Event-ID": last or ""}
        with httpx.stream("GET", f"{server.url}/observatory/api/events", headers=headers, timeout=20) as response:
            return bool(Stream(response).next()[1]["missed"])

    assert hello(last_id) is False
    publish(app, Change(ChangeKind.QUEUE))
    assert hello(last_id) is True
    assert hello("of an earlier life of the server") is True


def test_many_changes_are_sent_together(server, app: FastAPI, world: World) -> None:
    season = season_id(app, world.season())
    ids = [uuid.uuid4() for _ in range(30)]
    with listening(server.url) as stream:
        for match in ids:
            publish(app, Change(ChangeKind.MATCH, season, frozenset({match})))
        messages, heard = 0, set()
        while len(heard) < len(ids):
            messages += 1
            heard |= {match_id for entry in stream.next()[1] for match_id in entry["ids"]}
        assert heard == {str(match) for match in ids} and messages < len(ids) / 2


def test_streams_per_address_are_limited_and_closed_ones_do_not_count(server, app: FastAPI) -> None:
    app.state.settings.max_event_streams_per_address = 2
    with listening(server.url), listening(server.url):
        refused = httpx.get(f"{server.url}/observatory/api/events")
        assert refused.status_code == 429 and "Retry-After" in refused.headers
    publish(app, Change(ChangeKind.QUEUE))  # whoever is gone is found out when something is sent
    with anyio.from_thread.start_blocking_portal() as portal:
        portal.call(_until_none_is_open, app)
    with listening(server.url):
        pass


async def _until_none_is_open(app: FastAPI) -> None:
    with anyio.fail_after(20):
        while app.state.event_streams.open:
            await anyio.sleep(0.02)


def test_streams_end_when_the_server_stops_and_after_their_time_limit(serve, make_app) -> None:
    app = make_app()
    server = serve(app)
    with listening(server.url) as stream:
        app.state.database.changes.close()
        stream.drain()
    other = make_app(event_stream_seconds=0.05)
    with listening(serve(other).url) as stream:
        stream.drain()


def test_a_server_with_open_streams_stops_on_a_signal(tmp_path: Path) -> None:
    own = {"OBSERVATORY_DATA_DIR": str(tmp_path / "data"), "OBSERVATORY_SEED_SEASONS": "false"}
    line = [sys.executable, "-m", "observatory", "serve", "--port", "0", "--workers", "0"]
    with (
        (tmp_path / "log").open("w") as log,
        subprocess.Popen(line, env=os.environ | own, stdout=subprocess.PIPE, stderr=log, text=True) as process,
    ):
        assert process.stdout is not None
        url = re.search(r"http://[^ ]+", process.stdout.readline())
        assert url is not None, (tmp_path / "log").read_text()
        with listening(url[0]) as stream:
            process.send_signal(signal.SIGTERM)
            stream.drain()
        assert process.wait(GRACE_SECONDS - 5) == 0  # it did not wait for the streams to be given up


@pytest.mark.parametrize("is_deaf", [False, True])
def test_a_request_waits_for_a_change_even_while_changes_of_other_servers_do_not_arrive(
    is_deaf: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "_DEAF_SECONDS", 3600.0)

    async def wait() -> None:
        hub = Hub()
        if is_deaf:
            hub.lose_touch()
        with hub.subscribe_async() as changes:
            versions = hub.versions([ChangeKind.QUEUE])
            deadline = time.monotonic() + 3600
            waiting = asyncio.create_task(changes.wait_for([ChangeKind.QUEUE], versions, deadline))
            for _ in range(10):
                await asyncio.sleep(0)
            assert not waiting.done()
            hub.publish([Change(ChangeKind.QUEUE)])
            await waiting

    asyncio.run(wait())
