"""Friendly matches: asked for, answered, played by a worker, and counted nowhere."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from observatory.database.tables.jobs import Job
from observatory.job_states import Priority
from observatory.store import job_key
from packages.observatory.tests.social.test_notices import notices
from packages.observatory.tests.world import World

API = "/observatory/api/friendlies"


@pytest.fixture
def pair(world: World, ada: Any, bob: Any) -> tuple[uuid.UUID, uuid.UUID]:
    """A season, and a policy of each user."""
    world.season()
    return world.version(ada, "mine"), world.version(bob, "theirs")


def challenge(
    client: TestClient, account: Any, mine: uuid.UUID, theirs: uuid.UUID, mission: str = "season:open"
) -> Any:
    body = {"policy_version_id": str(mine), "opponent_version_id": str(theirs), "mission": mission}
    return client.post(API, json=body, headers=account.headers)


def answer(client: TestClient, account: Any, friendly_id: str, verb: str) -> Any:
    return client.post(f"{API}/{friendly_id}/{verb}", headers=account.headers)


def read(client: TestClient, friendly_id: str, account: Any = None) -> Any:
    return client.get(f"{API}/{friendly_id}", headers={} if account is None else account.headers)


def job_of(world: World, page: dict[str, Any]) -> Job:
    with world.database.read() as session:
        return session.get_one(Job, uuid.UUID(page["job_id"]))


def rule(client: TestClient, account: Any, value: str) -> None:
    path = "/observatory/api/notices/settings"
    assert client.put(path, json={"challenges": value}, headers=account.headers).status_code == 200


def test_a_challenge_is_asked_accepted_played_and_told_to_both(
    client: TestClient, world: World, ada: Any, bob: Any, pair: tuple[uuid.UUID, uuid.UUID]
) -> None:
    mine, theirs = pair
    made = challenge(client, ada, mine, theirs)
    assert made.status_code == 200, made.text
    friendly_id = made.json()["id"]
    assert made.json()["status"] == "asked" and made.json()["can_withdraw"]
    assert read(client, friendly_id).status_code == 404  # nothing to see for others yet
    [asked] = notices(client, bob)
    assert asked["title"] == "ada with mine v1 challenges theirs v1"
    assert asked["url"] == f"/observatory/friendlies/{friendly_id}"
    assert read(client, friendly_id, bob).json()["can_answer"]
    assert answer(client, bob, friendly_id, "accept").status_code == 200
    assert notices(client, ada)[0]["title"] == "bob accepted your challenge"
    page = read(client, friendly_id).json()
    assert page["status"] == "waiting" and [row["policy"]["name"] for row in page["players"]] == ["mine", "theirs"]
    job = job_of(world, page)
    assert job.priority == Priority.FRIENDLY < Priority.REST and job.stored_spec["assignments"] == [0, 0, 1, 1]
    queue = client.get("/observatory/api/queue").json()["queued"]
    assert [(row["kind"], row["title"]) for row in queue] == [("friendly", "mine v1 – theirs v1")]
    before = client.get("/observatory/api/seasons/open/table").json()["rows"]
    assert page["watch_url"] is None
    with world.database.transaction() as session:
        world._started_job(session, job.id)
    assert friendly_id in read(client, friendly_id).json()["watch_url"]
    assert client.get("/observatory/api/queue").json()["running"][0]["is_live"]
    world.finish(job.id, [1.0, 2.0, 5.0, 6.0])
    page = read(client, friendly_id).json()
    assert page["status"] == "completed" and [row["score"] for row in page["players"]] == [1.5, 5.5]
    assert page["replay_url"] == f"/episodes/{page['episode_id']}/replay.json.z"
    assert f"page=%2Fobservatory%2Ffriendlies%2F{friendly_id}" in page["viewer_url"]
    assert "seed" not in page
    assert client.get(page["replay_url"]).status_code == 307  # public
    for account in (ada, bob):
        newest = notices(client, account)[0]
        assert newest["title"] == "A friendly match was played"
        assert newest["text"] == "mine v1 1.5, theirs v1 5.5 in Open"
    assert client.get("/observatory/api/seasons/open/table").json()["rows"] == before
    assert client.get(f"{API}/{friendly_id}/card.png").headers["content-type"] == "image/png"
    framed = client.get(f"/observatory/embed/friendlies/{friendly_id}")
    assert framed.status_code == 200 and page["episode_id"] in framed.text
    shown = client.get(f"{API}/of-policy/{theirs}").json()
    assert [row["id"] for row in shown] == [friendly_id]


def test_the_owner_of_a_policy_decides_about_challenges(
    client: TestClient, ada: Any, bob: Any, admin: Any, pair: tuple[uuid.UUID, uuid.UUID]
) -> None:
    mine, theirs = pair
    rule(client, bob, "refuse")
    assert challenge(client, ada, mine, theirs).status_code == 403
    options = client.get(f"{API}/options/{theirs}", headers=ada.headers).json()
    assert options["why_not"] == "The owner of this policy takes no challenges"
    rule(client, bob, "accept")
    at_once = challenge(client, ada, mine, theirs).json()
    assert at_once["status"] == "waiting"
    assert notices(client, bob)[0]["title"] == "ada with mine v1 plays a friendly match against theirs v1"
    rule(client, bob, "ask")
    asked = challenge(client, ada, mine, theirs).json()["id"]
    for account in (ada, admin):
        assert answer(client, account, asked, "accept").status_code == 403
    assert answer(client, bob, asked, "withdraw").status_code == 403
    assert answer(client, bob, asked, "decline").status_code == 200
    assert notices(client, ada)[0]["title"] == "bob declined your challenge"
    assert answer(client, bob, asked, "accept").status_code == 409
    assert read(client, asked).status_code == 404 and read(client, asked, ada).json()["status"] == "declined"


def test_challenges_expire_and_are_limited(
    app: FastAPI, client: TestClient, ada: Any, bob: Any, pair: tuple[uuid.UUID, uuid.UUID], clock: Any
) -> None:
    mine, theirs = pair
    app.state.settings.max_open_friendlies_per_user, app.state.settings.friendlies_per_day = 2, 3
    first, second = (challenge(client, ada, mine, theirs).json()["id"] for _ in range(2))
    assert challenge(client, ada, mine, theirs).status_code == 409
    assert answer(client, ada, first, "withdraw").status_code == 200
    assert challenge(client, ada, mine, theirs).status_code == 200
    assert answer(client, ada, second, "withdraw").status_code == 200
    assert challenge(client, ada, mine, theirs).status_code == 429
    clock.advance(8 * 86400)
    rows = client.get(API, headers=bob.headers).json()
    assert [row["expired"] for row in rows] == [True, False, False] and not rows[0]["can_answer"]
    assert answer(client, bob, rows[0]["id"], "accept").status_code == 409
    assert [challenge(client, ada, mine, theirs).status_code for _ in range(2)] == [200, 200]


def test_only_own_playable_policies_and_listed_games_are_taken(
    app: FastAPI, client: TestClient, world: World, ada: Any, bob: Any, pair: tuple[uuid.UUID, uuid.UUID]
) -> None:
    mine, theirs = pair
    world.season(name="secret", display_name="Secret", public=False)
    app.state.settings.friendly_missions = ["arena:2"]
    options = client.get(f"{API}/options/{theirs}", headers=ada.headers).json()
    assert [mission["key"] for mission in options["missions"]] == ["season:open", "mission:arena"]
    assert [policy["name"] for policy in options["policies"]] == ["mine"] and options["why_not"] is None
    assert challenge(client, ada, theirs, mine).status_code == 403
    assert challenge(client, ada, mine, mine).status_code == 400
    assert challenge(client, ada, mine, uuid.uuid4()).status_code == 404
    for mission in ("season:secret", "mission:machina", "open"):
        assert challenge(client, ada, mine, theirs, mission).status_code == 400, mission
    listed = challenge(client, ada, mine, theirs, "mission:arena")
    assert listed.status_code == 200, listed.text
    assert [row["num_agents"] for row in listed.json()["players"]] == [1, 1]
    other = world.version(ada, "second")
    own = challenge(client, ada, mine, other)
    assert own.json()["status"] == "waiting" and notices(client, ada) == []


def test_a_failed_match_names_the_policy_at_fault(
    client: TestClient, world: World, ada: Any, bob: Any, pair: tuple[uuid.UUID, uuid.UUID]
) -> None:
    mine, theirs = pair
    rule(client, bob, "accept")
    page = read(client, challenge(client, ada, mine, theirs).json()["id"]).json()
    from observatory.job_states import JobStatus
    from observatory.jobs.schemas import ErrorInfo
    from observatory.jobs.service import Ending, end

    with world.database.transaction() as session:
        error = ErrorInfo(error_type="policy_error", message="it broke", failed_policy_index=1)
        job = world._started_job(session, uuid.UUID(page["job_id"]))
        end(session, job, Ending(JobStatus.FAILED, error=error), now=world.clock())
    page = read(client, page["id"]).json()
    assert page["status"] == "failed" and [row["to_blame"] for row in page["players"]] == [False, True]
    assert notices(client, bob)[0]["title"] == "A friendly match failed"
    world.app.state.store.put(job_key(job.id, "policy_agent_2.txt"), b"for bob alone\n")
    path = f"{API}/{page['id']}/explanation"
    [failure] = client.get(path, headers=ada.headers).json()["failures"]
    assert (failure["name"], failure["message"], failure["log"]) == ("theirs:v1", "it broke", None)
    [failure] = client.get(path, headers=bob.headers).json()["failures"]
    assert failure["log"]["lines"] == ["for bob alone"]
