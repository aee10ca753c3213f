"""Seasons and leagues on one front page, one profile and in one queue, as far as each caller may see them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import event

from observatory.database.tables.commissioners import CommissionerPhase, CommissionerRun, CommissionerRunStatus
from observatory.database.tables.leagues import Division, RoundStatus
from observatory.jobs.service import create_job
from packages.observatory.tests.coworlds.games import put_coworld
from packages.observatory.tests.leagues.field import Field, raw
from packages.observatory.tests.requests.conftest import Arena
from packages.observatory.tests.world import World

API = "/observatory/api"


def read(client: TestClient, path: str, account: Any = None) -> Any:
    answer = client.get(API + path, headers={} if account is None else account.headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


def publish_table(world: World, division: str, rows: list[tuple[str, float, float, float]]) -> None:
    """Give a division a table of (player, rating, low, high), as the platform ladder writes it."""
    view = {
        "key": "rating",
        "primary_column": "rating",
        "axis_values": {},
        "columns": [{"key": "rating", "label": "MMR", "value_type": "number", "sort": "desc"}],
        "rows": [
            {
                "subject_id": player,
                "subject_name": f"name of {player}",
                "values": {"rank": rank, "rating": rating, "low": low, "high": high},
                "policy_version_ids": [],
            }
            for rank, (player, rating, low, high) in enumerate(rows, 1)
        ],
    }
    with world.database.transaction() as session:
        board = {"default_view_key": "rating", "axes": [], "views": [view]}
        session.get_one(Division, raw(division)).leaderboards = board


@pytest.fixture
def playing(world: World, field: Field, ada: Any, bob: Any) -> dict[str, Any]:
    """A season with a match, and a public league with a table and a running round; ada plays in both."""
    world.season()
    version = world.version(ada, "both")
    world.play(world.match("open", "competition", [(version, 4)]), [2.0] * 4)
    league = field.league(bob, league_name="Painters")
    division = field.division(league)
    field.enter(ada, league, version=version)
    [member] = field.members(league)
    publish_table(world, division, [(member["player"]["id"], 25.5, 20.0, 31.0)])
    field.round(division)
    running = field.round(division, status=RoundStatus.RUNNING, completed_at=None)
    return {"version": str(version), "league": league, "division": division, "round": running}


def test_the_front_page_has_seasons_and_leagues_with_their_best(
    client: TestClient, playing: dict[str, Any], ada: Any
) -> None:
    front = read(client, "/front")
    [season], [league] = front["seasons"], front["leagues"]
    assert (season["name"], [row["policy"]["name"] for row in season["top"]]) == ("open", ["both"])
    assert season["leader"] == season["top"][0]
    assert (league["name"], league["state"]["state"], league["rounds"]) == ("Painters", "playing", 1)
    assert [line["id"] for line in league["playing"]] == [playing["round"]]
    [best] = league["best"]
    assert (best["rank"], best["score"], best["low"], best["high"]) == (1, 25.5, 20.0, 31.0)
    assert league["leader_label"] == "MMR" and front["coworlds"] == 1
    assert front["my_seasons"] == front["my_leagues"] == []

    mine = read(client, "/front", ada)
    [in_season], [in_league] = mine["my_seasons"], mine["my_leagues"]
    assert (in_season["policy"]["id"], in_season["rank"], in_season["score"]) == (playing["version"], 1, 2.0)
    assert (in_league["league"]["id"], in_league["is_champion"], in_league["rank"]) == (playing["league"], True, 1)


def test_the_front_page_asks_as_many_queries_for_many_leagues_as_for_one(
    client: TestClient, world: World, field: Field, ada: Any
) -> None:
    def queries() -> int:
        statements: list[str] = []
        world.database.changes.invalidate()

        def record(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
            statements.append(statement)

        event.listen(world.database.engine, "after_cursor_execute", record)
        try:
            read(client, "/front")
        finally:
            event.remove(world.database.engine, "after_cursor_execute", record)
        return len(statements)

    field.league(ada, "first")
    one = queries()
    for name in ("second", "third", "fourth"):
        field.league(ada, name)
    assert queries() == one


def test_a_private_league_is_on_the_front_page_of_its_members_only(
    client: TestClient, field: Field, ada: Any, bob: Any, admin: Any
) -> None:
    field.league(ada, "hidden", private=True)
    assert read(client, "/front")["leagues"] == read(client, "/front", bob)["leagues"] == []
    for account in (ada, admin):
        [league] = read(client, "/front", account)["leagues"]
        assert (league["public"], league["state"]["state"]) == (False, "off")


def test_a_profile_has_everything_of_its_user_and_nothing_of_others(
    client: TestClient, arena: Arena, playing: dict[str, Any], ada: Any, bob: Any
) -> None:
    game = arena.coworld(bob)
    arena.ask(ada, game, [{"policy_ref": "both"}, {"game_player": "sweep"}], num_episodes=2, title="A try")
    profile = read(client, "/profile", ada)
    assert [entry["league"]["name"] for entry in profile["leagues"]] == ["Painters"]
    assert [entry["season"] for entry in profile["seasons"]] == ["open"]
    assert [(line["status"], line["league"]) for line in profile["submissions"]] == [("placed", "Painters")]
    [request] = profile["requests"]
    assert (request["title"], request["episodes"], request["ended"]) == ("A try", 2, 0)
    assert request["first_episode"] in [episode["id"] for episode in profile["episodes"]]
    assert [player["is_default"] for player in profile["players"]] == [True]
    assert profile["tokens"] and ada.token not in json.dumps(profile)
    others = read(client, "/profile", bob)
    assert others["leagues"] == others["seasons"] == others["requests"] == others["episodes"] == []
    assert client.get(f"{API}/profile").status_code == 401


def test_a_policy_lists_its_leagues_and_episodes_beside_its_seasons(
    client: TestClient, arena: Arena, playing: dict[str, Any], ada: Any, bob: Any
) -> None:
    arena.ask(ada, arena.coworld(bob), [{"policy_ref": "both"}, {"game_player": "sweep"}])
    path = f"/policies/{playing['version']}/leagues"
    mine, others = read(client, path, ada), read(client, path)
    assert [(entry["league"]["name"], entry["is_champion"]) for entry in mine["leagues"]] == [("Painters", True)]
    assert len(mine["episodes"]) == 1
    assert others["leagues"] == mine["leagues"] and others["episodes"] == []  # the request is private


def test_the_queue_names_each_job_to_those_who_may_see_it(
    client: TestClient, world: World, field: Field, arena: Arena, ada: Any, bob: Any, admin: Any
) -> None:
    world.season()
    match = world.match("open", "competition", [(world.version(ada, "first"), 4)])
    secret = field.league(ada, "secretpaint", private=True, league_name="Secret league")
    another = raw(field.coworld(ada, "another"))
    with world.database.transaction() as session:
        job = create_job(session, {"game_engine": "coworld"}, now=world.clock(), job_type="commissioner")
        run = CommissionerRun(
            league_id=raw(secret),
            phase=CommissionerPhase.SCHEDULING,
            status=CommissionerRunStatus.RUNNING,
            coworld_id=another,
            runnable_id="default-commissioner",
            version="1",
            plan={},
            job_id=job.id,
            created_at=world.clock(),
        )
        session.add(run)
    game = arena.coworld(bob)
    arena.policy(ada, "second")
    [episode] = arena.ask(ada, game, [{"policy_ref": "second"}, {"game_player": "sweep"}])["episodes"]

    def lines(account: Any = None) -> list[tuple[str, str, str | None]]:
        return [(job["kind"], job["title"], job["url"]) for job in read(client, "/queue", account)["queued"]]

    named = ("match", "first v1", f"/observatory/matches/{match}")
    private = ("private", "A private job", None)
    commissioner = ("commissioner", "The commissioner decides what to play", f"/observatory/leagues/{secret}")
    played = ("episode", "second v1 – Sweep", f"/observatory/episodes/{episode['id']}")
    assert sorted(lines(), key=str) == sorted([named, private, private], key=str)
    assert sorted(lines(bob), key=str) == sorted([named, private, private], key=str)
    for account in (ada, admin):
        assert sorted(lines(account)) == sorted([named, commissioner, played])


def test_a_hosted_game_is_in_the_queue_and_in_the_profile_of_its_host(
    app: FastAPI, client: TestClient, clock: Any, token: str, ada: Any, bob: Any
) -> None:
    game = put_coworld(app, clock, ada)
    page = read(client, f"/coworlds/{game}")
    assert page["can_play"] is True
    created = client.post("/v2/coworlds/play/session", json={"coworld_id": game}, headers=bob.headers)
    assert created.status_code == 200, created.text
    session_id = created.json()["session_id"]
    [line] = read(client, "/profile", bob)["hosted"]
    assert (line["url"], line["kind"], line["status"]) == (f"/observatory/play/{session_id}", "play", "open")
    assert read(client, "/profile", ada)["hosted"] == []
    client.post(f"/v2/coworlds/play/session/{session_id}/join", headers=bob.headers)
    client.post(f"/v2/coworlds/play/session/{session_id}/start", headers=bob.headers)
    jobs = [(job["kind"], job["title"], job["url"]) for job in read(client, "/queue", bob)["queued"]]
    assert jobs == [("hosted_game", "People play paintarena", f"/observatory/play/{session_id}")]
    [other] = read(client, "/queue")["queued"]
    assert (other["title"], other["url"]) == ("People play paintarena", None)
