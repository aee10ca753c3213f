"""Invitations, users, quotas, tokens, workers and the audit log, as the pages of administrators call them."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from packages.observatory.tests.jobs.test_leases import job
from packages.observatory.tests.rounds.test_league_pages import counted_queries

API = "/observatory/api"
ADMIN = f"{API}/admin"


@pytest.fixture
def audit(client: TestClient, admin: Any) -> Any:
    def read(**filters: str) -> list[str]:
        rows = client.get(f"{ADMIN}/audit-log", params=filters, headers=admin.headers).json()["rows"]
        return [row["action"] for row in rows]

    return read


def join(client: TestClient, url: str, name: str) -> int:
    """Accept an invitation as a browser does; the status."""
    page = client.get(url)
    if page.status_code != 200:
        return page.status_code
    csrf = page.text.partition('name="csrf" value="')[2].partition('"')[0]
    form = {"csrf": csrf, "invitation": url.partition("invitation=")[2], "email": name, "password": "a long password"}
    status = client.post("/join", data=form).status_code
    client.cookies.clear()
    return status


def test_an_invitation_makes_as_many_accounts_as_it_says_and_can_be_revoked(
    client: TestClient, admin: Any, audit: Any
) -> None:
    body = {"max_uses": 2, "note": "the class of 2026"}
    url = client.post(f"{ADMIN}/invitations", json=body, headers=admin.headers).json()["url"]
    path = url.removeprefix("http://testserver")
    assert join(client, path, "eva@example.com") == 303 == join(client, path, "max@example.com")
    assert join(client, path, "moritz@example.com") == 404
    other = client.post(f"{ADMIN}/invitations", json={}, headers=admin.headers).json()
    assert client.post(f"{ADMIN}/invitations/{other['id']}/revoke", headers=admin.headers).json()["state"] == "revoked"
    assert join(client, other["url"].removeprefix("http://testserver"), "late@example.com") == 404
    rows = client.get(f"{ADMIN}/invitations", headers=admin.headers).json()
    assert [(row["note"], row["state"], row["uses"]) for row in rows] == [
        ("", "revoked", 0),
        ("the class of 2026", "used", 2),
    ]
    assert all("url" not in row and "token" not in str(row) for row in rows)
    found = client.get(f"{ADMIN}/people", params={"q": "EVA@"}, headers=admin.headers).json()
    assert [line["user"]["email"] for line in found["users"]] == ["eva@example.com"] and found["total"] == 1
    assert audit(action="invitation.") == [
        "invitation.revoke",
        "invitation.create",
        "invitation.accept",
        "invitation.accept",
        "invitation.create",
    ]


def test_the_list_of_users_takes_as_many_queries_for_many_as_for_one(
    client: TestClient, admin: Any, account: Any, world: Any
) -> None:
    users = [account(f"author{number}") for number in range(3)]
    world.version(users[0])
    numbers = []
    for wanted, text in ((1, "author1"), (3, "author")):
        with counted_queries() as queries:
            found = client.get(f"{ADMIN}/people", params={"q": text}, headers=admin.headers).json()
        assert len(found["users"]) == wanted
        numbers.append(len(queries))
    assert numbers[0] == numbers[1]
    assert {line["user"]["email"]: line["quota"]["stored_bytes"] for line in found["users"]} == {
        user.email: 3 if user is users[0] else 0 for user in users
    }


def test_roles_disabling_and_quotas_are_set_and_recorded(client: TestClient, admin: Any, ada: Any, audit: Any) -> None:
    path = f"{ADMIN}/people/{ada.user_id}"
    assert client.post(path, json={"is_admin": True}, headers=admin.headers).json()["is_admin"]
    assert client.post(path, json={"is_admin": False, "disabled": True}, headers=admin.headers).is_success
    assert client.get("/whoami", headers=ada.headers).status_code == 401
    client.post(path, json={"disabled": False}, headers=admin.headers)
    quota = {"max_uploads_per_day": 1, "max_stored_bytes": None}
    assert client.put(f"{path}/quota", json=quota, headers=admin.headers).json()["max_uploads_per_day"] == 1
    upload = lambda: client.post("/stats/policies/submit/presigned-url", headers=ada.headers).status_code  # noqa: E731
    assert (upload(), upload()) == (200, 429)
    assert audit(text="ada@example.com") == ["quota.set", "user.enable", "user.disable", "user.role", "user.role"]
    assert (
        client.post(f"{ADMIN}/people/{admin.user_id}", json={"is_admin": False}, headers=admin.headers).status_code
        == 409
    )


def test_users_make_see_and_revoke_their_own_tokens_only(client: TestClient, ada: Any, bob: Any) -> None:
    body = {"name": "ci", "scopes": [], "expires_in_days": 7}
    made = client.post(f"{API}/tokens", json=body, headers=ada.headers).json()
    reading = {"X-Auth-Token": made["token"]}
    assert client.get("/whoami", headers=reading).json()["user_email"] == "ada@example.com"
    assert client.post(f"{API}/tokens", json={"name": "more"}, headers=reading).status_code == 403
    rows = {row["name"]: row for row in client.get(f"{API}/tokens", headers=ada.headers).json()}
    assert rows["ci"]["scopes"] == [] and rows["ci"]["last_used_at"] is not None
    assert made["token"] not in str(rows)
    assert [row["name"] for row in client.get(f"{API}/tokens", headers=bob.headers).json()] == ["token"]
    revoke = f"{API}/tokens/{made['row']['id']}/revoke"
    assert client.post(revoke, headers=bob.headers).status_code == 404
    assert client.post(revoke, headers=ada.headers).is_success
    assert client.get("/whoami", headers=reading).status_code == 401


def test_when_a_token_was_used_is_stored(app: FastAPI, client: TestClient, ada: Any) -> None:
    client.get("/whoami", headers=ada.headers)
    app.state.tokens_used.store(app.state.database)
    [row] = client.get(f"{API}/tokens", headers=ada.headers).json()
    assert row["last_used_at"] == "2026-03-01T12:00:00Z"


def test_a_drained_worker_gets_no_jobs_until_it_is_resumed(client: TestClient, admin: Any) -> None:
    token = client.post("/admin/tokens", json={"name": "worker"}, headers=admin.headers).json()["token"]
    body = {"worker": "big", "labels": ["gpu", "site=a"]}
    lease = lambda: client.post("/work/lease", json=body, headers={"X-Auth-Token": token}).status_code  # noqa: E731
    assert lease() == 204
    client.post("/jobs/batch", json=[job()], headers=admin.headers)
    assert client.post(f"{ADMIN}/workers/big/drain", headers=admin.headers).is_success
    assert lease() == 204
    [row] = client.get(f"{ADMIN}/workers", headers=admin.headers).json()
    assert row["labels"] == ["gpu", "site=a"] and row["drained_at"] is not None
    assert client.post(f"{ADMIN}/workers/big/resume", headers=admin.headers).is_success
    assert lease() == 200


def test_the_audit_log_comes_in_pages_and_as_a_file(client: TestClient, admin: Any) -> None:
    for number in range(5):
        client.post(f"{ADMIN}/workers/=w{number}/drain", headers=admin.headers)
    rows, cursor = [], ""
    for _ in range(3):
        page = client.get(
            f"{ADMIN}/audit-log", params={"limit": 2, **({"cursor": cursor} if cursor else {})}, headers=admin.headers
        ).json()
        rows += [row["details"]["worker"] for row in page["rows"]]
        cursor = page["next_cursor"]
    assert rows == [f"=w{number}" for number in reversed(range(5))] and cursor is None
    file = client.get(f"{ADMIN}/audit-log.csv", params={"text": "w3"}, headers=admin.headers)
    assert file.headers["content-disposition"].startswith("attachment")
    assert len(file.text.splitlines()) == 2 and "worker==w3" in file.text and "root@example.com" in file.text
