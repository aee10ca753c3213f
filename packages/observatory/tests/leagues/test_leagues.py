"""Leagues, divisions and what their owners change, over HTTP."""

from __future__ import annotations

import shlex
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coworld.cli.table import COMMANDS as coworld_commands
from observatory.database.tables.coworlds import Coworld
from observatory.database.tables.leagues import Division, League
from packages.observatory.tests.leagues.field import Field, raw
from softmax.main import COMMANDS as softmax_commands


def test_anonymous_callers_read_public_leagues_and_how_to_enter(client: TestClient, field: Field, ada: Any) -> None:
    coworld = field.coworld(ada)
    league = field.seed(ada)["league_id"]
    [row] = client.get("/api/observatory/v2/leagues").json()
    assert row["id"] == league and row["public"] and row["rounds_paused_at"] is None
    assert row["game"]["coworld_id"] == coworld and row["game"]["coworld_name"] == "paint"
    assert {"forum_markdown_url", "wiki_markdown_url"} <= row.keys()
    assert client.get(f"/v2/leagues/{league}").json() == row
    assert client.get("/v2/leagues", params={"game_id": row["game"]["id"]}).json() == [row]
    assert [game["id"] for game in client.get("/v2/games").json()] == [row["game"]["id"]]
    assert client.get(f"/v2/games/{row['game']['id']}/episodes").json() == {"entries": [], "next_cursor": None}
    guide = client.get(row["participation_url"].removeprefix("http://testserver"))
    assert guide.headers["content-type"].startswith("text/markdown")
    for command in ("softmax login", f"coworld download {coworld}", f"coworld submit my-policy --league {league}"):
        assert command in guide.text


@pytest.mark.any_database
def test_every_command_of_a_guide_is_one_of_our_clients(client: TestClient, league: str) -> None:
    guide = client.get("/v2/participate", params={"league_id": league}).text
    lines = [shlex.split(line)[1:] for line in guide.splitlines() if line.startswith("$ ")]
    programs = {"coworld": coworld_commands, "softmax": softmax_commands}
    assert {line[0] for line in lines} == set(programs) and len(lines) >= 8
    for program, name, *words in lines:
        [entry] = [entry for entry in programs[program] if entry.name == name]
        entry.load().make_context(name, list(words))  # raises on an argument that it does not take


@pytest.mark.any_database
def test_a_guide_shows_names_of_others_as_plain_text(client: TestClient, field: Field, ada: Any) -> None:
    league = field.league(ada, league_name="<script>alert(1)</script> [x](http://evil) `rm`")
    guide = client.get("/v2/participate", params={"league_id": league}).text
    assert r"\<script\>alert(1)\</script\> \[x\](http://evil) \`rm\`" in guide.splitlines()[0]


@pytest.mark.parametrize("kind", ["private", "hidden"])
def test_only_its_owner_members_and_administrators_see_a_private_league(
    client: TestClient, field: Field, ada: Any, bob: Any, admin: Any, kind: str
) -> None:
    league = field.league(ada, private=kind == "private", overrides={"hidden": kind == "hidden"})
    division = field.division(league, ada.headers)
    game = client.get(f"/v2/leagues/{league}", headers=ada.headers).json()["game"]["id"]
    round_ = field.round(division)
    strangers: list[dict[str, str]] = [{}, bob.headers]
    paths = [
        f"/v2/leagues/{league}",
        f"/v2/leagues/{league}/division-ladder",
        f"/v2/participate?league_id={league}",
        f"/v2/divisions/{division}",
        f"/v2/divisions/{division}/leaderboard",
        f"/v2/divisions/{division}/leaderboards",
        f"/v2/games/{game}/episodes",
        f"/v2/rounds/{round_}",
        f"/v2/pools/pool_{raw(round_)}",
    ]
    lists = ["/v2/leagues", "/v2/games", "/v2/divisions", "/v2/pools", "/v2/rounds"]
    for path in paths:
        statuses = [client.get(path, headers=headers).status_code for headers in strangers]
        assert statuses == [404, 404], path
        for account in (ada, admin):
            assert client.get(path, headers=account.headers).status_code == 200, path
    for path in lists:
        for headers in strangers:
            answer = client.get(path, headers=headers).json()
            assert (answer["entries"] if isinstance(answer, dict) else answer) == [], path
        answer = client.get(path, headers=ada.headers).json()
        assert len(answer["entries"] if isinstance(answer, dict) else answer) == 1, path
    # Another user's private league cannot be entered, and whoever plays in a league sees it.
    assert field.submit(bob, league).status_code == 404
    field.enter(ada, league)


