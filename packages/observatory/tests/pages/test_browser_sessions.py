"""The cookie of a browser counts for the API, and no other site can make use of it."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from observatory.accounts.passwords import hash_password
from observatory.database.tables.accounts import User
from packages.observatory.tests.world import World

PASSWORD = "a long enough password"


@pytest.fixture
def browser(app: FastAPI) -> Callable[..., TestClient]:
    """Make signed-in browsers; `csrf` is the token that `me` gave the page."""

    def open_for(account=None) -> TestClient:
        client = TestClient(app, raise_server_exceptions=False, follow_redirects=False)
        if account is not None:
            with app.state.database.transaction() as session:
                session.get_one(User, account.user_id).password_hash = hash_password(PASSWORD)
            form = client.get("/sign-in").text
            csrf = re.search(r'name="csrf" value="([^"]+)"', form)
            assert csrf is not None
            body = {"csrf": csrf[1], "email": account.email, "password": PASSWORD}
            assert client.post("/sign-in", data=body).status_code == 303
        return client

    return open_for


def csrf_of(client: TestClient) -> str:
    return str(client.get("/observatory/api/me").json()["csrf"])


def test_me_describes_the_caller(browser, client: TestClient, ada, admin) -> None:
    anonymous = browser().get("/observatory/api/me").json()
    assert anonymous["signed_in"] is False and anonymous["csrf"] and anonymous["email"] is None
    me = browser(ada).get("/observatory/api/me").json()
    assert (me["signed_in"], me["email"], me["is_admin"]) == (True, ada.email, False)
    assert browser(admin).get("/observatory/api/me").json()["is_admin"] is True
    assert client.get("/observatory/api/me", headers=ada.headers).json()["user_id"] == ada.user_id


def test_a_cookie_writes_only_with_the_csrf_header(browser, world: World, ada) -> None:
    world.season()
    version = world.version(ada)
    page = browser(ada)
    assert page.get("/whoami").json()["user_email"] == ada.email
    assert page.get("/tournament/my-memberships").json() == {}
    body = {"policy_version_id": str(version)}
    assert page.post("/tournament/seasons/open/submissions", json=body).status_code == 403
    headers = {"X-CSRF-Token": csrf_of(page)}
    assert page.post("/tournament/seasons/open/submissions", json=body, headers=headers).status_code == 200
    assert page.get("/tournament/my-memberships").json() == {str(version): ["open"]}


def test_requests_from_other_sites_change_nothing(browser, world: World, ada, bob) -> None:
    world.season()
    version = world.version(ada)
    page, other = browser(ada), browser(bob)
    path, text = "/tournament/seasons/open/submissions", f'{{"policy_version_id": "{version}"}}'
    # A form or a simple request of another site carries the cookie, and these content types.
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        assert page.post(path, content=text, headers={"Content-Type": kind}).status_code in (403, 422)
    for wrong in ("", "x", csrf_of(other), csrf_of(browser()), "é".encode("latin-1").decode("latin-1")):
        answer = page.post(
            path,
            content=text,
            headers=[("Content-Type", "application/json"), ("X-CSRF-Token", wrong.encode("latin-1"))],
        )
        assert answer.status_code == 403, (wrong, answer.text)
    for method, target in (
        ("POST", "/players"),
        ("PUT", f"/stats/policies/versions/{version}/tags"),
        ("POST", "/assay/runs"),
    ):
        assert page.request(method, target, json={}).status_code == 403
    assert page.get("/tournament/my-memberships").json() == {}
    # No response allows another site to read it.
    answer = page.get("/observatory/api/me", headers={"Origin": "https://evil.example"})
    assert not any(name.startswith("access-control-") for name in answer.headers)
    preflight = page.options(path, headers={"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"})
    assert preflight.status_code == 405


def test_a_token_overrides_the_cookie_even_when_it_is_invalid(browser, ada, bob) -> None:
    page = browser(ada)
    assert page.get("/whoami", headers=bob.headers).json()["user_email"] == bob.email
    assert page.get("/whoami", headers={"X-Auth-Token": "wrong"}).status_code == 401
    assert (
        page.post(
            "/players", json={"name": "p"}, headers={"X-Auth-Token": "wrong", "X-CSRF-Token": csrf_of(page)}
        ).status_code
        == 401
    )


def test_forged_and_expired_cookies_are_anonymous(browser, app: FastAPI, ada) -> None:
    page = browser(ada)
    good = page.cookies["observatory_session"]
    for bad in (good[:-2], good.split(".")[0], "x.y", good.replace(".", "..")):
        fresh = browser()
        fresh.cookies.set("observatory_session", bad)
        assert fresh.get("/whoami").status_code == 401
    assert page.get("/whoami").status_code == 200
    with app.state.database.transaction() as session:
        session.get_one(User, ada.user_id).session_version += 1  # signed out everywhere
    assert page.get("/whoami").status_code == 401


def test_an_administrators_cookie_needs_the_header_for_more_rights(browser, admin) -> None:
    page = browser(admin)
    assert page.get("/admin/users").status_code == 403
    elevated = {"X-Use-Elevated-Privileges": "true"}
    assert page.get("/admin/users", headers=elevated).status_code == 200
    assert page.post("/admin/invitations", json={}, headers=elevated).status_code == 403
    allowed = page.post("/admin/invitations", json={}, headers={**elevated, "X-CSRF-Token": csrf_of(page)})
    assert allowed.status_code == 201
