"""Watch matches over real sockets: what spectators get, when, and what no one gets."""

from __future__ import annotations

import json
import os
import threading
import time
import uuid
from typing import Any

import pytest
from sqlalchemy import select
from websockets.exceptions import ConnectionClosed, InvalidStatus

from observatory import events
from observatory.database.tables.seasons import Season
from observatory.events import Change, ChangeKind
from packages.observatory.tests.live.conftest import PATIENCE, WHOLE, Stage, Watcher
from packages.observatory.tests.world import FREEPLAY

pytestmark = pytest.mark.any_database

DELAYED = {**FREEPLAY["freeplay"], "live": {"delay_seconds": 30}}  # type: ignore[dict-item]
OFF = {**FREEPLAY["freeplay"], "live": False}  # type: ignore[dict-item]


def until(condition: Any) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


def begin(watcher: Watcher) -> None:
    """Read what a spectator of a running match hears first."""
    assert watcher.next("hello")["rights"] == "watch"
    assert watcher.state() == "starting"


def test_spectators_see_a_match_from_its_first_tick_whenever_they_come(stage: Stage) -> None:
    match = stage.match()
    worker = stage.lease()
    assert worker.lease["live"] is True
    first = stage.watch(match)
    begin(first)
    assert worker.asked() is True
    opening, chunk = worker.send(0, b"a replay", kind=WHOLE), worker.send(20, b"rows" * 1000)
    assert first.data(2) == [opening, chunk]
    late = stage.watch(match)
    late.next("hello")
    assert [late.receive(), late.receive(), late.state()] == [opening, chunk, "live"]
    assert len(late.raw[-2]) < len(chunk) / 10  # compressed once, for all
    third = worker.send(40, b"more")
    assert first.data() == late.data() == [third]
    stage.world.play(match, [1.0] * 4)
    for watcher in (first, late):
        final = watcher.next("final")
        assert final["sentence"] == "The match is over" and final["replay"].endswith("/replay.json.z")
        assert stage.http.get(final["replay"]).status_code == 307
        assert watcher.is_closed()


def test_a_worker_sends_nothing_before_the_first_spectator_and_after_the_last(stage: Stage) -> None:
    match = stage.match()
    worker = stage.lease()
    first, second = stage.watch(match), stage.watch(match)
    assert worker.asked() is True
    for watcher in (first, second):
        watcher.socket.close()
    assert worker.asked() is False  # once for both of them, in each direction
    stage.watch(match)
    assert worker.asked() is True


def test_a_delayed_season_shows_no_row_before_its_time(stage: Stage) -> None:
    match = stage.match(freeplay=DELAYED)
    worker = stage.lease()
    watcher = stage.watch(match)
    assert watcher.next("hello")["delay_seconds"] == 30
    assert watcher.state() == "starting" and worker.asked() is True
    opening = worker.send(0, b"a replay", kind=WHOLE, age=40)
    assert [watcher.receive(), watcher.state()] == [opening, "live"]
    chunk = worker.send(20, b"rows", age=10)
    later = worker.send(40, b"later", age=-500)  # no message is from the future
    broadcast = stage.broadcasts.find(match)
    assert broadcast is not None
    until(lambda: len(broadcast.entries) == 3)
    assert [entry.due - stage.now for entry in broadcast.entries] == [-10, 20, 30]
    stage.now += 19.9
    old = worker.send(60, b"wakes the spectator", age=100)  # it waits behind the others
    until(lambda: len(broadcast.entries) == 4)
    assert len(watcher.raw) == 4
    stage.now += 0.2
    worker.send(80, b"wakes the spectator")
    assert watcher.receive() == chunk
    stage.now += 10
    worker.send(100, b"wakes the spectator")
    assert watcher.data(2) == [later, old]


def test_a_season_without_live_matches_is_shown_after_their_end_only(stage: Stage) -> None:
    match = stage.match(freeplay=OFF)
    assert stage.refusal(match) == "The matches of this season can be watched after their end only"
    worker = stage.lease(connects=False)
    assert worker.lease["live"] is False
    with pytest.raises(InvalidStatus):
        stage.connect_worker(worker.lease)
    assert stage.refusal(match) == "The matches of this season can be watched after their end only"
    page = stage.http.get(f"/observatory/api/matches/{match}").json()
    assert page["status"] == "running" and page["watch_url"] is None
    stage.world.play(match, [1.0] * 4)
    watcher = stage.watch(match)
    watcher.next("hello")
    assert watcher.next("final")["replay"]