def test_a_league_that_becomes_private_disappears_from_the_cache(
    client: TestClient, field: Field, ada: Any, bob: Any, league: str
) -> None:
    assert len(client.get("/v2/leagues", headers=bob.headers).json()) == 1
    [seed] = client.get("/v2/coworld-league-seeds", headers=ada.headers).json()
    path = f"/v2/coworld-league-seeds/{seed['id']}"
    assert client.patch(path, json={"overrides": {"public": False}}, headers=ada.headers).status_code == 200
    assert client.get("/v2/leagues", headers=bob.headers).json() == []
    assert client.get("/v2/leagues").json() == []
    assert len(client.get("/v2/leagues", headers=ada.headers).json()) == 1


@pytest.mark.any_database
def test_strangers_change_nothing(client: TestClient, field: Field, bob: Any, league: str) -> None:
    calls = [
        ("POST", "locks", {"submissions_locked": True, "game_version_locked": True}),
        ("POST", "settings", {}),
        ("PUT", "divisions", {"divisions": []}),
        ("POST", "rounds-paused", {"paused": True}),
        ("POST", "trigger-round", None),
        ("POST", "seed-policies", {"policy_version_ids": [], "count": 0}),
        ("POST", "setup", {"approve": True}),
    ]
    for method, name, body in calls:
        answer = client.request(method, f"/v2/leagues/{league}/{name}", json=body, headers=bob.headers)
        assert answer.status_code == 403, (name, answer.text)


def test_locks_keep_the_time_and_version_of_the_first_call(
    client: TestClient, field: Field, ada: Any, bob: Any, clock: Any, league: str
) -> None:
    path = f"/v2/leagues/{league}/locks"
    body = {"submissions_locked": True, "game_version_locked": True}
    first = client.post(path, json=body, headers=ada.headers).json()
    assert first["locked_game_version"] == first["canonical_game_version"] == "1.0.0"
    assert field.submit(bob, league).status_code == 409
    locked_id = client.get(f"/v2/leagues/{league}").json()["game"]["coworld_id"]
    with field.world.database.transaction() as session:
        session.query(Coworld).update({"canonical": False})
    field.coworld(ada, version="2.0.0")
    clock.advance(60)
    again = client.post(path, json=body, headers=ada.headers).json()
    assert again == {**first, "canonical_game_version": "2.0.0"}
    assert client.get(f"/v2/leagues/{league}").json()["game"]["coworld_id"] == locked_id
    client.post(path, json={"submissions_locked": False, "game_version_locked": False}, headers=ada.headers)
    assert client.get(f"/v2/leagues/{league}").json()["game"]["coworld_id"] != locked_id
    assert client.get(path, headers=bob.headers).json()["locked_game_version"] is None
    field.enter(bob, league)
    assert client.post(path, json={"submissions_locked": True}, headers=ada.headers).status_code == 422


@pytest.mark.any_database
def test_settings_are_validated_and_replaced_by_revision(
    client: TestClient, field: Field, ada: Any, league: str
) -> None:
    path = f"/v2/leagues/{league}/settings"
    first = client.get(path, headers=ada.headers)
    assert first.json()["effective_ladder_config"]["scheduler"]["strategy"] == "swiss_neighbor"
    etag = first.headers["etag"]
    document = {"ladder": {"scheduler": {"strategy": "round_robin"}}, "round_interval_minutes": 10}
    saved = client.post(path, json=document, headers={**ada.headers, "If-Match": etag})
    assert saved.json()["settings"] == document and saved.json()["revision"] == first.json()["revision"] + 1
    stale = client.post(path, json=document, headers={**ada.headers, "If-Match": etag})
    assert stale.status_code == 409 and "revision" in stale.json()["detail"]
    wrong: list[tuple[Any, str]] = [
        ({"ladders": {}}, "ladders"),
        ({"ladder": {"scheduler": {"strategy": "round_robin", "neighbor_window": 1}}}, "neighbor_window"),
        ({"ladder": {"scheduler": {"strategy": "random_fill"}}}, "num_episodes"),
        ({"ladder": {"scheduler": {"strategy": "chess"}}}, "strategy"),
        ({"ladder": {"ranking": {"algorithm": "elo", "half_life_hours": 2}}}, "half_life_hours"),
        ({"ladder": {"continuous": {"enabled": True}}}, "score"),
        ({"ladder": {"divisions": [{"division_id": "div_x"}]}}, "div_"),
        ({"round_interval_minutes": 40321}, "round_interval_minutes"),
    ]
    for body, word in wrong:
        answer = client.post(path, json=body, headers=ada.headers)
        assert answer.status_code == 422 and word in answer.json()["detail"], answer.text
    assert client.get(path, headers=ada.headers).json() == saved.json()


