"""Lobbies over HTTP: seats, revisions, keys, permissions, and the game as an episode."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fastapi.testclient import TestClient

from observatory.hosting.loop import HostedLoop
from observatory.operations.sweeping import expire
from packages.observatory.tests.coworlds.games import game
from packages.observatory.tests.hosting.conftest import Arcade, observe, wait_for
from packages.observatory.tests.leagues.field import Field
from packages.observatory.tests.world import World


@pytest.fixture
def league(world: World, client: TestClient, ada: Any) -> str:
    """A league of Paint Arena; its id."""
    field = Field(world, client)
    manifest = game("paint")
    manifest["variants"][0]["game_config"] |= {"lockstep": False, "max_ticks": 30, "tick_rate": 20}
    field.coworld(ada, manifest=manifest)
    return str(field.seed(ada)["league_id"])


class Lobbies:
    """Calls the routes of lobbies."""

    def __init__(self, client: Any, league: str) -> None:
        self.client, self.league = client, league

    def create(self, account: Any, key: str = "first", **fields: Any) -> Any:
        path = f"/v2/leagues/{self.league}/lobbies"
        return self.client.post(path, json={"idempotency_key": key, **fields}, headers=account.headers)

    def read(self, account: Any, lobby: Any) -> dict[str, Any]:
        document: dict[str, Any] = self.client.get(f"/v2/lobbies/{lobby['id']}", headers=account.headers).json()
        return document

    def act(self, account: Any, lobby: Any, action: str, method: str = "POST", **body: Any) -> Any:
        path = f"/v2/lobbies/{lobby['id']}/{action}".rstrip("/")
        return self.client.request(method, path, json=body or None, headers=account.headers)

    def seat(self, account: Any, lobby: Any, position: int, kind: str, **fields: Any) -> Any:
        revision = fields.pop("expected_revision", None) or self.read(account, lobby)["revision"]
        return self.act(account, lobby, f"seats/{position}", "PUT", kind=kind, expected_revision=revision, **fields)


@pytest.fixture
def lobbies(client: TestClient, league: str) -> Lobbies:
    return Lobbies(client, league)


def kinds(lobby: dict[str, Any]) -> list[str]:
    return [seat["kind"] for seat in lobby["seats"]]


def test_the_host_has_the_first_seat_the_newest_champion_the_second_and_keys_make_one_lobby(
    lobbies: Lobbies, client: TestClient, world: World, league: str, ada: Any, bob: Any
) -> None:
    access = f"/v2/leagues/{league}/lobby-access"
    assert client.get(access, headers=bob.headers).json() == {"allowed": True, "reason": None}
    assert kinds(lobbies.create(ada, "without members").json()) == ["human", "random"]
    Field(world, client).enter(ada, league)
    lobby = lobbies.create(bob).json()
    assert lobby["status"] == "draft" and lobby["revision"] == 1 and kinds(lobby) == ["human", "league_player"]
    assert lobby["seats"][0]["is_me"] and lobby["seats"][1]["player_name"] == "ada"
    assert lobby["permissions"] == {key: key != "can_end_game" for key in lobby["permissions"]}
    assert lobbies.create(bob).json()["id"] == lobby["id"]
    refused = lobbies.create(bob, "second")
    assert refused.status_code == 409 and "lobby already" in refused.json()["detail"]
    assert client.get(access, headers=bob.headers).json()["allowed"] is False
    assert not any(lobbies.read(ada, lobby)["permissions"].values())


def test_every_edit_raises_the_revision_and_a_wrong_one_is_refused(lobbies: Lobbies, ada: Any, bob: Any) -> None:
    lobby = lobbies.create(ada).json()
    assert lobbies.seat(ada, lobby, 1, "human_open").json()["revision"] == 2
    stale = lobbies.seat(ada, lobby, 1, "closed", expected_revision=1)
    assert stale.status_code == 409 and "revision 2" in stale.json()["detail"]
    claimed = lobbies.act(bob, lobby, "seats/1/claim").json()
    assert claimed["revision"] == 3 and claimed["seats"][1]["claimant_label"] == "bob" and claimed["seats"][1]["is_me"]
    assert lobbies.act(bob, lobby, "seats/0/claim").status_code == 409
    assert lobbies.act(bob, lobby, "seats/9/claim").status_code == 404
    assert lobbies.seat(bob, lobby, 1, "random").status_code == 403
    assert lobbies.act(bob, lobby, "start", idempotency_key="k", expected_revision=3).status_code == 403
    assert lobbies.act(bob, lobby, "leave").json()["seats"][1]["claimant_label"] is None
    assert lobbies.act(bob, lobby, "leave").status_code == 409
    removed = lobbies.act(ada, lobby, "seats/0/player", "DELETE").json()
    assert removed["seats"][0]["kind"] == "human" and not removed["seats"][0]["is_me"]
    unclaimed = lobbies.act(ada, lobby, "start", idempotency_key="k", expected_revision=removed["revision"])
    assert unclaimed.status_code == 409 and "waits for a person" in unclaimed.json()["detail"]
    assert lobbies.seat(ada, lobby, 1, "league_player", player_id="ply_none").status_code == 400
    assert lobbies.seat(ada, lobby, 1, "league_player").status_code == 400
    edited = lobbies.act(ada, lobby, "", "PATCH", expected_revision=removed["revision"], num_players=3)
    assert edited.status_code == 400 and "seats" in edited.json()["detail"]
    assert lobbies.act(ada, lobby, "cancel").json()["status"] == "cancelled"
    assert lobbies.act(ada, lobby, "cancel").json()["status"] == "cancelled"
    assert lobbies.act(ada, lobby, "end").status_code == 409


def test_a_draft_expires_and_starting_twice_with_one_key_starts_one_game(
    lobbies: Lobbies, world: World, ada: Any, bob: Any, clock: Any
) -> None:
    old = lobbies.create(bob).json()
    clock.advance(3601)
    state = world.app.state
    HostedLoop(state.database, state.settings, clock, state.tunnels)._check({})
    assert lobbies.read(bob, old)["status"] == "expired"
    lobby = lobbies.create(ada).json()
    body = {"idempotency_key": "go", "expected_revision": lobby["revision"]}
    started = lobbies.act(ada, lobby, "start", **body).json()
    again = lobbies.act(ada, lobby, "start", **body).json()
    assert started["status"] == "pending" and started["episode_request_id"] == again["episode_request_id"]
    assert lobbies.act(ada, lobby, "start", **{**body, "idempotency_key": "other"}).status_code == 409
    assert started["play_url"] and started["watch_url"] != started["play_url"]
    assert lobbies.read(bob, lobby)["play_url"] is None
    ended = lobbies.act(ada, lobby, "end").json()
    assert ended["status"] == "ended" and ended["error"] == "The host ended the game" and ended["play_url"] is None
    row = lobbies.client.get(f"/v2/episode-requests/{started['episode_request_id']}", headers=ada.headers).json()
    assert row["status"] == "failed" and row["participants"][0]["kind"] == "human"
    assert row["participants"][0]["name"] == "ada"


@pytest.mark.any_database
def test_the_game_of_a_lobby_is_an_episode_with_a_replay_that_can_be_watched_on_the_server(
    arcade: Arcade, token: str, league: str, ada: Any, bob: Any, account: Any
) -> None:
    lobbies = Lobbies(arcade.http, league)
    lobby = lobbies.create(ada).json()
    with arcade.working(token):
        lobbies.act(ada, lobby, "launch")
        playing = wait_for(lambda: (row := lobbies.read(ada, lobby))["status"] == "running" and row)
        with arcade.socket(playing["play_url"].replace("http", "ws", 1) + "player") as mine:
            state = observe(mine)
            while not state["done"]:
                mine.send(json.dumps({"move": "down"}))
                state = observe(mine)
        ended = wait_for(lambda: (row := lobbies.read(bob, lobby))["status"] == "ended" and row)
        assert ended["error"] is None and ended["replay_url"] and ended["episode_id"]
        episode = f"/v2/episode-requests/{ended['episode_request_id']}"
        assert arcade.http.get(f"{episode}/artifacts/results", headers=ada.headers).status_code == 200
        assert arcade.http.get(episode, headers=bob.headers).status_code == 404
        assert arcade.http.get(ended["replay_url"].replace("http://testserver", "")).status_code == 200
        body = {"coworld_id": lobby["coworld_id"], "replay_uri": ended["replay_url"]}
        shown = arcade.call("POST", "/v2/coworlds/replays/session", ada, body)
        again = arcade.call("POST", "/v2/coworlds/replays/session", ada, body)
        assert shown["viewer_url"] == again["viewer_url"] and not shown["ready"]
        page = wait_for(lambda: (answer := arcade.http.get(shown["viewer_url"])).status_code == 307 and answer)
        html = arcade.http.get(page.headers["location"])
        assert html.status_code == 200 and "replay.js" in html.text
        with arcade.socket(shown["viewer_url"].replace("http", "ws", 1) + "replay") as watching:
            assert observe(watching)["type"] == "replay"


def test_ended_games_and_lobbies_are_removed_after_a_month_and_open_ones_stay(
    lobbies: Lobbies, client: TestClient, world: World, ada: Any, bob: Any, clock: Any
) -> None:
    state = world.app.state
    sweep = lambda: expire(state.database, state.store, state.settings, clock())  # noqa: E731
    coworld = lobbies.create(ada).json()["coworld_id"]
    sessions = "/v2/coworlds/play/session"
    first, second = (
        client.post(sessions, json={"coworld_id": coworld}, headers=ada.headers).json()["session_id"] for _ in range(2)
    )
    assert client.post(f"{sessions}/{first}/end", headers=ada.headers).json()["status"] == "ended"
    lobby = lobbies.create(bob).json()
    assert lobbies.act(bob, lobby, "cancel").json()["status"] == "cancelled"

    def statuses() -> list[int]:
        paths = (f"{sessions}/{first}", f"{sessions}/{second}", f"/v2/lobbies/{lobby['id']}")
        return [client.get(path, headers=bob.headers).status_code for path in paths]

    clock.advance(29 * 86400)
    sweep()
    assert statuses() == [200, 200, 200]
    clock.advance(2 * 86400)
    sweep()
    assert statuses() == [404, 200, 404]
    sweep()
