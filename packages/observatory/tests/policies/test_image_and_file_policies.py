"""Policies from container images and from files, as published clients upload them."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from observatory.policies.grants import allowed_hosts
from observatory.policies.secrets import read_secrets
from packages.observatory.tests.conftest import Account
from packages.observatory.tests.images.pushing import HELLO, begin, upload
from packages.observatory.tests.world import World, bundle

BYTES = {"Content-Type": "application/octet-stream"}


def image_policy(client: TestClient, account: Any, image_id: str, **body: Any) -> Any:
    body = {"container_image_id": image_id, **body}
    return client.post("/stats/policies/docker-img/complete", json=body, headers=account.headers)


def secret_env(client: TestClient, account: Any, **secrets: str) -> Any:
    return client.post("/stats/policy-secret-envs", json={"policy_secret_env": secrets}, headers=account.headers)


def file_policy(client: TestClient, account: Any, data: bytes, name: str | None = "file", **body: Any) -> Any:
    """Upload a file as published clients do; the response to the completion."""
    body = {"content_hash": hashlib.sha256(data).hexdigest(), "size_bytes": len(data), "tags": {}, **body}
    body |= {} if name is None else {"name": name}
    begun = client.post("/stats/policies/files/upload", json=body, headers=account.headers)
    if begun.status_code != 409:
        assert begun.status_code == 200, begun.text
        if begun.json()["existing_policy_version"] is not None:
            return begun
        assert client.put(begun.json()["upload_url"], content=data, headers=BYTES).is_success
    return client.post("/stats/policies/files/complete", json=body, headers=account.headers)


def test_an_image_becomes_a_version_with_its_command_secrets_and_tags(
    client: TestClient, app: FastAPI, clock, ada
) -> None:
    image = upload(client, ada)
    env = secret_env(client, ada, KEY="a secret", COWORLD_HTTPS_HOSTS='["api.example.com"]').json()["id"]
    options = {
        "run": ["python", "-m", "player"],
        "resources": {"requests": {"cpu": "500m", "memory": "2Gi", "gpu": 1}, "limits": {"cpu": "2"}},
        "startup": {"port": 8080, "timeout_seconds": 60},
        "tags": {"title": "My player"},
    }
    first = image_policy(client, ada, image["id"], name="mine", policy_secret_env_id=env, **options).json()
    assert (first["name"], first["version"], first["pools"], first["submit_error"]) == ("mine", 1, None, None)
    assert image_policy(client, ada, image["id"], name="mine").json()["version"] == 2
    row = client.get(f"/stats/policy-versions/{first['id']}", headers=ada.headers).json()
    assert (row["container_image_id"], row["kind"], row["tags"]) == (image["id"], "image", {"title": "My player"})
    assert "a secret" not in json.dumps(row)
    with app.state.database.transaction() as session:
        from observatory.database.tables.policies import PolicyVersion

        version = session.query(PolicyVersion).filter_by(version=1).one()
        assert version.spec["run"] == options["run"]
        assert version.spec["startup"] == {"port": 8080, "path": "/healthz", "timeout_seconds": 60}
        secrets = read_secrets(session, app.state.keys, version.id, reader="test", job_id=None, now=clock())
        assert secrets["KEY"] == "a secret"
        assert allowed_hosts(session, version.id) == ["api.example.com"]


def test_models_come_from_the_operators_gateway_without_a_key(client: TestClient, app: FastAPI, ada) -> None:
    image = upload(client, ada)
    wishes = ({"USE_BEDROCK": "true", "BEDROCK_MODEL": "m"}, {"COWORLD_LLM_ENABLED": "true", "COWORLD_LLM_MODEL": "m"})
    for wish in wishes:
        env = secret_env(client, ada, **wish).json()["id"]
        refused = image_policy(client, ada, image["id"], name="p", policy_secret_env_id=env)
        assert refused.status_code == 400 and "OBSERVATORY_MODEL_GATEWAY_HOSTS" in refused.json()["detail"]
    app.state.settings.model_gateway_hosts = ["models.local:8443"]
    route = json.dumps({"base_url": "https://own.example.com/v1", "model": "m", "api_key": "k"})
    own = {"COWORLD_LLM_ENABLED": "true", "COWORLD_LLM_EXTERNAL_ROUTE": route}
    for wish, hosts in (
        (wishes[0], ["models.local:8443"]),
        (wishes[1], ["models.local:8443"]),
        (own, ["own.example.com"]),
    ):
        env = secret_env(client, ada, **wish).json()["id"]
        version = image_policy(client, ada, image["id"], name="p", policy_secret_env_id=env).json()["id"]
        grants = client.get(f"/stats/policy-versions/{version}/network", headers=ada.headers).json()
        assert [grant["host"] for grant in grants] == hosts


@pytest.mark.any_database
def test_bad_secrets_are_refused_and_those_of_another_user_or_of_yesterday_are_not_there(
    client: TestClient, app: FastAPI, clock, ada, bob
) -> None:
    from observatory.operations.sweeping import sweep

    for secrets in ({"PATH": "/"}, {"COWORLD_HTTPS_HOSTS": "{"}, {"COWORLD_HTTPS_HOSTS": '["https://x"]'}):
        assert secret_env(client, ada, **secrets).status_code == 422
    route = json.dumps({"base_url": "http://plain.example.com"})
    assert secret_env(client, ada, COWORLD_LLM_EXTERNAL_ROUTE=route).status_code == 422
    image = upload(client, bob)
    env = secret_env(client, ada, KEY="x").json()["id"]
    assert image_policy(client, bob, image["id"], name="p", policy_secret_env_id=env).status_code == 404
    own = secret_env(client, bob, KEY="x").json()["id"]
    clock.advance(25 * 3600)
    sweep(app.state.database, app.state.store, clock())
    assert image_policy(client, bob, image["id"], name="p", policy_secret_env_id=own).status_code == 404


@pytest.mark.any_database
def test_only_complete_images_that_the_caller_may_see_become_policies(client: TestClient, ada, bob) -> None:
    pending = begin(client, ada)["image"]
    assert image_policy(client, ada, pending["id"], name="p").status_code == 409
    image = upload(client, ada, HELLO)
    assert image_policy(client, bob, image["id"], name="p").status_code == 404
    assert image_policy(client, ada, "cow_1", name="p").status_code == 422
    typed = {"requests": {"instance-type": "g5.xlarge"}}
    assert image_policy(client, ada, image["id"], name="p", resources=typed).status_code == 403
    assert image_policy(client, ada, image["id"], name="p", resources={"requests": {"cpu": "much"}}).status_code == 422
    assert image_policy(client, ada, image["id"], name="p", tags={"a": "x" * 501}).status_code == 422


def test_a_policy_without_a_name_has_its_players_name(client: TestClient, ada, bob) -> None:
    image = upload(client, ada)
    player = client.get("/players", headers=ada.headers).json()[0]
    unnamed = [image_policy(client, ada, image["id"]).json() for _ in range(2)]
    assert [(row["name"], row["version"]) for row in unnamed] == [(player["name"], 1), (player["name"], 2)]
    # Another player has another name; one that another user's policy has is made longer.
    assert image_policy(client, log_in(client, ada, "second"), image["id"]).json()["name"] == "second"
    assert image_policy(client, bob, upload(client, bob)["id"], name="third").status_code == 200
    third = log_in(client, ada, "third")
    assert image_policy(client, third, image["id"]).json()["name"] == f"third-{third.user_id[:8]}"
    assert file_policy(client, third, b"file", None).json()["name"] == f"third-{third.user_id[:8]}"


def log_in(client: TestClient, account: Any, name: str) -> Account:
    """A new player of an account, with its id in place of the user's."""
    player = client.post("/players", json={"name": name}, headers=account.headers).json()
    token = client.post(f"/players/{player['id']}/login", headers=account.headers).json()["token"]
    return Account(player["id"], account.email, token, False)