def test_only_staff_watches_a_private_season(stage: Stage, ada: Any, admin: Any) -> None:
    match = stage.match(public=False)
    worker = stage.lease()
    unknown = "There is no such match here"
    elevated = {"X-Auth-Token": admin.token, "X-Use-Elevated-Privileges": "true"}
    for headers in ({}, {"X-Auth-Token": ada.token}, {"X-Auth-Token": admin.token}):
        assert stage.refusal(match, **headers) == unknown
    assert stage.refusal(match, "?elevated=1", **{"X-Auth-Token": ada.token}) == unknown
    assert stage.refusal(uuid.uuid4()) == stage.refusal("nonsense") == unknown
    assert "token" in stage.refusal(match, **{"X-Auth-Token": "nobody's"})
    watcher = stage.watch(match, **elevated)
    begin(watcher)
    assert worker.asked() is True
    by_page = stage.watch(match, "?elevated=1", **{"X-Auth-Token": admin.token})
    begin(by_page)
    page = stage.http.get(f"/observatory/api/matches/{match}", headers=elevated).json()
    assert page["watch_url"].endswith(f"{match}%3Felevated%3D1")
    assert stage.http.get(f"/observatory/api/matches/{match}").status_code == 404
    assert stage.http.get("/observatory/api/live").json() == []
    assert stage.http.get("/observatory/api/live", params={"season": "open"}).status_code == 404
    [line] = stage.http.get("/observatory/api/live", params={"season": "open"}, headers=elevated).json()
    assert line["url"] == f"/observatory/matches/{match}" and line["about"] == "open"
    front = stage.http.get("/observatory/api/front-match").json()
    assert front == {"kind": "none", "match": None, "season_display_name": None, "viewer_url": None}


def test_spectators_are_sent_away_when_the_season_becomes_private_or_stops_live_matches(
    stage: Stage,
) -> None:
    for changes, sentence in (
        ({"public": False}, "There is no such match here"),
        ({"config": {**OFF}}, "The matches of this season can be watched after their end only"),
    ):
        name = f"without-{next(iter(changes))}"
        match = stage.match(name, is_default=False)
        worker = stage.lease()
        watcher = stage.watch(match)
        begin(watcher)
        assert worker.asked() is True
        with stage.world.database.transaction() as session:
            season = session.scalars(select(Season).where(Season.name == name)).one()
            for field, value in changes.items():
                setattr(season, field, value)
            events.note(session, Change(ChangeKind.SEASON, season.id))
        assert watcher.next("error")["message"] == sentence
        assert watcher.is_closed()
        worker.release()
        stage.world.fail(match)


def test_spectators_hear_that_a_worker_was_lost_and_see_the_next_attempt(stage: Stage) -> None:
    match = stage.match()
    worker = stage.lease()
    watcher = stage.watch(match)
    begin(watcher)
    worker.asked()
    opening = worker.send(0, b"first", kind=WHOLE)
    assert [watcher.receive(), watcher.state()] == [opening, "live"]
    worker.socket.close()
    assert watcher.state() == "lost"
    worker.release()
    again = watcher.next("status")
    assert again["state"] == "again" and "plays it again from the start" in again["sentence"]
    second = stage.lease()
    assert watcher.state() == "starting" and second.asked() is True
    opening = second.send(0, b"second", kind=WHOLE)
    assert [watcher.receive(), watcher.state()] == [opening, "live"]
    second.socket.send(json.dumps({"ended": True}))
    assert watcher.state() == "ended"
    stage.world.fail(match)
    final = watcher.next("final")
    assert final["replay"] is None and final["failed"] and "no replay" in final["sentence"]


def test_an_old_worker_cannot_send_into_the_next_attempt(stage: Stage) -> None:
    match = stage.match()
    old = stage.lease()
    watcher = stage.watch(match)
    begin(watcher)
    assert old.asked() is True
    old.release()
    new = stage.lease()
    assert new.asked() is True
    with pytest.raises(ConnectionClosed):
        for _ in range(1000):  # until the server's side is closed
            old.send(0, b"stale", kind=WHOLE)
            time.sleep(0.01)
    opening = new.send(0, b"fresh", kind=WHOLE)
    messages = []
    while opening not in messages:
        messages.append(watcher.receive())
    assert not any(isinstance(message, bytes) and b"stale" in message for message in messages)


