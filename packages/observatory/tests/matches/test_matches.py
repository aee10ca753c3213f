"""Calls 12 and 17-20: matches, and what the owners of their policies may read."""

import uuid

from fastapi.testclient import TestClient

from observatory.store import job_key
from packages.observatory.tests.world import FREEPLAY, World


def test_matches_newest_first_with_any_of_the_policies(client: TestClient, world: World, clock, ada, bob) -> None:
    world.season()
    a, b, c = world.version(ada, "a"), world.version(bob, "b"), world.version(bob, "c")
    matches = []
    for pool, seats in (
        ("qualifying", [(a, 4)]),
        ("competition", [(a, 2), (b, 2)]),
        ("competition", [(b, 1), (c, 3)]),
    ):
        matches.append(str(world.match("open", pool, seats)))
        clock.advance(10)

    def ids(query: str = "") -> list[str]:
        return [row["id"] for row in client.get(f"/tournament/seasons/open/matches?{query}").json()]

    assert ids() == matches[::-1]
    assert ids(f"policy_version_ids={a}") == [matches[1], matches[0]]
    assert ids(f"policy_version_ids={a}&policy_version_ids={c}") == matches[::-1]
    assert ids("pool_names=qualifying") == [matches[0]]
    assert ids("pool_names=qualifying&pool_names=competition&limit=1&offset=2") == [matches[0]]
    response = client.get("/tournament/seasons/open/matches?limit=1")
    assert response.headers["X-Total-Count"] == "3"


def test_a_match_from_its_schedule_to_its_scores(client: TestClient, world: World, ada, bob) -> None:
    world.season()
    a, b = world.version(ada, "a"), world.version(bob, "b")
    match = world.match("open", "competition", [(a, 1), (b, 3)])
    waiting = client.get(f"/tournament/matches/{match}").json()
    assert waiting["status"] == "pending" and waiting["episode"] is None and waiting["job_id"] is not None

    world.play(match, [4.0, 1.0, 2.0, 3.0])

    done = client.get(f"/tournament/matches/{match}").json()
    assert done["status"] == "completed" and done["assignments"] == [0, 1, 1, 1]
    assert [(p["policy"]["name"], p["num_agents"], p["score"]) for p in done["players"]] == [
        ("a", 1, 4.0),
        ("b", 3, 2.0),
    ]
    episode = done["episode"]
    assert episode["id"] == done["episode_id"] and episode["tags"]["match_type"] == "pairing"
    assert [result["avg_reward"] for result in episode["policy_results"]] == [4.0, 2.0]
    listed = client.get("/tournament/seasons/open/matches").json()[0]
    assert listed["episode_id"] == done["episode_id"] and listed["episode"] is None


def test_a_failed_match_says_why_and_has_no_scores(client: TestClient, world: World, ada) -> None:
    world.season()
    match = world.match("open", "qualifying", [(world.version(ada), 4)])
    world.fail(match, "the policy crashed")
    failed = client.get(f"/tournament/matches/{match}").json()
    assert (failed["status"], failed["error"], failed["error_type"]) == ("failed", "the policy crashed", "policy_error")
    assert failed["players"][0]["score"] is None and failed["episode_id"] is None


def test_matches_of_private_seasons_are_hidden(client: TestClient, world: World, ada, admin) -> None:
    world.season(FREEPLAY, public=False)
    match = world.match("open", "qualifying", [(world.version(ada), 4)])
    world.play(match, [1, 1, 1, 1])
    assert client.get(f"/tournament/matches/{match}", headers=ada.headers).status_code == 404
    response = client.get(f"/tournament/matches/{match}", headers=admin.headers)
    assert response.status_code == 200
    episode = response.json()["episode_id"]
    assert client.get(f"/episodes/{episode}").status_code == 404
    assert client.get(f"/episodes/{episode}/replay.json.z").status_code == 404
    assert client.get("/episodes").json() == []


