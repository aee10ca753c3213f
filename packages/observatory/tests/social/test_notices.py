"""Notices: written with the change that they are about, grouped, for the owners of policies only."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from observatory.database.tables.leagues import Membership
from observatory.database.tables.notices import Notice
from observatory.database.tables.seasons import Season
from observatory.leagues.competition_events import publish_membership_event
from observatory.notices.service import expire_notices
from observatory.seasons.creation import end_season
from observatory.standings.rank_watch import RankWatch
from packages.observatory.tests.leagues.field import Field, raw
from packages.observatory.tests.world import World

API = "/observatory/api/notices"


def notices(client: TestClient, account: Any, **query: Any) -> list[dict[str, Any]]:
    answer = client.get(API, params=query, headers=account.headers)
    assert answer.status_code == 200, answer.text
    rows: list[dict[str, Any]] = answer.json()["rows"]
    return rows


def unread(client: TestClient, account: Any) -> int:
    number: int = client.get(f"{API}/unread", headers=account.headers).json()["unread"]
    return number


def play(world: World, mine: uuid.UUID, theirs: uuid.UUID, number: int, rewards: tuple[float, float]) -> uuid.UUID:
    match = world.match("open", "competition", [(mine, 2), (theirs, 2)], repetition=number)
    world.play(match, [rewards[0]] * 2 + [rewards[1]] * 2)
    return match


def test_many_matches_of_a_policy_are_one_notice_until_it_is_read(
    client: TestClient, world: World, ada: Any, bob: Any
) -> None:
    world.season()
    mine, theirs = world.version(ada, "mine"), world.version(bob, "theirs")
    first = play(world, mine, theirs, 0, (2.0, 1.0))
    [notice] = notices(client, ada)
    assert notice["title"] == "mine v1 played in Open" and notice["url"] == f"/observatory/matches/{first}"
    assert notice["text"] == "Score 2 with theirs v1 (1)"
    for number in range(1, 20):
        play(world, mine, theirs, number, (4.0, 0.0))
    [notice] = notices(client, ada)
    assert notice["title"] == "mine v1 played 20 matches in Open" and notice["events"] == 20
    assert notice["text"] == "Mean score 3.9; the last one 4 with theirs v1 (0)"
    assert notice["url"] == f"/observatory/policies/{mine}"
    assert unread(client, ada) == unread(client, bob) == 1
    assert client.post(f"{API}/read", json={"ids": [notice["id"]]}, headers=ada.headers).json() == {"unread": 0}
    assert unread(client, bob) == 1
    play(world, mine, theirs, 20, (1.0, 1.0))
    assert [row["events"] for row in notices(client, ada)] == [1, 20]
    assert client.post(f"{API}/read", json={}, headers=ada.headers).json() == {"unread": 0}


def test_a_notice_takes_further_matches_for_a_day(
    client: TestClient, world: World, ada: Any, bob: Any, clock: Any
) -> None:
    world.season()
    mine, theirs = world.version(ada), world.version(bob)
    play(world, mine, theirs, 0, (1.0, 1.0))
    clock.advance(25 * 3600)
    play(world, mine, theirs, 1, (1.0, 1.0))
    assert [row["events"] for row in notices(client, ada)] == [1, 1]
    page = client.get(API, params={"limit": 1}, headers=ada.headers).json()
    assert len(page["rows"]) == 1 and page["next_cursor"]
    assert len(notices(client, ada, cursor=page["next_cursor"])) == 1


def test_a_failure_is_for_the_owner_of_the_policy_at_fault(
    client: TestClient, world: World, ada: Any, bob: Any
) -> None:
    world.season()
    mine, theirs = world.version(ada, "mine"), world.version(bob, "theirs")
    for number in range(2):
        match = world.match("open", "competition", [(mine, 2), (theirs, 2)], repetition=number)
        world.fail(match, "Traceback\nValueError: it broke")
    [notice] = notices(client, ada)
    assert notice["kind"] == "failure" and notice["title"] == "mine v1 failed in 2 matches in Open"
    assert notice["text"] == "ValueError: it broke" and notice["url"] == f"/observatory/matches/{match}"
    assert notices(client, bob) == []


def test_a_private_season_is_not_mentioned(client: TestClient, world: World, ada: Any, bob: Any) -> None:
    world.season(public=False)
    play(world, world.version(ada), world.version(bob), 0, (1.0, 2.0))
    assert notices(client, ada) == notices(client, bob) == []


def test_a_rollback_of_the_change_takes_the_notice_along(world: World, ada: Any, monkeypatch: Any) -> None:
    world.season()
    match = world.match("open", "qualifying", [(world.version(ada), 4)])
    with pytest.raises(RuntimeError, match="power"), monkeypatch.context() as patch:

        def fail(*_: Any, **__: Any) -> None:
            raise RuntimeError("power is out")

        patch.setattr("observatory.jobs.transitions.events.note", fail)
        world.play(match, [1.0] * 4)
    with world.database.read() as session:
        assert session.scalar(select(func.count()).select_from(Notice)) == 0


def test_kinds_that_are_switched_off_are_neither_listed_nor_counted(
    client: TestClient, world: World, ada: Any, bob: Any
) -> None:
    world.season()
    mine, theirs = world.version(ada), world.version(bob)
    play(world, mine, theirs, 0, (1.0, 1.0))
    answer = client.put(f"{API}/settings", json={"kinds": {"match": []}}, headers=ada.headers)
    assert answer.status_code == 200 and not answer.json()["kinds"][0]["page"]
    assert notices(client, ada) == [] and unread(client, ada) == 0
    play(world, mine, theirs, 1, (1.0, 1.0))
    with world.database.read() as session:
        written = session.scalars(select(Notice).where(Notice.user_id == ada.user_id)).all()
        assert [row.events for row in written] == [1]
    client.put(f"{API}/settings", json={"kinds": {"match": ["page"]}}, headers=ada.headers)
    assert len(notices(client, ada)) == 1
    refused = client.put(f"{API}/settings", json={"kinds": {"match": ["pigeon"]}}, headers=ada.headers)
    assert refused.status_code == 422


def test_an_owner_learns_who_overtook_a_policy_and_how_the_season_ended(
    client: TestClient, world: World, app: FastAPI, ada: Any, bob: Any, clock: Any
) -> None:
    world.season()
    mine, theirs = world.version(ada, "mine"), world.version(bob, "theirs")
    watch = RankWatch(app.state.database, clock)
    play(world, mine, theirs, 0, (3.0, 1.0))
    assert watch.check()
    play(world, mine, theirs, 1, (0.0, 9.0))
    assert not watch.check()  # not yet a minute later
    assert [row["kind"] for row in notices(client, ada)] == ["match"]
    clock.advance(61)
    assert watch.check()
    watch.check()
    [overtaken] = [row for row in notices(client, ada) if row["kind"] == "overtaken"]
    assert overtaken["title"] == "theirs v1 overtook mine v1 in Open" and overtaken["text"] == "Now number 2 of 2"
    assert [row["kind"] for row in notices(client, bob)] == ["match"]
    with world.database.transaction() as session:
        end_season(session, session.scalars(select(Season)).one(), now=clock())
    watch.check()
    watch.check()
    assert [row["title"] for row in notices(client, ada) if row["kind"] == "promotion"] == [
        "mine v1 finished number 2 of 2 in Open"
    ]
    assert [row["title"] for row in notices(client, bob) if row["kind"] == "promotion"] == ["theirs v1 won Open"]


def test_two_servers_that_compare_a_table_at_once_tell_its_end_once(
    client: TestClient, world: World, app: FastAPI, ada: Any, bob: Any, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.season()
    database = app.state.database
    watch, other = RankWatch(database, clock), RankWatch(database, clock)
    play(world, world.version(ada, "mine"), world.version(bob, "theirs"), 0, (3.0, 1.0))
    watch.check()
    with database.transaction() as session:
        end_season(session, session.scalars(select(Season)).one(), now=clock())
    begin = database.transaction

    def begin_after_other() -> Any:
        monkeypatch.setattr(database, "transaction", begin)
        other.check()  # between what the first one has read and what it writes
        return begin()

    monkeypatch.setattr(database, "transaction", begin_after_other)
    watch.check()
    with database.read() as session:
        final = session.scalars(select(Notice).where(Notice.topic.startswith("final:"))).all()
    assert [row.events for row in final] == [1, 1]


def test_moves_in_a_league_are_told_to_the_player_and_to_no_one_else(
    client: TestClient, world: World, ada: Any, bob: Any, clock: Any
) -> None:
    field = Field(world, client)
    league = field.league(bob, league_name="Painters")
    membership = field.submit(ada, league, world.version(ada, "mine")).json()["league_policy_membership_id"]
    client.post(f"{API}/read", json={}, headers=ada.headers)
    with world.database.transaction() as session:
        row = session.get_one(Membership, raw(membership))
        for kind, payload in (
            ("membership_promoted", {}),
            ("rank_changed", {"from": 2, "to": 1}),
            ("rank_changed", {"from": 1, "to": 3}),
        ):
            publish_membership_event(session, kind, row, f"{kind} {payload.get('to')}", now=clock(), payload=payload)
    told = [row for row in notices(client, ada) if not row["read"]]
    assert sorted((row["kind"], row["title"]) for row in told) == [
        ("overtaken", "rank_changed 3"),
        ("promotion", "membership_promoted None"),
    ]
    assert all(row["url"] == f"/observatory/leagues/{league}" for row in told)
    assert notices(client, bob) == []


def test_old_notices_are_deleted(client: TestClient, world: World, ada: Any, bob: Any, clock: Any) -> None:
    world.season()
    play(world, world.version(ada), world.version(bob), 0, (1.0, 1.0))
    assert expire_notices(world.database, now=clock() + timedelta(days=89), days=90) == 0
    assert expire_notices(world.database, now=clock() + timedelta(days=91), days=90) == 2
    assert notices(client, ada) == []