def test_a_file_becomes_a_version_once_for_each_name(client: TestClient, app: FastAPI, ada, bob) -> None:
    first = file_policy(client, ada, b"a player", tags={"title": "x"}).json()
    assert (first["name"], first["version"]) == ("file", 1)
    row = client.get(f"/stats/policy-versions/{first['id']}", headers=ada.headers).json()
    assert (row["kind"], row["tags"]) == ("file", {"title": "x"})
    digest = hashlib.sha256(b"a player").hexdigest()
    assert app.state.store.get(f"policies/files/{digest}") == b"a player"

    again = file_policy(client, ada, b"a player").json()
    assert again["existing_policy_version"]["id"] == first["id"] and again["upload_url"] is None
    other = file_policy(client, ada, b"a player", "other").json()
    assert (other["name"], other["version"]) == ("other", 1)
    assert file_policy(client, ada, b"another player").json()["version"] == 2
    # A digest alone gives another user nothing.
    body = {"name": "theirs", "content_hash": digest, "size_bytes": 8}
    assert client.post("/stats/policies/files/complete", json=body, headers=bob.headers).status_code == 400
    assert client.post("/stats/policies/files/upload", json=body, headers=bob.headers).json()["upload_url"]
    assert client.post("/stats/policies/files/complete", json=body, headers=bob.headers).status_code == 400
    assert file_policy(client, bob, b"a player").json()["version"] == 1
    assert app.state.store.keys("policies/incoming/") == []


