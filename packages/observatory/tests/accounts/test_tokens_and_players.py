"""Identities of tokens, and permissions of players."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text

from observatory.database import Database


@pytest.mark.parametrize("prefix", ["", "/api", "/observatory", "/api/observatory"])
def test_whoami_takes_either_header_under_every_published_address(client: TestClient, ada: Any, prefix: str) -> None:
    for headers in ({"X-Auth-Token": ada.token}, {"Authorization": f"Bearer {ada.token}"}):
        answer = client.get(f"{prefix}/whoami", headers=headers)
        assert answer.status_code == 200
        assert answer.json() == {
            "user_email": "ada@example.com",
            "name": "ada",
            "is_softmax_team_member": False,
            "is_softmax_admin": False,
            "subject_type": "user",
            "subject_id": ada.user_id,
            "owner_user_id": ada.user_id,
            "scopes": ["write"],
        }
    assert client.get(f"{prefix}/validate", headers=ada.headers).json() == {"valid": True, "user": {"id": ada.user_id}}
    assert client.get(f"{prefix}/validate", headers={"Authorization": "Bearer nonsense"}).status_code == 401


def test_an_expired_token_gives_no_access(client: TestClient, account: Callable[..., Any], clock: Any) -> None:
    ada = account("ada", expires_in=timedelta(hours=1))
    assert client.get("/whoami", headers=ada.headers).status_code == 200
    clock.advance(3600)
    assert client.get("/whoami", headers=ada.headers).status_code == 401


def test_a_read_only_token_of_an_administrator_reads(client: TestClient, admin: Any) -> None:
    body = {"name": "watcher", "email": admin.email, "scopes": []}
    token = client.post("/admin/tokens", json=body, headers=admin.headers).json()["token"]
    headers = {"X-Auth-Token": token, "X-Use-Elevated-Privileges": "true"}
    assert client.get("/players", headers=headers).status_code == 200
    assert client.post("/players", json={"name": "x"}, headers=headers).status_code == 403
    assert client.get("/admin/users", headers=headers).status_code == 403
    assert client.post("/stats/policies/submit/presigned-url", headers=headers).status_code == 403


def test_administrator_rights_need_the_elevation_header(client: TestClient, admin: Any) -> None:
    plain = {"X-Auth-Token": admin.token}
    assert client.get("/whoami", headers=plain).json()["is_softmax_admin"] is False
    assert client.get("/whoami", headers=admin.headers).json()["is_softmax_admin"] is True
    assert client.get("/admin/users", headers=plain).status_code == 403
    assert client.get("/admin/users", headers=admin.headers).status_code == 200


def test_a_user_has_a_default_player_and_can_create_more(client: TestClient, ada: Any, bob: Any, clock: Any) -> None:
    second = client.post("/players", json={"name": "second"}, headers=ada.headers).json()
    listed = client.get("/players", headers=ada.headers).json()
    assert [(player["name"], player["is_default"]) for player in listed] == [("ada", True), ("second", False)]
    clock.advance(1)
    client.post("/players", json={"name": "a third"}, headers=ada.headers)
    names = [player["name"] for player in client.get("/players", headers=ada.headers).json()]
    assert names == ["ada", "a third", "second"]  # the newest first
    assert listed[1] == second and second["id"].startswith("ply_") and second["user"]["email"] == "ada@example.com"
    assert client.post("/players", json={"name": "second"}, headers=ada.headers).status_code == 409
    assert client.post("/players", json={"name": " "}, headers=ada.headers).status_code == 422
    assert client.post(f"/players/{second['id']}/login", headers=bob.headers).status_code == 404
    assert client.get(f"/players/{second['id']}/credentials", headers=bob.headers).status_code == 404


def test_a_player_session_lasts_a_day_and_manages_no_players(client: TestClient, ada: Any, clock: Any) -> None:
    player = client.get("/players", headers=ada.headers).json()[0]
    session = client.post(f"/players/{player['id']}/login", headers=ada.headers).json()
    assert session["player_id"] == player["id"] and session["token"].startswith("ply_")
    headers = {"Authorization": f"Bearer {session['token']}"}
    identity = client.get("/whoami", headers=headers).json()
    assert (identity["subject_type"], identity["subject_id"], identity["owner_user_id"]) == (
        "player",
        player["id"],
        ada.user_id,
    )
    assert identity["scopes"] == ["write"]
    for answer in (
        client.get("/players", headers=headers),
        client.post("/players", json={"name": "x"}, headers=headers),
        client.post(f"/players/{player['id']}/login", headers=headers),
        client.get("/admin/users", headers=headers | {"X-Use-Elevated-Privileges": "true"}),
    ):
        assert answer.status_code == 403
    clock.advance(24 * 3600)
    assert client.get("/whoami", headers=headers).status_code == 401


def test_a_credential_is_shown_once_listed_without_its_token_and_revoked(client: TestClient, ada: Any) -> None:
    player = client.get("/players", headers=ada.headers).json()[0]["id"]
    place = f"/players/{player}/credentials"
    credential = client.post(place, json={"name": "ci", "scopes": ["write"]}, headers=ada.headers).json()
    token = credential.pop("token")
    assert client.get(place, headers=ada.headers).json() == [credential]
    assert (
        credential["scopes"] == ["write"]
        and credential["token_preview"][:8] == token[:8]
        and token not in str(credential)
    )
    assert client.get("/whoami", headers={"X-Auth-Token": token}).json()["scopes"] == ["write"]
    deleted = client.delete(f"{place}/{credential['id']}", headers=ada.headers)
    assert deleted.json() == {"id": credential["id"]}
    assert client.get("/whoami", headers={"X-Auth-Token": token}).status_code == 401
    assert client.delete(f"{place}/{credential['id']}", headers=ada.headers).status_code == 404
    assert client.post(place, json={"name": "ci", "scopes": ["admin"]}, headers=ada.headers).status_code == 422


def test_no_token_is_stored_in_plain_text(client: TestClient, ada: Any, database: Database) -> None:
    player = client.get("/players", headers=ada.headers).json()[0]["id"]
    tokens = [
        ada.token,
        client.post(f"/players/{player}/login", headers=ada.headers).json()["token"],
        client.post(f"/players/{player}/credentials", json={"name": "ci"}, headers=ada.headers).json()["token"],
    ]
    with database.read() as session:
        stored = str(session.execute(text("SELECT * FROM tokens")).all())
    assert len(stored) > 300 and not any(token in stored for token in tokens)


def test_administrators_manage_accounts_and_the_last_one_cannot_be_removed(
    client: TestClient, admin: Any, ada: Any
) -> None:
    created = client.post("/admin/users", json={"email": "Grace@Example.com"}, headers=admin.headers)
    assert created.status_code == 201 and created.json()["email"] == "grace@example.com"
    assert client.post("/admin/users", json={"email": "grace@example.com"}, headers=admin.headers).status_code == 409
    assert client.post("/admin/users", json={"email": "two words"}, headers=admin.headers).status_code == 422
    token = client.post("/admin/tokens", json={"name": "ci", "email": "grace@example.com"}, headers=admin.headers)
    headers = {"X-Auth-Token": token.json()["token"]}
    assert client.get("/whoami", headers=headers).json()["user_email"] == "grace@example.com"
    client.patch(f"/admin/users/{created.json()['id']}", json={"disabled": True}, headers=admin.headers)
    assert client.get("/whoami", headers=headers).status_code == 401
    client.patch(f"/admin/users/{created.json()['id']}", json={"disabled": False}, headers=admin.headers)
    assert client.get("/whoami", headers=headers).status_code == 200
    client.delete(f"/admin/tokens/{token.json()['id']}", headers=admin.headers)
    assert client.get("/whoami", headers=headers).status_code == 401
    for change in ({"is_admin": False}, {"disabled": True}):
        assert client.patch(f"/admin/users/{admin.user_id}", json=change, headers=admin.headers).status_code == 409
    assert (
        client.patch(f"/admin/users/{ada.user_id}", json={"is_admin": True}, headers=admin.headers).status_code == 200
    )
    assert (
        client.patch(f"/admin/users/{admin.user_id}", json={"is_admin": False}, headers=admin.headers).status_code
        == 200
    )
