"""Sign-outs and revocations survive a restart, on each database."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import func, select

from observatory.accounts.passwords import hash_password
from observatory.accounts.service import create_user, mint_user_token
from observatory.database.tables.accounts import EndedSession
from observatory.http.visitors import CLOCK_DAYS, SESSION_DAYS
from observatory.operations.sweeping import sweep

PASSWORD = "a long enough password"


@pytest.fixture
def start(
    make_app: Callable[..., FastAPI], serve: Callable[[FastAPI], Any], tmp_path: Any, new_database_url: Any
) -> Callable[[], Any]:
    """Start a server on the same data each time."""
    place = {"data_dir": tmp_path / "same", "database_url": new_database_url()}
    return lambda: serve(make_app(**place))


def sign_in(url: str) -> httpx.Client:
    browser = httpx.Client(base_url=url, trust_env=False, timeout=20)
    csrf = re.search(r'name="csrf" value="([^"]+)"', browser.get("/sign-in").text)
    assert csrf is not None
    body = {"csrf": csrf[1], "email": "ada@example.com", "password": PASSWORD}
    assert browser.post("/sign-in", data=body).status_code == 303
    return browser


def test_sign_outs_and_revocations_survive_a_restart(start: Any, clock: Any) -> None:
    first = start()
    with first.app.state.database.transaction() as session:
        user = create_user(session, email="ada@example.com", name="Ada", now=clock())
        user.password_hash = hash_password(PASSWORD)
        token = mint_user_token(session, user, now=clock())
    left, stays = sign_in(first.url), sign_in(first.url)
    copies = {"left": dict(left.cookies), "stays": dict(stays.cookies)}
    home = left.get("/observatory/home").text
    revoke, csrf = re.search(r'action="(/home/tokens/[^"]+)"', home), re.search(r'name="csrf" value="([^"]+)"', home)
    assert revoke is not None and csrf is not None
    assert left.post(revoke[1], data={"csrf": csrf[1]}).status_code == 303
    assert left.post("/sign-out", data={"csrf": csrf[1]}).status_code == 303
    left.close()
    stays.close()

    for server in (first, start(), start()):
        for name, expected in (("left", 401), ("stays", 200)):
            with httpx.Client(base_url=server.url, cookies=copies[name], trust_env=False) as browser:
                assert browser.get("/whoami").status_code == expected
                assert browser.get("/observatory/home").status_code == (200 if expected == 200 else 303)
                me = browser.get("/observatory/api/me").json()
                assert me["signed_in"] is (expected == 200)
                csrf_header = {"X-CSRF-Token": me["csrf"]}
                changed = browser.post("/players", json={"name": f"{name} {server.url}"}, headers=csrf_header)
                assert changed.status_code == expected
        refused = httpx.get(f"{server.url}/whoami", headers={"X-Auth-Token": token}, trust_env=False)
        assert refused.status_code == 401


def test_ended_sessions_are_deleted_when_their_cookies_have_expired(start: Any, clock: Any) -> None:
    server = start()
    database = server.app.state.database
    with database.transaction() as session:
        user = create_user(session, email="ada@example.com", name="Ada", now=clock())
        user.password_hash = hash_password(PASSWORD)
    with contextlib.closing(sign_in(server.url)) as browser:
        csrf = re.search(r'name="csrf" value="([^"]+)"', browser.get("/observatory/home").text)
        assert csrf is not None
        browser.post("/sign-out", data={"csrf": csrf[1]})

    def count() -> int:
        with database.read() as session:
            return session.scalar(select(func.count()).select_from(EndedSession)) or 0

    sweep(database, server.app.state.store, clock() + timedelta(days=SESSION_DAYS + CLOCK_DAYS - 1))
    assert count() == 1
    sweep(database, server.app.state.store, clock() + timedelta(days=SESSION_DAYS + CLOCK_DAYS + 1))
    assert count() == 0
