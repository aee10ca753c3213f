"""Calls 7-11: tables and progress, computed from matches."""

import pytest
from fastapi.testclient import TestClient

from packages.observatory.tests.world import FREEPLAY, TEAM, World


def test_the_weighted_table_of_a_hand_made_set_of_matches(client: TestClient, world: World, ada, bob) -> None:
    world.season()
    first, second = world.version(ada, "first"), world.version(bob, "second")
    # scores: first 1.0 with 2 of 4 agents, then 4.0 with 1 of 4; second 3.0 and 2.0
    world.play(world.match("open", "competition", [(first, 2), (second, 2)]), [1, 1, 2, 4])
    world.play(world.match("open", "competition", [(first, 1), (second, 3)]), [4, 1, 2, 3])
    world.match("open", "competition", [(first, 2), (second, 2)], repetition=1)  # not played yet: does not count

    table = client.get("/tournament/seasons/open/leaderboard").json()

    assert [(row["rank"], row["policy"]["name"], row["matches"]) for row in table] == [
        (1, "second", 2),
        (2, "first", 2),
    ]
    assert table[0]["score"] == pytest.approx((3.0 * 0.5 + 2.0 * 0.75) / 1.25)
    assert table[1]["score"] == pytest.approx((1.0 * 0.5 + 4.0 * 0.25) / 0.75)
    assert table[1]["score_stddev"] == pytest.approx((0.5 * (1 - 2) ** 2 + 0.25 * (4 - 2) ** 2) ** 0.5 / 0.75**0.5)
    assert table[1]["score_percentiles"] == {"30": 1.0, "60": 1.0, "90": 4.0}
    assert client.get("/tournament/seasons/open/leaderboard/policy/competition").json() == table
    assert client.get("/tournament/seasons/open/leaderboard?pool=qualifying").json() == []
    assert client.get("/tournament/seasons/open/leaderboard?pool=nowhere").status_code == 404


def test_progress_and_final_placements_belong_to_team_seasons(client: TestClient, world: World) -> None:
    world.season()
    progress = client.get("/tournament/seasons/open/progress")
    assert (progress.status_code, progress.json()) == (400, {"detail": "Progress not available for this season type"})
    assert client.get("/tournament/seasons/open/score-policies-leaderboard").status_code == 400
    assert client.get("/tournament/seasons/open/leaderboard/score-policies/competition").status_code == 400
    assert client.get("/tournament/seasons/open/leaderboard/nonsense/competition").status_code == 422


def test_a_team_season_from_its_start_to_its_placements(client: TestClient, world: World, ada, admin) -> None:
    world.season(TEAM)
    phase = client.get("/tournament/seasons/teams/progress").json()
    assert phase["started"] is False and phase["phase"] == "policy_eval"
    assert [stage["status"] for stage in phase["stage_flow"]] == ["active", "pending", "pending", "pending"]

    assert client.post("/tournament/seasons/teams/start", headers=ada.headers).status_code == 403
    assert client.post("/tournament/seasons/teams/start", headers=admin.headers).json()["started"] is True
    assert client.post("/tournament/seasons/teams/start", headers=admin.headers).status_code == 409

    def phase_now() -> str:
        return client.get("/tournament/seasons/teams/progress").json()["phase"]

    first, second = world.version(ada, "first"), world.version(ada, "second")
    for version, reward in ((first, 3.0), (second, 1.0)):
        world.play(world.match("teams", "stage-1", [(version, 4)]), [reward] * 4)
    assert phase_now() == "policy_eval"  # no policy has advanced yet
    world.enter("teams", "sample-1", [first, second])
    assert phase_now() == "sample_teams"
    world.team("teams", "team-round-1", [first, second])
    detail = client.get("/tournament/seasons/teams/progress").json()["phase_detail"]
    assert phase_now() == "team_eval" and detail == {"pool": "team-round-1", "stage_index": 3}
    world.team("teams", "team-round-2", [first, second], score=2.0)
    assert phase_now() == "score_policies"
    world.enter("teams", "policy-scores-1", [first, second])
    done = client.get("/tournament/seasons/teams/progress").json()
    assert done["phase"] == "complete" and done["phase_detail"] == {}
    assert {stage["status"] for stage in done["stage_flow"]} == {"complete"}


def test_teams_are_listed_by_round_and_score_and_can_be_filtered(client: TestClient, world: World, ada) -> None:
    world.season(TEAM)
    first, second = world.version(ada, "first"), world.version(ada, "second")
    low = world.team("teams", "team-round-1", [first, first], score=1.0, eliminated=True)
    high = world.team("teams", "team-round-1", [first, second], score=2.0)
    final = world.team("teams", "team-round-2", [second, first], score=2.0)
    world.play(world.match("teams", "team-round-1", [(first, 2), (second, 2)], team=high), [2, 2, 2, 2])

    response = client.get("/tournament/seasons/teams/teams?limit=2")
    assert [team["id"] for team in response.json()] == [str(final), str(high)]
    assert response.headers["X-Total-Count"] == "3"
    assert response.json()[1]["matches"] == 1
    assert response.json()[1]["cogs"][1] == {
        "position": 1,
        "policy": {"id": str(second), "name": "second", "version": 1},
    }

    def ids(query: str) -> list[str]:
        return [team["id"] for team in client.get(f"/tournament/seasons/teams/teams?{query}").json()]

    assert ids("eliminated=true") == [str(low)]
    assert ids("pool_name=team-round-2") == [str(final)]
    assert set(ids(f"policy_version_id={second}")) == {str(high), str(final)}
    board = client.get("/tournament/seasons/teams/leaderboard/team/team-round-1").json()
    assert [team["id"] for team in board] == [str(high), str(low)]


def test_placements_add_the_best_ranks_and_count_missing_ones_as_one_after_the_last(
    client: TestClient, world: World, ada
) -> None:
    world.season(TEAM)
    first, second = world.version(ada, "first"), world.version(ada, "second")
    third = world.version(ada, "third")
    world.team("teams", "team-round-2", [first, second], score=5.0)
    world.team("teams", "team-round-2", [first, third], score=4.0)
    assert client.get("/tournament/seasons/teams/score-policies-leaderboard").json() == []

    world.enter("teams", "policy-scores-1", [first, second, third])
    table = client.get("/tournament/seasons/teams/score-policies-leaderboard").json()

    assert [(row["policy"]["name"], row["placement_score"], row["team_ranks"]) for row in table] == [
        ("first", 3.0, [1, 2]),
        ("second", 4.0, [1]),
        ("third", 5.0, [2]),
    ]
    assert [row["rank"] for row in table] == [1, 2, 3]
    assert client.get("/tournament/seasons/teams/leaderboard/score-policies/policy-scores-1").json() == table
    assert client.get("/tournament/seasons/teams/leaderboard/score-policies/stage-1").status_code == 400
    by_default = client.get("/tournament/seasons/teams/leaderboard").json()
    assert [row["score"] for row in by_default] == [3.0, 4.0, 5.0]
    progress = client.get("/tournament/seasons/teams/progress").json()
    assert progress["stages"][-1]["name"] == "policy-scores-1" and progress["stages"][-1]["policy_count"] == 3


def test_a_season_without_matches_has_an_empty_table(client: TestClient, world: World) -> None:
    world.season(FREEPLAY)
    world.season(TEAM)
    for season in ("open", "teams"):
        assert client.get(f"/tournament/seasons/{season}/leaderboard").json() == []
