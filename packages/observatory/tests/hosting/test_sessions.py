"""Play sessions over HTTP: seats, variants, spectators, limits and the time of the start."""

from __future__ import annotations

from typing import Any

from fastapi.testclient import TestClient
from sqlalchemy import select

from observatory.database.tables.jobs import Job
from observatory.hosting import games
from observatory.hosting.loop import IDLE, NOT_STARTED, RESTARTED, TOO_LONG, HostedLoop
from observatory.hosting.tunnels import Tunnels
from observatory.public_ids import parse_public_id
from packages.observatory.tests.coworlds.games import game, put_coworld
from packages.observatory.tests.world import World

SESSION = "/v2/coworlds/play/session"


def create(client: TestClient, account: Any, coworld: str, **fields: Any) -> dict[str, Any]:
    answer = client.post(SESSION, json={"coworld_id": coworld, **fields}, headers=account.headers)
    assert answer.status_code == 200, answer.text
    document: dict[str, Any] = answer.json()
    return document


def call(client: TestClient, account: Any, session: Any, action: str, method: str = "POST", **body: Any) -> Any:
    path = f"{SESSION}/{session['session_id']}/{action}".rstrip("/")
    return client.request(method, path, json=body or None, headers=account.headers)


def loop_of(world: World) -> HostedLoop:
    state = world.app.state
    return HostedLoop(state.database, state.settings, world.clock, state.tunnels)


def test_joiners_get_free_seats_in_order_and_the_same_seat_again(
    client: TestClient, paint: str, ada: Any, bob: Any, account: Any, world: World
) -> None:
    session = create(client, ada, paint, variant_id="small", allow_spectators=False)
    assert session["variant_id"] == "small" and session["global_url"] is None
    first = call(client, bob, session, "join").json()
    assert (first["entrant_kind"], first["slot"], first["player"]["label"]) == ("player", 0, "bob")
    assert call(client, bob, session, "join").json()["target_url"] == first["target_url"]
    seen = call(client, ada, session, "", "GET").json()
    assert [seat["kind"] for seat in seen["seats"]] == ["person", "free"] and seen["status"] == "open"
    assert seen["starts_at"] and seen["can_manage"] and seen["can_join"]
    assert call(client, ada, session, "join").json()["slot"] == 1
    carol = account("carol")
    refused = call(client, carol, session, "join")
    assert refused.status_code == 409 and "no spectators" in refused.json()["detail"]
    assert call(client, ada, session, "", "GET").json()["status"] == "starting"  # all seats are taken
    body = {"kind": "spectators", "allow_spectators": True}
    assert call(client, ada, session, "config", "PUT", **body).json()["global_url"]
    watching = call(client, carol, session, "join").json()
    assert watching["entrant_kind"] == "spectator" and watching["slot"] is None
    late = call(client, ada, session, "config", "PUT", kind="variant", variant_id="default")
    assert late.status_code == 409 and "started already" in late.json()["detail"]


def test_only_the_owner_configures_and_ends_a_session_and_others_need_to_see_its_game(
    client: TestClient, app: Any, clock: Any, ada: Any, bob: Any, paint: str
) -> None:
    session = create(client, ada, paint)
    for action, method, body in (
        ("config", "PUT", {"kind": "variant", "variant_id": "small"}),
        ("start", "POST", {}),
        ("end", "POST", {}),
    ):
        assert call(client, bob, session, action, method, **body).status_code == 403
    unknown = call(client, ada, session, "config", "PUT", kind="variant", variant_id="none")
    assert unknown.status_code == 400 and "small" in unknown.json()["detail"]
    assert call(client, ada, session, "config", "PUT", kind="variant", variant_id="small").json()["player_count"] == 2
    assert call(client, ada, session, "end").json()["status"] == "ended"
    assert call(client, bob, session, "join").status_code == 410
    private = put_coworld(app, clock, ada, "private", visibility="private")
    hidden = create(client, ada, private)
    assert call(client, bob, hidden, "join").status_code == 404
    hosted = game("selfish")
    hosted["game"]["player_runtime"] = "game-hosted"
    selfish = put_coworld(app, clock, ada, "selfish", manifest=hosted)
    refused = client.post(SESSION, json={"coworld_id": selfish}, headers=ada.headers)
    assert refused.status_code == 409 and "unsupported_runtime" in refused.json()["detail"]