def test_a_match_in_which_a_policy_failed_keeps_its_replay_and_opens_at_the_failure(
    client: TestClient, world: World, ada, bob
) -> None:
    world.season()
    match = world.match("open", "competition", [(world.version(ada, "a"), 2), (world.version(bob, "b"), 2)])
    policy = {"name": "a:v1", "isolation": "namespaces", "start_ms": 1.0, "actions": None}
    runtime = {"policies": [policy | {"status": "crashed", "failed_step": 7}, policy | {"name": "b:v1"}]}
    world.fail(match, "crashed: ValueError: no\nat step 7, mine.py, line 3, in step", runtime=runtime)
    page = client.get(f"/observatory/api/matches/{match}").json()
    assert page["status"] == "failed" and "line 3" in page["error"]
    assert page["viewer_url"].endswith("&tick=7")
    assert client.get(page["replay_url"], follow_redirects=True).content == b"replay"
    document = client.get(f"/tournament/matches/{match}").json()
    assert [player["score"] for player in document["players"]] == [None, None]
    assert document["episode"]["tags"]["failed"] == "policy_error"


def test_logs_are_for_the_owner_and_for_the_agents_its_policy_ran(client: TestClient, world: World, ada, bob) -> None:
    world.season()
    a, b = world.version(ada, "a"), world.version(bob, "b")
    stranger = world.version(ada, "stranger")
    match = world.match("open", "competition", [(a, 2), (b, 2)])
    world.play(match, [1, 2, 3, 4])
    job = world.job_of(match)
    for agent in range(4):
        world.app.state.store.put(job_key(job, f"policy_agent_{agent}.txt"), f"agent {agent}\n".encode())

    path = f"/tournament/matches/{match}/{a}/policy-logs"
    assert client.get(path, headers=ada.headers).json() == ["policy_agent_0.txt", "policy_agent_1.txt"]
    log = client.get(f"{path}/1", headers=ada.headers)
    assert log.text == "agent 1\n" and log.headers["content-type"].startswith("text/plain")
    assert client.get(f"{path}/2", headers=ada.headers).status_code == 403
    assert client.get(path, headers=bob.headers).status_code == 403
    assert client.get(path).status_code == 401
    assert client.get(f"/tournament/matches/{match}/{stranger}/policy-logs", headers=ada.headers).status_code == 403
    assert client.get(f"/tournament/matches/{uuid.uuid4()}/{a}/policy-logs", headers=ada.headers).status_code == 404


def test_every_agent_of_a_policy_gives_access_to_its_log(client: TestClient, world: World, ada, bob) -> None:
    world.season()
    a, b = world.version(ada, "a"), world.version(bob, "b")
    match = world.match("open", "competition", [(a, 2), (b, 2)])
    world.play(match, [1, 2, 3, 4])
    for agent, text in ((0, b"of a\n"), (2, b"of b\n")):
        world.app.state.store.put(job_key(world.job_of(match), f"policy_agent_{agent}.txt"), text)
    path = f"/tournament/matches/{match}/{a}/policy-logs"
    assert client.get(path, headers=ada.headers).json() == ["policy_agent_0.txt"]
    assert [client.get(f"{path}/{agent}", headers=ada.headers).text for agent in (0, 1)] == ["of a\n"] * 2
    assert client.get(f"{path}/2", headers=ada.headers).status_code == 403


def test_artifacts_of_a_match(client: TestClient, world: World, ada, bob) -> None:
    world.season()
    a, b = world.version(ada, "a"), world.version(bob, "b")
    match = world.match("open", "competition", [(a, 2), (b, 2)])
    base = f"/tournament/matches/{match}/{a}/artifacts"
    assert client.get(f"{base}/logs", headers=ada.headers).status_code == 404
    store, job = world.app.state.store, world.job_of(match)
    store.put(job_key(job, "logs.txt"), b"played\n")
    store.put(job_key(job, "error_info.json"), b'{"error_type":"crash","message":"x"}')
    assert client.get(f"{base}/logs", headers=ada.headers).text == "played\n"
    assert client.get(f"{base}/error-info", headers=ada.headers).json()["error_type"] == "crash"
    assert client.get(f"{base}/weights", headers=ada.headers).status_code == 400
    assert client.get(f"{base}/logs", headers=bob.headers).status_code == 403


def test_a_job_that_ends_twice_counts_once(client: TestClient, world: World, ada) -> None:
    from observatory.database.tables.jobs import Job
    from observatory.outcomes import job_changed

    world.season()
    match = world.match("open", "qualifying", [(world.version(ada), 4)])
    world.play(match, [1, 1, 1, 1])
    world.finish(world.job_of(match), [9, 9, 9, 9])
    with world.database.transaction() as session:
        job_changed(session, session.get_one(Job, world.job_of(match)), now=world.clock())
    done = client.get(f"/tournament/matches/{match}").json()
    assert done["players"][0]["score"] == 1.0
    assert len(client.get("/episodes").json()) == 1
