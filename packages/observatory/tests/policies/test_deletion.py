"""Owners download, withdraw and delete what they uploaded; results that others rely on stay."""

import uuid
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from packages.observatory.tests.world import FREEPLAY, TEAM, World


def withdraw(client: TestClient, account: Any, season: str, version: uuid.UUID) -> Any:
    return client.delete(f"/tournament/seasons/{season}/submissions/{version}", headers=account.headers)


def submit(client: TestClient, account: Any, season: str, version: uuid.UUID) -> Any:
    body = {"policy_version_id": str(version)}
    return client.post(f"/tournament/seasons/{season}/submissions", json=body, headers=account.headers)


def delete(client: TestClient, account: Any, version: uuid.UUID) -> Any:
    return client.delete(f"/stats/policy-versions/{version}", headers=account.headers)


def test_the_owner_and_administrators_download_a_bundle(
    app: FastAPI, client: TestClient, world: World, ada: Any, bob: Any, admin: Any
) -> None:
    version = world.version(ada)
    path = f"/stats/policy-versions/{version}/bundle"
    app.state.store.delete(f"policies/{version}.zip")
    assert client.get(path, headers=ada.headers).json()["detail"] == "mine:v1 has no bundle: the server has none"
    app.state.store.put(f"policies/{version}.zip", b"bundle")
    for account in (ada, admin):
        answer = client.get(path, headers=account.headers).json()
        assert answer["kind"] == "bundle"
        assert client.get(answer["url"]).content == b"bundle"
    assert client.get(path, headers=bob.headers).status_code == 403
    assert client.get(path).status_code == 401


def test_a_withdrawn_policy_plays_no_more_and_cannot_return(client: TestClient, world: World, ada: Any) -> None:
    world.season(FREEPLAY)
    version = world.version(ada)
    assert withdraw(client, ada, "open", version).json()["detail"].endswith("it was not submitted")
    submit(client, ada, "open", version)
    assert withdraw(client, ada, "open:v1", version).status_code == 400
    assert withdraw(client, ada, "open", version).json() == {"pools": ["qualifying"]}
    history = client.get(f"/tournament/policies/{version}/memberships").json()
    assert [(row["action"], row["notes"]) for row in history] == [
        ("remove", "Withdrawn by its owner"),
        ("add", "Submitted"),
    ]
    again = withdraw(client, ada, "open", version)
    assert again.status_code == 409 and "already" in again.json()["detail"]
    back = submit(client, ada, "open", version)
    assert back.status_code == 409 and "was withdrawn" in back.json()["detail"]
    assert submit(client, ada, "open", world.version(ada)).status_code == 200


def test_a_team_season_can_be_left_until_it_starts(client: TestClient, world: World, ada: Any, admin: Any) -> None:
    world.season(TEAM)
    early, late = world.version(ada), world.version(ada)
    for version in (early, late):
        submit(client, ada, "teams", version)
    assert withdraw(client, ada, "teams", early).json() == {"pools": ["stage-1"]}
    assert client.post("/tournament/seasons/teams/start", headers=admin.headers).status_code == 200
    refused = withdraw(client, ada, "teams", late)
    assert refused.status_code == 409 and "has started" in refused.json()["detail"]


@pytest.mark.parametrize("played", [True, False])
def test_a_withdrawal_does_not_look_like_a_mistake_of_the_commissioner(
    client: TestClient, world: World, ada: Any, bob: Any, admin: Any, played: bool
) -> None:
    world.season(FREEPLAY)
    mine, theirs = world.version(ada), world.version(bob, "theirs")
    for account, version in ((ada, mine), (bob, theirs)):
        submit(client, account, "open", version)
    if played:
        world.enter("open", "competition", [mine, theirs])
        world.play(world.match("open", "competition", [(mine, 2), (theirs, 2)]), [1.0, 2.0, 3.0, 4.0])

    def members() -> list[str]:
        body = {"season": "open", "check": True}
        report = client.post("/observatory/api/admin/recompute", json=body, headers=admin.headers).json()
        return [finding["sentence"] for finding in report["findings"] if str(mine) in finding["sentence"]]

    before = members()
    assert withdraw(client, ada, "open", mine).status_code == 200
    assert [sentence for sentence in members() if sentence not in before] == []


def test_an_unused_version_is_deleted_with_its_bundle_and_its_number_is_not_used_again(
    app: FastAPI, client: TestClient, world: World, ada: Any, bob: Any
) -> None:
    first, second = world.version(ada), world.version(ada)
    app.state.store.put(f"policies/{second}.zip", b"bundle")
    assert delete(client, bob, second).status_code == 403
    assert delete(client, ada, second).json() == {"deleted": ["mine:v2"]}
    assert client.get(f"/stats/policy-versions/{second}").status_code == 404
    assert app.state.store.size(f"policies/{second}.zip") is None
    third = client.get(f"/stats/policy-versions/{world.version(ada)}").json()
    assert third["version"] == 3
    policy = f"/stats/policies/{third['policy_id']}"
    assert client.delete(policy, headers=bob.headers).status_code == 403
    assert sorted(client.delete(policy, headers=ada.headers).json()["deleted"]) == ["mine:v1", "mine:v3"]
    assert client.get("/stats/policies?name_exact=mine").json()["entries"] == []
    assert client.get(f"/stats/policy-versions/{first}").status_code == 404


def test_a_submitted_version_must_be_withdrawn_and_one_that_has_played_stays(
    client: TestClient, world: World, ada: Any, bob: Any
) -> None:
    world.season(FREEPLAY)
    waiting, played = world.version(ada), world.version(ada)
    submit(client, ada, "open", waiting)
    refused = delete(client, ada, waiting)
    assert (refused.status_code, refused.json()["detail"]) == (
        409,
        "mine:v1 cannot be deleted: it is part of season 'open'; withdraw it first",
    )
    withdraw(client, ada, "open", waiting)
    world.play(world.match("open", "competition", [(played, 2), (world.version(bob), 2)]), [1.0, 2.0, 3.0, 4.0])
    withdraw(client, ada, "open", played)
    refused = delete(client, ada, played)
    assert refused.status_code == 409 and "matches of season 'open'" in refused.json()["detail"]
    policy = client.get(f"/stats/policy-versions/{played}").json()["policy_id"]
    assert client.delete(f"/stats/policies/{policy}", headers=ada.headers).status_code == 409
    assert client.get(f"/stats/policy-versions/{waiting}").status_code == 200  # nothing was deleted
    assert delete(client, ada, waiting).json() == {"deleted": ["mine:v1"]}
    assert client.get("/tournament/seasons/open/policies").status_code == 200