def test_a_person_and_the_server_have_limits_which_ended_games_release(
    client: TestClient, world: World, ada: Any, bob: Any, paint: str, clock: Any
) -> None:
    settings = world.app.state.settings
    settings.max_hosted_games_per_user, settings.max_hosted_games, settings.hosted_games_per_hour = 2, 3, 4
    first, _ = create(client, ada, paint), create(client, ada, paint)
    refused = client.post(SESSION, json={"coworld_id": paint}, headers=ada.headers)
    assert refused.status_code == 409 and "2 hosted games" in refused.json()["detail"]
    create(client, bob, paint)
    full = client.post(SESSION, json={"coworld_id": paint}, headers=bob.headers)
    assert full.status_code == 429 and full.headers["retry-after"]
    for _ in range(2):
        assert call(client, ada, first, "end").status_code == 200
        first = create(client, ada, paint)
    assert call(client, ada, first, "end").status_code == 200
    often = client.post(SESSION, json={"coworld_id": paint}, headers=ada.headers)
    assert often.status_code == 429 and "in an hour" in often.json()["detail"]
    clock.advance(3601)
    create(client, ada, paint)


def test_a_session_starts_some_seconds_after_the_last_person_joined_with_the_games_own_players(
    client: TestClient, world: World, ada: Any, paint: str, clock: Any
) -> None:
    session = create(client, ada, paint)
    joined = call(client, ada, session, "join").json()
    page = client.get(joined["target_url"])
    assert page.status_code == 200 and "1 of 2 seats" in page.text and page.headers["refresh"] == "2"
    loop_of(world)._check({})
    assert call(client, ada, session, "", "GET").json()["status"] == "open"
    clock.advance(21)
    loop_of(world)._check({})
    seen = call(client, ada, session, "", "GET").json()
    assert seen["status"] == "starting" and [seat["kind"] for seat in seen["seats"]] == ["person", "program"]
    with world.database.read() as rows:
        job = rows.scalars(select(Job).where(Job.job_type == "hosted")).one()
        assert job.stored_spec["people"] == [0] and job.stored_spec["game_players"] == [None, "sweep"]
        assert "token" not in str(job.stored_spec).lower()


def test_games_that_wait_run_or_idle_too_long_are_ended_and_so_are_those_of_an_earlier_process(
    client: TestClient, world: World, ada: Any, paint: str, clock: Any
) -> None:
    def ended(session: Any) -> str:
        return str(call(client, ada, session, "", "GET").json()["error"])

    def run(session: Any) -> Any:
        call(client, ada, session, "start")
        with world.database.transaction() as rows:
            row = rows.get_one(games.HostedGame, parse_public_id("ps", session["session_id"]))
            games.mark_running(rows, row, now=clock())
            return row.job_id

    waiting = create(client, ada, paint)
    clock.advance(3601)
    loop_of(world)._check({})
    assert ended(waiting) == NOT_STARTED
    long, idle, lost = create(client, ada, paint), create(client, ada, paint), create(client, ada, paint)
    jobs = [run(session) for session in (idle, lost)]
    loop_of(world)._check({jobs[0]: 301.0})
    assert ended(idle) == IDLE
    loop = HostedLoop(world.database, world.app.state.settings, clock, Tunnels(), lost_seconds=0)
    loop._end_lost({})
    assert ended(lost) == RESTARTED
    run(long)
    clock.advance(3601)
    loop_of(world)._check({})
    assert ended(long) == TOO_LONG