def test_a_hundred_spectators_see_the_same_and_a_slow_one_delays_none(stage: Stage) -> None:
    match = stage.match()
    worker = stage.lease()
    slow = stage.watch(match)
    watchers = [stage.watch(match) for _ in range(99)]
    assert worker.asked() is True
    sent = [worker.send(0, b"opening", kind=WHOLE)]
    # Random bytes: they cannot be compressed, and fill every buffer on the way to the slow spectator.
    sent += [worker.send(number, number.to_bytes(4, "big") + os.urandom(300_000)) for number in range(1, 21)]
    received: list[list[bytes]] = []

    def read(watcher: Watcher) -> None:
        received.append(watcher.data(len(sent)))

    threads = [threading.Thread(target=read, args=(watcher,), daemon=True) for watcher in watchers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(received) == 99 and all(got == sent for got in received)
    broadcast = stage.broadcasts.find(match)
    assert broadcast is not None and broadcast.watchers == 100
    assert broadcast.stored_bytes < 1.01 * sum(map(len, sent))  # one copy, for all of them
    read(slow)
    assert received[-1] == sent


def test_a_match_that_is_too_long_stops_being_shown_and_frees_its_memory(stage: Stage) -> None:
    stage.broadcasts.max_bytes = 10_000
    match = stage.match()
    worker = stage.lease()
    watcher = stage.watch(match)
    begin(watcher)
    assert worker.asked() is True
    worker.send(0, os.urandom(11_000), kind=WHOLE)
    assert watcher.state() == "long" and worker.asked() is False
    broadcast = stage.broadcasts.find(match)
    assert broadcast is not None and broadcast.stored_bytes == 0
    worker.socket.close()
    watcher.socket.close()
    until(lambda: stage.broadcasts.find(match) is None)


def test_there_is_a_limit_to_the_number_of_spectators(stage: Stage) -> None:
    stage.app.state.settings.max_live_watchers_per_address = 2
    match = stage.match()
    first, second = stage.watch(match), stage.watch(match)
    first.next("hello")
    second.next("hello")
    assert "too many people watching" in stage.refusal(match)
    first.socket.close()
    until(lambda: stage.broadcasts.watchers == 1)
    stage.watch(match).next("hello")


@pytest.mark.parametrize("message", [b"", b"short", bytes(12) + b"\x09rest", "no JSON", '{"ended": 1}'])
def test_nonsense_of_a_worker_reaches_no_spectator(stage: Stage, message: str | bytes) -> None:
    match = stage.match()
    worker = stage.lease()
    watcher = stage.watch(match)
    begin(watcher)
    worker.asked()
    worker.socket.send(message)
    stage.world.play(match, [1.0] * 4)
    while (heard := watcher.receive())["type"] != "final":
        assert heard["type"] == "status"


@pytest.mark.parametrize("live", [True, False])
def test_a_friendly_match_is_watched_as_the_season_of_its_game_says(
    stage: Stage, ada: Any, bob: Any, live: bool
) -> None:
    stage.world.season(freeplay={**FREEPLAY["freeplay"], "live": live})  # type: ignore[dict-item]
    mine, theirs = stage.world.version(ada, "mine"), stage.world.version(bob, "theirs")
    body = {"policy_version_id": str(mine), "opponent_version_id": str(theirs), "mission": "season:open"}
    friendly = stage.http.post("/observatory/api/friendlies", json=body, headers=ada.headers).json()["id"]
    address = f"/observatory/api/friendlies/{friendly}"
    assert stage.refusal(friendly, **{"X-Auth-Token": ada.token}) == "There is no such match here"  # not accepted yet
    assert stage.http.post(f"{address}/accept", headers=bob.headers).is_success
    worker = stage.lease(connects=live)
    page, queue = stage.http.get(address).json(), stage.http.get("/observatory/api/queue").json()
    assert worker.lease["live"] is live and (page["watch_url"] is not None) is live
    assert [row["is_live"] for row in queue["running"]] == [live]
    if not live:
        assert stage.refusal(friendly) == "The matches of this season can be watched after their end only"
        return
    watcher = stage.watch(friendly)
    begin(watcher)
    assert worker.asked() is True
    opening = worker.send(0, b"a replay", kind=WHOLE)
    assert watcher.data() == [opening]
    stage.world.finish(uuid.UUID(page["job_id"]), [1.0] * 4)
    while (heard := watcher.receive())["type"] != "final":
        assert heard["type"] == "status"
    assert heard["replay"]
