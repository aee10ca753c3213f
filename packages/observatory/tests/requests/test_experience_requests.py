"""Ask for episodes: who gets a seat, what is refused, what becomes of a request, and how it is cancelled."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from observatory.database.tables.coworlds import Visibility
from observatory.database.tables.policies import SelectionScope
from packages.observatory.tests.leagues.field import Field
from packages.observatory.tests.requests.conftest import MANIFEST, Arena

SWEEP = {"game_player": "sweep"}


def seats(request: Any) -> list[list[str]]:
    return [[seat["policy_name"] for seat in row["participants"]] for row in request["episodes"]]


@pytest.fixture
def game(arena: Arena, account: Any) -> str:
    return arena.coworld(account("carol"))


@pytest.fixture
def league(arena: Arena, account: Any, bob: Any) -> dict[str, Any]:
    """A league of Paint Arena with three champions; `best` won the last round."""
    field = Field(arena.world, arena.client)
    field.coworld(account("carol"), "paintarena", manifest=MANIFEST)
    league_id = field.seed(account("carol"), "paintarena")["league_id"]
    versions = {}
    for name in ("best", "second", "third"):
        versions[name] = arena.policy(account(name), name)
        answer = field.submit(account(name), league_id, versions[name])
        assert answer.json()["status"] == "placed", answer.text
    scores = {versions["best"]: 9.0, versions["second"]: 5.0, versions["third"]: 1.0}
    field.round(field.division(league_id), scores)
    return {"league_id": league_id, "versions": versions}


def test_a_request_is_queued_as_a_whole_and_shows_what_was_asked(arena: Arena, game: str, ada: Any) -> None:
    arena.policy(ada)
    newest = arena.policy(ada)
    roster = [SWEEP, {"player": {"policy_ref": "mine"}, "slot": 0}]
    request = arena.ask(ada, game, roster, num_episodes=3, variant_id="quick", title="Try", notes="n")
    assert seats(request) == [["mine", "sweep"]] * 3
    assert {row["participants"][0]["policy_version_id"] for row in request["episodes"]} == {str(newest)}
    assert (request["episode_count"], request["pending_count"], request["title"]) == (3, 3, "Try")
    assert request["requested"]["notes"] == "n" and request["coworld_name"] == "paintarena"
    [listed] = arena.get(ada, "/v2/experience-requests")["entries"]
    assert listed["id"] == request["id"] and "episodes" not in listed
    page = arena.get(ada, f"/v2/experience-requests/{request['id']}/episode-requests", limit=2)
    rest = arena.get(ada, f"/v2/experience-requests/{request['id']}/episode-requests", cursor=page["next_cursor"])
    ids = {entry["id"] for entry in (*page["entries"], *rest["entries"])}
    assert ids == {row["id"] for row in request["episodes"]} and rest["next_cursor"] is None
    assert {row["env_config_name"] for row in request["episodes"]} == {"quick"}
    config = arena.get(ada, f"/v2/episode-requests/{request['episodes'][0]['id']}")["game_config"]
    assert config["lockstep"] and "tokens" not in config


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"roster": [{"player": SWEEP}]}, "the game has 2 seats, not 1"),
        ({"variant_id": "no-such"}, "there is no variant 'no-such'; there are: default, small"),
        ({"game_config_overrides": {"tokens": ["a", "b"]}}, "must not have `tokens`"),
        ({"game_config_overrides": {"players": [{"name": "secret://coworld/x/y"}]}}, "must not refer to a secret"),
        ({"game_config_overrides": {"max_ticks": 0}}, "game_config is invalid at max_ticks"),
        ({"game_config_overrides": {"unknown": 1}}, "game_config is invalid at config"),
        ({"game_config_overrides": {"players": [{"name": "only one"}]}}, "must fit"),
        ({"roster": [{"player": {"policy_ref": "nobodys"}}] * 2}, "There is no policy 'nobodys' that you may seat"),
        ({"roster": [{"player": {"policy_ref": "theirs"}}] * 2}, "There is no policy 'theirs' that you may seat"),
        ({"roster": [{"player": {"game_player": "x"}}] * 2}, "The game has no player 'x'; it has: sweep"),
        ({"roster": [{"player": {"top_n": 1}}] * 2}, "`top_n` draws from a league; name one in `target`"),
        ({"roster": [{"player": {"random": True}}] * 2}, "`random` draws from a league"),
        ({"roster": [{"player": SWEEP, "slot": 0}] * 2}, "Slot 0 is in the roster twice"),
        ({"roster": [{"player": SWEEP, "slot": 5}, {"player": SWEEP}]}, "Slot 5 does not exist"),
        ({"coworld_id": None}, "Say what to play"),
        ({"coworld_id": "cow_x"}, "'cow_x' is not the id of a Coworld"),
        ({"target": {"league_name": "none"}}, "There is no league 'none'"),
        ({"target": {"division_name": "none"}}, "`division_name` needs `league_id` or `league_name`"),
        ({"state": {"mode": "head"}}, "plays episodes without `state`"),
    ],
)
def test_what_cannot_be_played_is_refused_in_one_sentence(
    arena: Arena, game: str, ada: Any, bob: Any, change: dict[str, Any], says: str
) -> None:
    arena.policy(bob, "theirs")
    body = {"coworld_id": game, "roster": [{"player": SWEEP}] * 2, **change}
    answer = arena.client.post("/v2/experience-requests", json=body, headers=ada.headers)
    assert answer.status_code == 400 and says in answer.json()["detail"], answer.text
    assert arena.get(ada, "/v2/experience-requests")["total_count"] == 0
    assert arena.client.get("/jobs", headers=ada.headers).json() == []


@pytest.mark.any_database
@pytest.mark.parametrize(
    "body",
    [
        {"requester": "ada", "opponents": ["x"], "num_episodes": 1},
        {"coworld_id": "cow_x", "roster": []},
        {"coworld_id": "cow_x", "roster": [{"player": {"policy_ref": "a", "random": True}}]},
        {"coworld_id": "cow_x", "roster": [{"player": {}}]},
        {"coworld_id": "cow_x", "roster": [{"player": SWEEP}], "num_episodes": 101},
        {"coworld_id": "cow_x", "roster": [{"player": SWEEP}], "num_episodes": 0},
    ],
)
def test_a_malformed_request_is_422(client: TestClient, ada: Any, body: dict[str, Any]) -> None:
    assert client.post("/v2/experience-requests", json=body, headers=ada.headers).status_code == 422


def test_a_policy_of_another_user_has_a_seat_if_its_owner_says_so(arena: Arena, game: str, ada: Any, bob: Any) -> None:
    version = arena.policy(bob, "theirs", scope=SelectionScope.ANY_REQUEST)
    assert seats(arena.ask(ada, game, [{"policy_ref": "theirs:v1"}, SWEEP])) == [["theirs", "sweep"]]
    assert seats(arena.ask(ada, game, [{"policy_ref": str(version)}, SWEEP])) == [["theirs", "sweep"]]
    arena.policy(ada, "theirs")
    [row] = arena.ask(ada, game, [{"policy_ref": "theirs"}, SWEEP])["episodes"]
    assert row["policy_version_ids"] != [str(version)]  # one's own comes first


def test_a_private_game_is_played_by_its_owner_only(arena: Arena, ada: Any, bob: Any) -> None:
    game = arena.coworld(ada, visibility=Visibility.PRIVATE)
    arena.ask(ada, game, [SWEEP] * 2)
    refusal = arena.ask(bob, game, [SWEEP] * 2, status=400)
    assert refusal["detail"] == f"There is no Coworld {game}"


def test_a_league_gives_its_best_in_turn_and_its_members_at_random(
    arena: Arena, league: dict[str, Any], ada: Any
) -> None:
    target = {"target": {"league_id": league["league_id"]}}
    request = arena.ask(ada, None, [{"top_n": 2}, {"top_n": 2, "distinct": True}], num_episodes=4, **target)
    assert sorted(map(tuple, seats(request))) == [("best", "second")] * 2 + [("second", "best")] * 2
    request = arena.ask(ada, None, [{"random": True}, {"random": True, "distinct": True}], num_episodes=20, **target)
    assert {name for row in seats(request) for name in row} == {"best", "second", "third"}
    assert all(first != second for first, second in seats(request))
    one = {"player": {"policy_ref": "third"}}
    assert seats(arena.ask(ada, None, [one, {"top_n": 1}], target={"league_name": "main"})) == [["third", "best"]]
    assert request["coworld_name"] == "paintarena"


def test_an_empty_division_has_no_best(arena: Arena, account: Any, ada: Any) -> None:
    field = Field(arena.world, arena.client)
    field.coworld(account("carol"), "paintarena", manifest=MANIFEST)
    league_id = field.seed(account("carol"), "paintarena")["league_id"]
    target = {"target": {"league_id": league_id}}
    refusal = arena.ask(ada, None, [SWEEP, {"top_n": 3}], status=400, **target)
    assert "Seat 1 cannot be drawn: the competition division of 'Main' has no champion" in refusal["detail"]
    refusal = arena.ask(ada, None, [SWEEP, {"random": True}], status=400, **target)
    assert "has no live member" in refusal["detail"]


def test_a_user_may_have_a_number_of_unfinished_episodes(app: FastAPI, arena: Arena, game: str, ada: Any) -> None:
    app.state.settings.max_requested_episodes_per_user = 3
    arena.ask(ada, game, [SWEEP] * 2, num_episodes=2)
    refusal = arena.ask(ada, game, [SWEEP] * 2, status=429, num_episodes=2)
    assert refusal["detail"] == "You have 2 episodes that are not over yet; with these there would be more than 3"


def test_a_request_follows_its_episodes_to_the_end(arena: Arena, game: str, token: str, ada: Any) -> None:
    request = arena.ask(ada, game, [SWEEP] * 2, num_episodes=2)

    def state() -> tuple[str, list[str], list[int]]:
        row = arena.get(ada, f"/v2/experience-requests/{request['id']}")
        counts = ("pending", "submitted", "running", "completed", "failed")
        return row["status"], [episode["status"] for episode in row["episodes"]], [row[f"{n}_count"] for n in counts]

    assert state() == ("pending", ["pending", "pending"], [2, 0, 0, 0, 0])
    first = arena.lease(token)
    assert first["spec"]["manifest"]["game"]["name"] == MANIFEST["game"]["name"]
    assert state() == ("pending", ["submitted", "pending"], [1, 1, 0, 0, 0])
    arena.beat(first)
    assert state() == ("running", ["running", "pending"], [1, 0, 1, 0, 0])
    arena.finish(first)
    assert state() == ("running", ["completed", "pending"], [1, 0, 0, 1, 0])
    error = {"error_type": "game_unhealthy", "message": "the game ended with exit code 3"}
    arena.finish(arena.lease(token), {}, error)
    assert state() == ("completed", ["completed", "failed"], [0, 0, 0, 1, 1])
    row = arena.get(ada, f"/v2/experience-requests/{request['id']}/episodes")[1]
    assert (row["error_type"], row["failed_policy_index"], row["replay_url"]) == ("game_unhealthy", None, None)
    assert arena.lease(token) is None


def test_an_episode_that_a_machine_lost_is_played_again(arena: Arena, game: str, token: str, ada: Any) -> None:
    request = arena.ask(ada, game, [SWEEP] * 2)
    for attempt in range(3):
        [row] = arena.get(ada, f"/v2/experience-requests/{request['id']}")["episodes"]
        assert row["status"] == "pending", attempt
        arena.release(arena.lease(token), "the player never started", "player_never_started")
    [row] = arena.get(ada, f"/v2/experience-requests/{request['id']}")["episodes"]
    assert (row["status"], row["error_type"]) == ("failed", "player_never_started")


def test_cancelling_ends_what_waits_and_lets_the_rest_finish(arena: Arena, game: str, token: str, ada: Any) -> None:
    request = arena.ask(ada, game, [SWEEP] * 2, num_episodes=3)
    path = f"/v2/experience-requests/{request['id']}"
    played, lost = arena.lease(token), arena.lease(token)
    answers = [arena.client.post(f"{path}/cancel", headers=ada.headers) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]  # the second changes nothing
    assert answers[0].json() == answers[1].json()
    row = answers[0].json()
    assert row["status"] == "cancelled"
    assert [episode["status"] for episode in row["episodes"]] == ["submitted", "submitted", "cancelled"]
    assert arena.lease(token) is None
    arena.finish(played)
    arena.release(lost, "the machine failed")  # a second attempt would come after the cancellation
    assert arena.lease(token) is None
    row = arena.get(ada, path)
    assert row["status"] == "cancelled"
    assert [episode["status"] for episode in row["episodes"]] == ["completed", "cancelled", "cancelled"]
    bulk = arena.get(ada, "/v2/episode-requests", ids=request["id"])["entries"]
    assert {entry["evidence_state"] for entry in bulk} == {"sealed"}


def test_a_finished_request_cannot_be_cancelled(arena: Arena, game: str, token: str, ada: Any, bob: Any) -> None:
    request = arena.ask(ada, game, [SWEEP] * 2)
    path = f"/v2/experience-requests/{request['id']}/cancel"
    assert arena.client.post(path, headers=bob.headers).status_code == 404
    lease = arena.lease(token)
    arena.finish(lease)
    answer = arena.client.post(path, headers=ada.headers)
    assert answer.status_code == 409
    assert answer.json()["detail"] == "The request is completed and cannot be cancelled any more"


def test_finishing_twice_counts_once(arena: Arena, game: str, token: str, ada: Any) -> None:
    version = arena.policy(ada)
    request = arena.ask(ada, game, [{"policy_ref": "mine"}, {"policy_ref": "mine"}])
    lease = arena.lease(token)
    arena.finish(lease)
    before = arena.get(ada, f"/v2/experience-requests/{request['id']}")
    arena.finish(lease, {})
    assert _without_urls(arena.get(ada, f"/v2/experience-requests/{request['id']}")) == _without_urls(before)
    [row] = before["episodes"]
    assert row["scores"] == [{"policy_version_id": str(version), "score": 4.0}]  # the mean of both seats
    assert len(arena.get(ada, "/episodes", policy_version_id=str(version))) == 1


def _without_urls(request: Any) -> Any:
    return {**request, "episodes": [{**row, "replay_url": None} for row in request["episodes"]]}