NAMES = st.sampled_from(["Gold", "Silver", "Bronze", "Qualifiers"])
DIVISIONS = st.lists(
    st.fixed_dictionaries(
        {
            "name": NAMES,
            "level": st.integers(-99, 5),
            "type": st.sampled_from(["competition", "staging"]),
            "hidden": st.booleans(),
        }
    ),
    unique_by=lambda division: division["name"],
)


@pytest.mark.any_database
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(lists=st.lists(DIVISIONS, min_size=1, max_size=3))
def test_putting_the_same_divisions_twice_changes_nothing(
    client: TestClient, field: Field, admin: Any, lists: list[list[dict[str, Any]]]
) -> None:
    field.numbers += 1
    league = field.league(admin, f"game {field.numbers}")
    path = f"/v2/leagues/{league}/divisions"

    def rows() -> list[dict[str, Any]]:
        with field.world.database.read() as session:
            divisions = session.query(Division).filter_by(league_id=raw(league)).order_by(Division.id)
            return [{key: value for key, value in vars(row).items() if key[0] != "_"} for row in divisions]

    for divisions in lists:
        first = client.put(path, json={"divisions": divisions}, headers=admin.headers)
        assert first.status_code == 200, first.text
        before = rows()
        field.world.clock.advance(1)  # type: ignore[attr-defined]
        assert client.put(path, json={"divisions": divisions}, headers=admin.headers).json() == first.json()
        assert rows() == before
        shown = {(row["name"], row["level"], row["type"], row["hidden"]) for row in first.json()}
        assert shown == {(row["name"], row["level"], row["type"], row["hidden"]) for row in divisions}


def test_a_division_in_use_cannot_be_left_out(
    client: TestClient, field: Field, ada: Any, bob: Any, league: str
) -> None:
    path, other = f"/v2/leagues/{league}/divisions", {"name": "Other", "level": 5}
    membership = field.enter(bob, league)
    answer = client.put(path, json={"divisions": [other]}, headers=ada.headers)
    assert answer.status_code == 409 and "Competition" in answer.json()["detail"]
    client.post(f"/v2/league-policy-memberships/{membership}/retire", headers=bob.headers)
    field.round(field.division(league), status="running", completed_at=None)
    answer = client.put(path, json={"divisions": [other]}, headers=ada.headers)
    assert answer.status_code == 409 and "round" in answer.json()["detail"]
    twice = client.put(path, json={"divisions": [other, other]}, headers=ada.headers)
    assert twice.status_code == 422
    assert [row["name"] for row in client.get("/v2/divisions").json()] == ["Competition"]


def test_hidden_and_archived_divisions_are_not_shown(client: TestClient, field: Field, ada: Any, league: str) -> None:
    divisions = [{"name": "Open", "level": 1}, {"name": "Secret", "level": 2, "hidden": True}]
    client.put(f"/v2/leagues/{league}/divisions", json={"divisions": divisions}, headers=ada.headers)
    ladder = f"/v2/leagues/{league}/division-ladder"
    assert [(row["name"], row["member_count"]) for row in client.get(ladder).json()] == [("Open", 0)]
    assert [row["name"] for row in client.get(ladder, headers=ada.headers).json()] == ["Secret", "Open"]


@pytest.mark.any_database
def test_a_league_is_paused_and_resumed(client: TestClient, ada: Any, league: str) -> None:
    path = f"/v2/leagues/{league}/rounds-paused"
    for paused in (True, True, False):
        row = client.post(path, json={"paused": paused}, headers=ada.headers).json()
        assert (row["rounds_paused_at"] is not None) is paused
    events = client.get("/v2/competition-events", params={"league_id": league}).json()
    assert [event["event_type"] for event in events] == ["league_resumed", "league_paused"]


