"""The data of episode pages: what happened, whose fault it was, and who may read what."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fastapi.testclient import TestClient

from observatory.database.tables.policies import SelectionScope
from observatory.pages.faults import FaultKind, fault_kind
from packages.observatory.tests.requests.conftest import QUICK, RESULTS, Arena

API = "/observatory/api"
SEATS = [{"policy_ref": "mine"}, {"policy_ref": "other"}]


@pytest.fixture
def asked(arena: Arena, ada: Any, bob: Any, account: Any) -> dict[str, Any]:
    """An episode that ada asked for, of carol's game, with policies of ada's and bob's."""
    game = arena.coworld(account("carol"))
    mine, other = arena.policy(ada), arena.policy(bob, "other", scope=SelectionScope.ANY_REQUEST)
    [row] = arena.ask(ada, game, SEATS, variant_id="quick-small", game_config_overrides=QUICK, title="A duel")[
        "episodes"
    ]
    return {"id": row["id"], "game": game, "mine": str(mine), "other": str(other)}


def page(arena: Arena, account: Any, asked: dict[str, Any], status: int = 200) -> Any:
    return arena.get(account, f"{API}/episodes/{asked['id']}", status)


def test_an_episode_says_who_won_and_shows_each_viewer_what_they_may_read(
    arena: Arena, asked: dict[str, Any], token: str, ada: Any, bob: Any, account: Any
) -> None:
    waiting = page(arena, ada, asked)
    assert (waiting["status"], waiting["sentence"]) == ("pending", "Waits for a free worker")
    assert waiting["replay"] == {
        "kind": "none",
        "download_url": None,
        "why": "The replay is available after the episode",
    }
    assert waiting["files"] == [] and waiting["runs"] == [] and not waiting["sees_results"]
    lease = arena.lease(token)
    arena.beat(lease)
    assert page(arena, ada, asked)["sentence"] == "The game is running"
    files = {
        "results.json": json.dumps(RESULTS).encode(),
        "replay": b"replay",
        "game.log": b"started",
        "policy_agent_0.log": b"ada's thoughts",
        "policy_agent_1.log": b"bob's thoughts",
    }
    arena.finish(lease, files)

    own = page(arena, ada, asked)
    assert own["sentence"] == "other v1 won with 5, ahead of mine v1 with 3"
    assert [(seat["name"], seat["score"], seat["rank"], seat["mine"]) for seat in own["seats"]] == [
        ("mine v1", 3.0, 2, True),
        ("other v1", 5.0, 1, False),
    ]
    assert own["seats"][0]["policy"]["id"] == asked["mine"] and own["seats"][0]["has_log"]
    assert (own["request_title"], own["requester"], own["seed"]) == ("A duel", "ada", own["seed"])
    assert own["coworld"]["variant"] == "Small in lockstep" and own["coworld"]["id"] == asked["game"]
    assert (own["attempts"], own["sees_results"], own["may_run_roles"]) == (1, True, True)
    assert own["results_schema"]["required"] == ["scores", "painted_tiles", "ticks"]
    assert "tokens" not in own["game_config"]
    titles = [file["title"] for file in own["files"]]
    assert titles == ["Results", "Replay", "Game log", "Log of seat 0"]
    for file in own["files"]:
        assert arena.client.get(file["url"], headers=ada.headers).status_code == 200, file
    assert own["replay"]["kind"] == "hosted"

    theirs = page(arena, bob, asked)
    assert [file["title"] for file in theirs["files"]] == ["Results", "Replay", "Game log", "Log of seat 1"]
    assert theirs["request_id"] is None and theirs["request_title"] is None
    page(arena, None, asked, 404)
    page(arena, account("eve"), asked, 404)
    arena.get(None, f"{API}/episodes/{asked['id']}/frames", 404)


def test_a_players_token_does_not_get_the_cached_page_of_its_user(
    arena: Arena, asked: dict[str, Any], client: TestClient, ada: Any
) -> None:
    page(arena, ada, asked)
    player = client.post("/players", json={"name": "stranger"}, headers=ada.headers).json()
    session = client.post(f"/players/{player['id']}/login", headers=ada.headers)
    headers = {"X-Auth-Token": session.json()["token"]}
    assert client.get(f"{API}/episodes/{asked['id']}", headers=headers).status_code == 404


def test_a_failed_episode_names_the_seat_at_fault_and_why(
    arena: Arena, asked: dict[str, Any], token: str, ada: Any
) -> None:
    error = {"error_type": "policy_error", "message": "the program ended with status 1", "failed_policy_index": 1}
    arena.finish(arena.lease(token), {}, error)
    failed = page(arena, ada, asked)
    assert failed["sentence"] == "other v1 forfeited: its program failed in seat 1"
    assert failed["fault"] == {
        "kind": "policy",
        "seat": 1,
        "error_type": "player_error",
        "message": "the program ended with status 1",
    }
    assert [seat["at_fault"] for seat in failed["seats"]] == [False, True]
    assert failed["replay"]["why"] == "The episode ended before a replay was recorded"
    [details] = failed["files"]
    assert (details["title"], arena.get(ada, details["url"])["failed_policy_index"]) == ("Error details", 1)


@pytest.mark.parametrize(
    ("error_type", "seat", "kind"),
    [
        ("player_error", 0, FaultKind.POLICY),
        ("player_error", None, FaultKind.UNKNOWN),
        ("results_malformed", None, FaultKind.GAME),
        ("oom", 1, FaultKind.GAME),
        ("episode_timeout", None, FaultKind.UNKNOWN),
        ("node_disruption", None, FaultKind.SERVER),
        ("player_never_started", 1, FaultKind.SERVER),
    ],
)
def test_only_a_player_error_with_a_seat_blames_a_policy(error_type: str, seat: int | None, kind: FaultKind) -> None:
    assert fault_kind(error_type, seat) is kind


def test_an_unknown_or_foreign_episode_has_no_page(arena: Arena, asked: dict[str, Any], client: TestClient) -> None:
    accept = {"Accept": "text/html"}
    assert client.get(f"/observatory/episodes/{asked['id']}", headers=accept).status_code == 404
    assert arena.get(None, f"{API}/episodes/nonsense", 404)["detail"]
