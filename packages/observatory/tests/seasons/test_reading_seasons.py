"""Calls 3-6, 13, 15, 16, 21 and 22: public facts about seasons."""

from datetime import datetime

from fastapi.testclient import TestClient

from packages.observatory.tests.world import FREEPLAY, TEAM, World


def test_the_overall_default_comes_first_and_private_seasons_are_hidden(
    client: TestClient, world: World, ada, admin
) -> None:
    world.season(FREEPLAY, name="a-other", is_default=False)
    world.season(TEAM)
    world.season(FREEPLAY)
    world.season(FREEPLAY, name="hidden", is_default=False, public=False)

    names = [season["name"] for season in client.get("/tournament/seasons").json()]
    assert names == ["open", "teams", "a-other"]
    assert client.get("/tournament/seasons/hidden").status_code == 404
    assert client.get("/tournament/seasons/hidden", headers=ada.headers).status_code == 404
    assert client.get("/tournament/seasons/hidden", headers=admin.headers).status_code == 200
    seasons = client.get("/tournament/seasons", headers=admin.headers).json()
    assert "hidden" in [season["name"] for season in seasons]


def test_a_season_has_all_documented_fields_with_their_types(client: TestClient, world: World, ada) -> None:
    world.season(FREEPLAY)
    first, second = world.version(ada, "one"), world.version(ada, "two")
    world.play(world.match("open", "competition", [(first, 2), (second, 2)]), [1, 1, 2, 2])

    season = client.get("/tournament/seasons/open").json()

    expected = {
        "id": str,
        "name": str,
        "display_name": str,
        "version": int,
        "canonical": bool,
        "summary": str,
        "game_description": (str, type(None)),
        "entry_pool": str,
        "leaderboard_pool": str,
        "is_default": bool,
        "status": str,
        "compat_version": str,
        "created_at": str,
        "public": bool,
        "tournament_type": str,
        "auto_roll_hour_utc": (int, type(None)),
        "pools": list,
        "started_at": str,
        "seed": type(None),
        "entrant_count": int,
        "active_entrant_count": int,
        "match_count": int,
        "stage_count": int,
    }
    assert set(season) == set(expected)
    for name, kind in expected.items():
        assert isinstance(season[name], kind), name
    assert season["entrant_count"] == 2 and season["match_count"] == 1 and season["status"] == "in_progress"
    assert [pool["name"] for pool in season["pools"]] == ["qualifying", "competition"]
    assert datetime.fromisoformat(season["created_at"]).tzinfo is not None


def test_a_reference_may_name_a_version_and_means_the_canonical_one_without(client: TestClient, world: World) -> None:
    world.season(FREEPLAY)
    world.season(FREEPLAY, display_name="Open again")

    for reference, version in (("open", 2), ("open:v1", 1), ("open:1", 1), ("open:v2", 2)):
        assert client.get(f"/tournament/seasons/{reference}").json()["version"] == version
    assert client.get("/tournament/seasons/open:v3").status_code == 404
    versions = client.get("/tournament/seasons/open/versions").json()
    assert [(row["version"], row["canonical"]) for row in versions] == [(2, True), (1, False)]
    assert [season["version"] for season in client.get("/tournament/seasons").json()] == [2]


def test_the_config_of_a_pool_and_404_where_nothing_is_played(client: TestClient, world: World) -> None:
    world.season(TEAM)
    document = client.get("/tournament/seasons/teams/pools/stage-1/config").json()
    assert document["pool_name"] == "stage-1" and document["game_engine"] == "mettagrid"
    assert document["config"]["game"]["num_agents"] == 4
    for pool in ("sample-1", "policy-scores-1", "nowhere"):
        assert client.get(f"/tournament/seasons/teams/pools/{pool}/config").status_code == 404

    pools = client.get("/tournament/seasons/teams").json()["pools"]
    assert client.get(f"/tournament/configs/{pools[0]['config_id']}").json() == document["config"]


def test_the_policies_of_a_season_newest_first_with_their_pools(
    client: TestClient, world: World, clock, ada, bob
) -> None:
    world.season()
    first = world.version(ada, "first")
    world.enter("open", "qualifying", [first])
    clock.advance(60)
    second = world.version(bob, "second")
    match = world.match("open", "qualifying", [(second, 4)])
    world.fail(match)

    rows = client.get("/tournament/seasons/open/policies").json()
    assert [row["policy"]["name"] for row in rows] == ["second", "first"]
    assert rows[0]["pools"] == [{"pool_name": "qualifying", "active": True, "completed": 0, "failed": 1, "pending": 0}]
    mine = client.get("/tournament/seasons/open/policies?mine=true", headers=ada.headers).json()
    assert [row["policy"]["id"] for row in mine] == [str(first)]
    assert client.get("/tournament/seasons/open/policies?mine=true").status_code == 401


def test_memberships_of_a_policy_and_of_a_user(client: TestClient, world: World, ada, bob) -> None:
    world.season()
    world.season(FREEPLAY, name="hidden", is_default=False, public=False)
    version = world.version(ada)
    world.enter("open", "qualifying", [version])
    world.enter("hidden", "qualifying", [version])

    history = client.get(f"/tournament/policies/{version}/memberships").json()
    assert [(row["season_name"], row["pool_name"], row["action"]) for row in history] == [("open", "qualifying", "add")]
    mine = client.get("/tournament/my-memberships", headers=ada.headers).json()
    assert mine == {str(version): ["open"]}
    assert client.get("/tournament/my-memberships", headers=bob.headers).json() == {}
    assert client.get("/tournament/my-memberships").status_code == 401


def test_stages_count_policies_and_completed_matches(client: TestClient, world: World, ada) -> None:
    world.season()
    version = world.version(ada)
    world.play(world.match("open", "qualifying", [(version, 4)]), [1, 1, 1, 1])
    world.match("open", "qualifying", [(version, 4)], repetition=1)

    stages = client.get("/tournament/seasons/open/stages").json()
    assert stages[0] == {
        "name": "qualifying",
        "policy_count": 1,
        "match_count": 2,
        "completion_pct": 50.0,
        "team_count": None,
        "eliminated_count": None,
    }
    assert stages[1]["match_count"] == 0 and stages[1]["completion_pct"] == 0.0