@pytest.mark.any_database
def test_a_setup_is_approved_by_the_revision_that_was_read(
    client: TestClient, field: Field, ada: Any, admin: Any, league: str
) -> None:
    path = f"/v2/leagues/{league}/setup"
    preview = client.post(path, json={}, headers=admin.headers).json()
    assert preview["status"] == "ready_for_approval" and preview["proposal"]["variant_id"] == "small"
    assert preview["round_interval_minutes"] == 288 and preview["division_id"].startswith("div_")
    assert client.post(path, json={"approve": True}, headers=admin.headers).status_code == 409
    [seed] = client.get("/v2/coworld-league-seeds", headers=ada.headers).json()
    change = {"default_variant_id": "large"}
    client.patch(f"/v2/coworld-league-seeds/{seed['id']}", json=change, headers=ada.headers)
    approval = {"approve": True, "revision": preview["revision"]}
    assert client.post(path, json=approval, headers=admin.headers).status_code == 409
    approval["revision"] = client.post(path, json={}, headers=admin.headers).json()["revision"]
    done = client.post(path, json=approval, headers=admin.headers).json()
    assert done["status"] == "configured" and done["proposal"]["variant_id"] == "large"
    ladder = client.get(f"/v2/leagues/{league}/settings", headers=ada.headers).json()["effective_ladder_config"]
    assert (ladder["enabled"], ladder["ranking"]["algorithm"]) == (True, "elo")
    assert client.post(path, json={}, headers=admin.headers).json()["status"] == "already_configured"


@pytest.mark.any_database
def test_neutral_seats_are_filled_with_versions_of_the_owner(
    client: TestClient, field: Field, ada: Any, bob: Any, league: str
) -> None:
    path = f"/v2/leagues/{league}/seed-policies"
    own, other = str(field.world.version(ada)), str(field.world.version(bob))
    assert client.get(path, headers=bob.headers).json() == {"policy_version_ids": [], "count": 0}
    body = {"policy_version_ids": [own], "count": 1}
    assert client.post(path, json=body, headers=ada.headers).json() == body
    assert client.get(path, headers=bob.headers).json() == body
    for wrong, status in (
        ({"policy_version_ids": [own], "count": 2}, 422),
        ({"policy_version_ids": [other], "count": 1}, 403),
    ):
        assert client.post(path, json=wrong, headers=ada.headers).status_code == status


@pytest.mark.any_database
def test_what_is_not_offered_yet_is_refused_in_one_sentence(client: TestClient, ada: Any) -> None:
    calls = [
        ("POST", "/v2/counterfactual-evals", 409),
        ("GET", "/v2/counterfactual-evals/cfeval_x", 404),
    ]
    for method, path, status in calls:
        answer = client.request(method, path, json=None if method == "GET" else {}, headers=ada.headers)
        assert answer.status_code == status and "yet" in answer.json()["detail"], (path, answer.text)


@pytest.mark.any_database
def test_clients_get_flags_credits_and_an_empty_feed(client: TestClient, ada: Any) -> None:
    assert client.get("/flags/me", headers=ada.headers).json() == {"flags": {"feed-v1": False}}
    credits = client.get("/usage/me/credits", headers=ada.headers).json()
    assert credits["status"]["next_refill_at"] == "2026-03-02T00:00:00Z"  # newer clients want a date
    assert credits["status"]["enforced"] is False and credits["recent_requests"] == []
    feed = client.get("/v2/coworlds/paint/feed-posts/check", headers=ada.headers)
    assert feed.json() == {"human_name": None, "rounds": [], "sensei_due": None}


@pytest.mark.any_database
def test_ids_of_other_kinds_are_not_found_in_paths_and_malformed_in_queries(client: TestClient, league: str) -> None:
    assert client.get(f"/v2/leagues/div_{raw(league)}").status_code == 404
    assert client.get("/v2/leagues/x").status_code == 404
    assert client.get("/v2/divisions", params={"league_id": "x"}).status_code == 422
    assert client.get("/v2/rounds", params={"division_id": league}).status_code == 422


@pytest.mark.any_database
def test_a_league_without_its_overlay_secret(client: TestClient, field: Field, ada: Any) -> None:
    field.coworld(ada)
    overrides = {"commissioner_config_overlay_secret": "rules", "minimum_champions": 4}
    league = field.seed(ada, overrides=overrides)["league_id"]
    assert client.get(f"/v2/leagues/{league}", headers=ada.headers).json()["commissioner_config"] == {
        "minimum_champions": 4
    }
    with field.world.database.read() as session:
        row = session.get_one(League, raw(league))
        assert row.commissioner_config == overrides
