"""Seeds: leagues that follow what their owners want."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from fastapi.testclient import TestClient

from observatory.database.tables.coworlds import Visibility
from observatory.database.tables.leagues import Round, RoundStatus
from packages.observatory.tests.leagues.field import Field, raw

SEEDS = "/v2/coworld-league-seeds"


def test_a_seed_is_created_once_and_names_may_differ_in_dashes(client: TestClient, field: Field, ada: Any) -> None:
    field.coworld(ada, "paint-arena")
    seed = field.seed(ada, "paint-arena", default_variant_id="small")
    assert seed["league_id"].startswith("league_") and seed["template"] == "commissioner_driven"
    assert field.seed(ada, "Paint_Arena", league_name="Other") == seed
    assert client.get(SEEDS, headers=ada.headers).json() == [seed]
    assert len(client.get("/v2/games").json()) == len(client.get("/v2/leagues").json()) == 1
    old = client.post(SEEDS, json={"coworld_name": "paint-arena", "template": "default"}, headers=ada.headers).json()
    assert (old["league_key"], old["league_name"], old["overrides"]) == ("default", "paint-arena", {})
    assert len(client.get("/v2/games").json()) == 1 and len(client.get("/v2/leagues").json()) == 2


def test_only_the_owner_of_a_coworld_makes_leagues_of_it(
    client: TestClient, field: Field, ada: Any, bob: Any, admin: Any
) -> None:
    field.coworld(ada)
    field.coworld(ada, "secret", visibility=Visibility.PRIVATE)
    body = {"coworld_name": "paint", "league_key": "x"}
    assert client.post(SEEDS, json=body).status_code == 401
    assert client.post(SEEDS, json=body, headers=bob.headers).status_code == 403
    assert client.post(SEEDS, json={"coworld_name": "secret"}, headers=bob.headers).status_code == 404
    missing = client.post(SEEDS, json={"coworld_name": "nothing"}, headers=ada.headers)
    assert missing.status_code == 404 and "coworld upload-coworld" in missing.json()["detail"]
    made = client.post(SEEDS, json=body, headers=admin.headers).json()
    # The league belongs to the owner of the game, whoever made it.
    locks = {"submissions_locked": True, "game_version_locked": False}
    answer = client.post(f"/v2/leagues/{made['league_id']}/locks", json=locks, headers=ada.headers)
    assert answer.status_code == 200
    assert [seed["id"] for seed in client.get(SEEDS, headers=ada.headers).json()] == [made["id"]]
    assert client.get(SEEDS, headers=bob.headers).json() == []
    assert client.patch(f"{SEEDS}/{made['id']}", json={}, headers=bob.headers).status_code == 404
    assert client.patch(f"{SEEDS}/lseed_{uuid.uuid4()}", json={}, headers=ada.headers).status_code == 404


@pytest.mark.any_database
def test_a_league_follows_its_seed(client: TestClient, field: Field, ada: Any) -> None:
    field.coworld(ada)
    overrides = {"commissioner_key": "container", "minimum_champions": 4}
    seed = field.seed(ada, league_key="default", default_variant_id="small", overrides=overrides)
    path = f"/v2/leagues/{seed['league_id']}"
    assert client.get(path).json()["commissioner_key"] == "container"
    changed = client.patch(f"{SEEDS}/{seed['id']}", json={"overrides": {"x": 1}}, headers=ada.headers).json()
    assert changed["overrides"] == {"commissioner_key": "container", "x": 1}
    assert changed["default_variant_id"] == "small"
    assert client.get(path).json()["commissioner_config"] == {"x": 1}
    by_name = client.patch(f"{SEEDS}/paint", json={"default_variant_id": None}, headers=ada.headers).json()
    assert by_name["default_variant_id"] is None and by_name["overrides"] == changed["overrides"]
    for body in (
        {"overrides": {"commissioner_key": "nobody"}},
        {"overrides": {"game": {"token": "secret://coworld/paint/key"}}},
        {"overrides": {"hidden": "yes"}},
        {"default_variant_id": "huge"},
    ):
        answer = client.patch(f"{SEEDS}/{seed['id']}", json=body, headers=ada.headers)
        assert answer.status_code == 422, answer.text
    wrong = client.post(SEEDS, json={"coworld_name": "paint", "template": "chess"}, headers=ada.headers)
    assert wrong.status_code == 422 and "four_score" in wrong.json()["detail"]


def test_there_is_one_game_of_the_week(client: TestClient, field: Field, ada: Any, admin: Any) -> None:
    assert client.get("/v2/leagues/game-of-week").json() is None
    field.coworld(ada)
    first, second = field.seed(ada, league_key="one"), field.seed(ada, league_key="two")
    assert client.put(f"{SEEDS}/{first['id']}/game-of-week", headers=ada.headers).status_code == 403
    for seed in (first, second):
        assert client.put(f"{SEEDS}/{seed['id']}/game-of-week", headers=admin.headers).status_code == 200
        assert client.get("/v2/leagues/game-of-week").json()["id"] == seed["league_id"]
    assert sum(league["is_game_of_week"] for league in client.get("/v2/leagues").json()) == 1
    body = {"coworld_name": "paint", "league_key": "three", "overrides": {"is_game_of_week": True}}
    assert client.post(SEEDS, json=body, headers=ada.headers).status_code == 403
    third = client.post(SEEDS, json=body, headers=admin.headers).json()
    assert client.get("/v2/leagues/game-of-week").json()["id"] == third["league_id"]


def test_leagues_move_to_other_games_all_or_none(
    client: TestClient, field: Field, ada: Any, bob: Any, league: str
) -> None:
    field.coworld(ada, "chess")
    [first] = client.get(SEEDS, headers=ada.headers).json()
    second = field.seed(ada, league_key="other")
    field.enter(bob, league)
    swap = [
        {"seed_id": first["id"], "coworld_name": "paint", "league_key": "other"},
        {"seed_id": second["id"], "coworld_name": "chess", "league_key": "main"},
    ]
    preview = client.post(f"{SEEDS}/rebind", json={"dry_run": True, "changes": swap}, headers=ada.headers).json()
    assert not preview["applied"] and [row["blocking_reasons"] for row in preview["results"]] == [[], []]
    assert preview["results"][0]["counts"] == {"divisions": 1, "memberships": 1, "submissions": 1, "active_rounds": 0}
    assert preview["results"][1]["proposed"]["effective_variant_id"] == "small"
    round_ = field.round(field.division(league), status="running", completed_at=None)
    commit = {"dry_run": False, "changes": swap}
    blocked = client.post(f"{SEEDS}/rebind", json=commit, headers=ada.headers).json()
    assert not blocked["applied"] and "rounds" in blocked["results"][0]["blocking_reasons"][0]
    assert client.get(f"/v2/leagues/{second['league_id']}").json()["game"]["coworld_name"] == "paint"
    taken = [{"seed_id": first["id"], "coworld_name": "paint", "league_key": "other"}]
    answer = client.post(f"{SEEDS}/rebind", json={"dry_run": True, "changes": taken}, headers=ada.headers).json()
    assert any("already" in reason for reason in answer["results"][0]["blocking_reasons"])
    assert client.post(f"{SEEDS}/rebind", json=commit, headers=bob.headers).status_code == 404
    with field.world.database.transaction() as session:
        session.get_one(Round, raw(round_)).status = RoundStatus.COMPLETED
    done = client.post(f"{SEEDS}/rebind", json=commit, headers=ada.headers).json()
    assert done["applied"]
    assert client.get(f"/v2/leagues/{second['league_id']}").json()["game"]["coworld_name"] == "chess"
    keys = {
        seed["id"]: (seed["coworld_name"], seed["league_key"]) for seed in client.get(SEEDS, headers=ada.headers).json()
    }
    assert keys == {first["id"]: ("paint", "other"), second["id"]: ("chess", "main")}
    assert len(field.members(league)) == 1
