"""Call 14: every reason to refuse a policy, and the one way in."""

import uuid

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from observatory.database.tables.seasons import Season
from packages.observatory.tests.world import FREEPLAY, TEAM, World


@pytest.fixture
def submit(client: TestClient):
    def submit(account, season: str, version: uuid.UUID):
        return client.post(
            f"/tournament/seasons/{season}/submissions",
            json={"policy_version_id": str(version)},
            headers=account.headers if account else {},
        )

    return submit


def test_a_submission_enters_the_first_pool_and_a_second_is_refused(submit, world: World, ada) -> None:
    world.season()
    version = world.version(ada)
    assert submit(ada, "open", version).json() == {"pools": ["qualifying"]}
    again = submit(ada, "open", version)
    assert again.status_code == 409 and "already" in again.json()["detail"]


def test_refusals(submit, world: World, ada, bob) -> None:
    world.season()
    world.season(FREEPLAY, name="hidden", is_default=False, public=False)
    version = world.version(ada)
    assert submit(None, "open", version).status_code == 401
    assert submit(bob, "open", version).status_code == 403
    assert submit(ada, "nowhere", version).status_code == 404
    assert submit(ada, "hidden", version).status_code == 404
    assert submit(ada, "open", uuid.uuid4()).status_code == 404
    assert submit(ada, "open:v1", version).status_code == 400


def test_a_season_that_has_ended_or_drawn_its_teams_accepts_no_policy(submit, world: World, clock, ada) -> None:
    world.season()
    world.season(TEAM)
    version = world.version(ada)
    world.team("teams", "team-round-1", [version])
    assert submit(ada, "teams", version).status_code == 409
    with world.database.transaction() as session:
        session.scalars(select(Season).where(Season.name == "open")).one().completed_at = clock()
    closed = submit(ada, "open", version)
    assert closed.status_code == 409 and "no more policies" in closed.json()["detail"]


def test_a_version_without_a_bundle_cannot_enter(submit, client: TestClient, world: World, ada) -> None:
    world.season()
    policy = client.post("/stats/policies", json={"name": "words"}, headers=ada.headers).json()["id"]
    version = client.post(f"/stats/policies/{policy}/versions", json={}, headers=ada.headers).json()["id"]
    assert submit(ada, "open", version).status_code == 400


def test_a_retired_member_was_submitted_too(submit, client: TestClient, world: World, clock, ada) -> None:
    from observatory.database.tables.seasons import PoolPlayer
    from observatory.seasons.memberships import remove_member

    world.season()
    version = world.version(ada)
    submit(ada, "open", version)
    with world.database.transaction() as session:
        remove_member(session, session.scalars(select(PoolPlayer)).one(), now=clock(), notes="Too weak")
    assert submit(ada, "open", version).status_code == 409
    history = client.get(f"/tournament/policies/{version}/memberships").json()
    assert [(row["action"], row["notes"]) for row in history] == [("remove", "Too weak"), ("add", "Submitted")]
