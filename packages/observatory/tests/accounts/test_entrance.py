"""The link of `observatory demo` that signs its administrator in."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from observatory.accounts.bootstrap import bootstrap

KEY = "the-key-of-this-start"


@pytest.fixture
def url(make_app: Callable[..., FastAPI], serve: Callable[[FastAPI], Any], clock: Any) -> str:
    app = make_app()
    bootstrap(app.state.database, app.state.settings, clock())
    app.state.entrance = KEY
    address = str(serve(app).url)
    app.state.settings.public_url = address
    return address


def enter(url: str, key: str = KEY, **headers: str) -> httpx.Response:
    return httpx.get(f"{url}/enter", params={"key": key}, headers=headers, trust_env=False)


def test_the_link_works_once(url: str) -> None:
    assert enter(url, "guessed").status_code == 404
    first = enter(url)
    assert (first.status_code, first.headers["location"]) == (303, "/observatory")
    me = httpx.get(f"{url}/observatory/api/me", cookies=dict(first.cookies), trust_env=False).json()
    assert me["is_admin"] is True
    again = enter(url)
    assert again.status_code == 404 and "was used already" in again.text and "set-cookie" not in again.headers


def test_two_concurrent_uses_of_the_link_sign_in_once(url: str) -> None:
    with ThreadPoolExecutor(8) as threads:
        statuses = sorted(answer.status_code for answer in threads.map(lambda _: enter(url), range(8)))
    assert statuses == [303] + [404] * 7


def test_the_link_works_under_the_address_it_was_printed_with(url: str) -> None:
    for host in ("league.example.com", "localhost", url.removeprefix("http://").replace("127.0.0.1", "localhost")):
        refused = enter(url, Host=host)
        assert refused.status_code == 403 and "works at 127.0.0.1" in refused.text
        assert "set-cookie" not in refused.headers
    assert enter(url).status_code == 303  # the key was not used up
