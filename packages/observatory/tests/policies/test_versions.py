"""Calls 23-25 and the older routes."""

import uuid

from fastapi.testclient import TestClient

from packages.observatory.tests.world import World


def test_the_latest_version_comes_first_and_filters_hold(client: TestClient, world: World, ada, bob, clock) -> None:
    first = world.version(ada, "mine")
    second = world.version(ada, "mine")  # in the same second
    clock.advance(5)
    other = world.version(bob, "theirs_100%")

    def ids(query: str, account=None) -> list[str]:
        headers = account.headers if account else {}
        return [row["id"] for row in client.get(f"/stats/policy-versions?{query}", headers=headers).json()["entries"]]

    assert ids("") == [str(other), str(second), str(first)]
    assert ids("mine=true&limit=100", ada) == [str(second), str(first)]
    assert ids("name_exact=mine&version=1") == [str(first)]
    assert ids("name_fuzzy=HEIRS") == [str(other)]
    assert ids("name_fuzzy=_100%25") == [str(other)]
    assert ids("name_fuzzy=%25") == [str(other)]
    assert ids(f"policy_version_ids={first}&policy_version_ids={other}") == [str(other), str(first)]
    assert ids("limit=1&offset=1") == [str(second)]
    assert client.get("/stats/policy-versions?mine=true").status_code == 401


def test_a_row_has_the_documented_fields_and_hides_private_ones(client: TestClient, world: World, ada, bob) -> None:
    version = world.version(ada)
    own_view = client.get(f"/stats/policy-versions/{version}", headers=ada.headers).json()
    other_view = client.get(f"/stats/policy-versions/{version}", headers=bob.headers).json()
    assert {"user_id", "user", "id", "policy_id", "name", "version", "created_at", "policy_created_at", "tags"} <= set(
        own_view
    )
    assert own_view["s3_path"] == f"policies/{version}.zip" and other_view["s3_path"] is None
    assert other_view["user"]["email"] is None and other_view["user_id"] == ada.user_id
    assert client.get(f"/stats/policy-versions/{uuid.uuid4()}").status_code == 404


def test_policies_with_their_latest_versions(client: TestClient, world: World, ada) -> None:
    world.version(ada, "mine")
    latest = world.version(ada, "mine")
    client.post("/stats/policies", json={"name": "empty"}, headers=ada.headers)
    page = client.get("/stats/policies").json()
    rows = {row["name"]: row for row in page["entries"]}
    assert page["total_count"] == 2
    assert (rows["mine"]["version_count"], rows["mine"]["latest_version_id"]) == (2, str(latest))
    assert (rows["empty"]["version_count"], rows["empty"]["latest_version_id"]) == (0, None)


def test_only_tags_can_change(client: TestClient, world: World, ada, bob) -> None:
    version = world.version(ada)
    path = f"/stats/policies/versions/{version}/tags"
    assert client.put(path, json={"tags": {"a": "b"}}, headers=bob.headers).status_code == 403
    assert client.put(path, json={"tags": {"a": "b"}}, headers=ada.headers).json()["tags"] == {"a": "b"}
    for route in ("/stats/policies/versions/", "/stats/policies/", "/stats/policy-versions/"):
        assert client.get(f"{route}{version}").json()["tags"] == {"a": "b"}


def test_older_routes_find_the_same_versions(client: TestClient, world: World, ada, bob) -> None:
    version = world.version(ada)
    row = client.get(f"/stats/policy-versions/{version}").json()
    of_policy = client.get(f"/stats/policies/{row['policy_id']}/versions").json()
    assert [entry["id"] for entry in of_policy["entries"]] == [str(version)]
    mine = client.get("/stats/policies/my-versions", headers=ada.headers).json()
    assert [entry["id"] for entry in mine["entries"]] == [str(version)]
    assert client.get("/stats/policies/my-versions").status_code == 401
    body = {"policy_spec": {"class_path": "a.B"}}
    created = client.post(f"/stats/policies/{row['policy_id']}/versions", json=body, headers=ada.headers).json()
    assert created["version"] == 2
    assert (
        client.post(f"/stats/policies/{row['policy_id']}/versions", json=body, headers=bob.headers).status_code == 403
    )


def test_a_name_can_be_taken_by_each_user_and_quotas_hold(app, client: TestClient, world: World, ada, bob) -> None:
    world.version(ada, "same")
    world.version(bob, "same")
    app.state.settings.max_policies_per_user = 1
    assert client.post("/stats/policies", json={"name": "same"}, headers=ada.headers).status_code == 200
    assert client.post("/stats/policies", json={"name": "more"}, headers=ada.headers).status_code == 409


def test_a_zero_byte_in_a_query_does_not_fail(client: TestClient) -> None:
    assert client.get("/stats/policies?name_exact=a%00b").status_code in (200, 422)
