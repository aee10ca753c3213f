"""Calls 29-32: episodes, their replays, and episodes that were played elsewhere."""

import json

import pytest
from fastapi.testclient import TestClient

from packages.observatory.tests.world import World


@pytest.fixture
def played(world: World, ada, bob, clock):
    """Two matches that were played: (first version, second version, matches)."""
    world.season()
    a, b = world.version(ada, "a"), world.version(bob, "b")
    first = world.match("open", "qualifying", [(a, 4)])
    world.play(first, [1, 2, 3, 4])
    clock.advance(60)
    second = world.match("open", "competition", [(b, 1), (a, 3)])
    world.play(second, [5, 1, 1, 1])
    return a, b


def test_episodes_newest_first_and_by_policy_and_tags(client: TestClient, played) -> None:
    a, b = played
    everything = client.get("/episodes")
    assert everything.headers["X-Total-Count"] == "2"
    newest, oldest = everything.json()
    assert newest["created_at"] > oldest["created_at"]

    def count(query: str) -> int:
        return len(client.get(f"/episodes?{query}").json())

    assert count(f"policy_version_id={a}") == 2
    assert count(f"policy_version_id={b}") == 1
    assert count("tags=match_type:pairing") == 2
    assert count(f"tags=match_type:pairing,job_id:{newest['tags']['job_id']}") == 1
    assert count("tags=match_type:other") == 0
    assert count("limit=1&offset=1") == 1
    assert client.get("/episodes?tags=nonsense").status_code == 400


def test_an_episode_has_the_documented_fields(client: TestClient, played) -> None:
    _, b = played
    episode = client.get("/episodes").json()[0]
    assert client.get(f"/episodes/{episode['id']}").json() == episode
    assert set(episode) == {
        "id",
        "replay_url",
        "thumbnail_url",
        "tags",
        "game_stats",
        "policy_results",
        "steps",
        "created_at",
    }
    first, second = episode["policy_results"]
    assert (first["position"], first["policy"], first["num_agents"], first["avg_reward"]) == (
        0,
        {"id": str(b), "name": "b", "version": 1},
        1,
        5.0,
    )
    assert [agent["agent_id"] for agent in second["agents"]] == [1, 2, 3]
    assert second["avg_metrics"] == {"moves": 4.0}
    assert episode["game_stats"] == {"clips": 1.0} and episode["steps"] == 10


def test_the_replay_of_a_public_episode_is_public(client: TestClient, played) -> None:
    episode = client.get("/episodes").json()[0]
    assert episode["replay_url"] == f"http://testserver/episodes/{episode['id']}/replay.json.z"
    answer = client.get(episode["replay_url"], follow_redirects=True)
    assert answer.status_code == 200 and answer.content == b"replay"


def test_the_query_of_the_statistics(client: TestClient, played, ada) -> None:
    a, b = played

    def query(**body) -> list[dict]:
        answer = client.post("/stats/episodes/query", json=body, headers=ada.headers)
        assert answer.status_code == 200, answer.text
        return answer.json()["episodes"]

    newest, oldest = query()
    assert newest["avg_rewards"] == {str(b): 5.0, str(a): 1.0}
    assert [row["id"] for row in query(primary_policy_version_ids=[str(b)])] == [newest["id"]]
    assert [row["id"] for row in query(episode_ids=[oldest["id"]])] == [oldest["id"]]
    assert len(query(tag_filters={"match_type": ["pairing", "other"]})) == 2
    assert len(query(tag_filters={"match_id": None})) == 2
    assert query(tag_filters={"nothing": None}) == []
    assert len(query(limit=1, offset=1)) == 1
    assert client.post("/stats/episodes/query", json={}).status_code == 401


def test_rewards_that_are_not_numbers_do_not_fail(client: TestClient, world: World, ada) -> None:
    world.season()
    match = world.match("open", "qualifying", [(world.version(ada), 4)])
    world.play(match, [None, 1.0, 1.0, 2.0])
    assert client.get(f"/tournament/matches/{match}").json()["players"][0]["score"] == 1.0
    assert client.get("/episodes").status_code == 200


def test_episodes_played_elsewhere_are_uploaded_as_json_lines(client: TestClient, world: World, ada, bob) -> None:
    version = world.version(ada)
    line = {
        "policies": [{"policy_version_id": str(version), "agents": [{"agent_id": 0, "reward": 2.5}]}],
        "tags": {"source": "laptop"},
        "replay_url": "https://example.com/replay.json.z",
    }

    def upload(account, content: str):
        begun = client.post("/stats/episodes/bulk_upload/presigned-url", headers=account.headers).json()
        put = client.put(begun["upload_url"], content=content, headers={"Content-Type": "application/octet-stream"})
        assert put.status_code == 200
        path = "/stats/episodes/bulk_upload/complete"
        return lambda: client.post(path, json={"upload_id": begun["upload_id"]}, headers=account.headers)

    complete = upload(ada, json.dumps(line) + "\n" + json.dumps(line))
    assert complete().json()["episodes_created"] == 2
    assert complete().status_code == 400
    assert upload(bob, json.dumps(line))().status_code == 403
    broken = upload(ada, json.dumps(line) + "\n{}")()
    assert broken.status_code == 400 and "Line 2" in broken.json()["detail"]
    rows = client.get("/episodes?tags=source:laptop").json()
    assert len(rows) == 2 and rows[0]["replay_url"] == "https://example.com/replay.json.z"