def test_a_file_with_another_digest_or_size_and_one_that_is_too_large_are_refused(
    client: TestClient, app: FastAPI, ada
) -> None:
    right = hashlib.sha256(b"right").hexdigest()
    wrong = file_policy(client, ada, b"wrong", content_hash=right)
    assert wrong.status_code == 400 and "begin another upload" in wrong.json()["detail"]
    assert app.state.store.keys("policies/incoming/") == [] and app.state.store.size(f"policies/files/{right}") is None
    assert file_policy(client, ada, b"right").status_code == 200
    body = {"name": "n", "content_hash": right, "size_bytes": 99}
    assert client.post("/stats/policies/files/complete", json=body, headers=ada.headers).status_code == 400
    body["size_bytes"] = app.state.settings.max_policy_file_bytes + 1
    large = client.post("/stats/policies/files/upload", json=body, headers=ada.headers)
    assert large.status_code == 413 and "100 MB" in large.json()["detail"]
    app.state.settings.max_stored_bytes_per_user = 6
    body = {"name": "n", "content_hash": "0" * 64, "size_bytes": 2}
    assert client.post("/stats/policies/files/upload", json=body, headers=ada.headers).status_code == 413


@pytest.mark.any_database
def test_images_and_files_do_not_enter_seasons_of_bundles(client: TestClient, world: World, ada) -> None:
    season = world.season()
    image = upload(client, ada)
    versions = [
        image_policy(client, ada, image["id"], name="i").json()["id"],
        file_policy(client, ada, b"x").json()["id"],
    ]
    for version in versions:
        body = {"policy_version_id": version}
        refused = client.post(f"/tournament/seasons/{season}/submissions", json=body, headers=ada.headers)
        assert refused.status_code == 400 and "no bundle" in refused.json()["detail"]


def test_versions_are_listed_in_pages_by_cursor_with_the_names_of_both_clients(
    client: TestClient, clock, ada, bob
) -> None:
    for number in range(3):
        file_policy(client, ada, bytes([number]))
        clock.advance(number % 2)
    file_policy(client, bob, b"theirs")
    params: dict[str, Any] = {"mine": "true", "name_exact": "file", "limit": 2}
    page = client.get("/stats/policy-versions", params=params, headers=ada.headers).json()
    assert [entry["version"] for entry in page["entries"]] == [3, 2] and page["total_count"] == 3
    assert all(
        (entry["policy_version_id"], entry["policy_name"]) == (entry["id"], entry["name"]) for entry in page["entries"]
    )
    file_policy(client, ada, b"new")
    rest = client.get(
        "/stats/policy-versions", params={**params, "cursor": page["next_cursor"]}, headers=ada.headers
    ).json()
    assert [entry["version"] for entry in rest["entries"]] == [1] and rest["next_cursor"] is None
    one = client.get("/stats/policy-versions", params={**params, "version": 2}, headers=ada.headers).json()
    assert [entry["version"] for entry in one["entries"]] == [2]


def test_the_owner_decides_who_may_select_a_policy(client: TestClient, ada, bob, admin) -> None:
    version = file_policy(client, ada, b"x").json()["id"]
    policy = client.get(f"/stats/policy-versions/{version}").json()["policy_id"]
    path = f"/v2/policies/{policy}/selection-access"
    assert client.get(path, headers=ada.headers).json() == {"selection_scope": "owner_visible"}
    changed = client.put(path, json={"selection_scope": "any_request"}, headers=ada.headers)
    assert changed.json() == {"selection_scope": "any_request"}
    assert client.get(path, headers=admin.headers).json() == {"selection_scope": "any_request"}
    assert client.put(path, json={"selection_scope": "owner_visible"}, headers=bob.headers).status_code == 403
    assert client.put(path, json={"selection_scope": "all"}, headers=ada.headers).status_code == 422


@pytest.mark.any_database
def test_bundles_still_have_their_kind(client: TestClient, ada) -> None:
    begun = client.post("/stats/policies/submit/presigned-url", headers=ada.headers).json()
    client.put(begun["upload_url"], content=bundle(), headers={"Content-Type": "application/zip"})
    body = {"upload_id": begun["upload_id"], "name": "mine"}
    version = client.post("/stats/policies/submit/complete", json=body, headers=ada.headers).json()["id"]
    assert client.get(f"/stats/policy-versions/{version}").json()["kind"] == "bundle"
