"""`X-Forwarded-For`: a claim of anybody, unless a proxy that the operator named makes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from pydantic import ValidationError

from observatory.settings import Settings

pytestmark = pytest.mark.any_database


@pytest.fixture
def statuses(make_app: Callable[..., FastAPI], serve: Callable[[FastAPI], Any]) -> Callable[..., list[int]]:
    """The statuses of calls with these `X-Forwarded-For`, on a server that allows three calls of an address."""

    def call(forwarded: list[str], **settings: Any) -> list[int]:
        url = serve(make_app(anonymous_rate=6, **settings)).url
        with httpx.Client(base_url=url, trust_env=False) as http:
            return [http.get("/flags/me", headers={"X-Forwarded-For": value}).status_code for value in forwarded]

    return call


def test_rotated_headers_make_no_new_callers(statuses: Any) -> None:
    rotated = [f"203.0.113.{number}" for number in range(5)]
    assert statuses(rotated) == [200, 200, 200, 429, 429]
    # Nor when another proxy than the sender is trusted.
    assert statuses(rotated, trusted_proxies=["10.0.0.0/8"]) == [200, 200, 200, 429, 429]


def test_a_trusted_proxy_names_the_caller(statuses: Any) -> None:
    proxy = {"trusted_proxies": ["127.0.0.1"]}
    assert statuses([f"203.0.113.{number}" for number in range(5)], **proxy) == [200] * 5
    # The caller wrote the entries before the proxy's own.
    spoofed = [f"198.51.100.{number}, 203.0.113.9" for number in range(4)]
    assert statuses(spoofed, **proxy) == [200, 200, 200, 429]
    # A chain of trusted proxies is walked; an invalid address counts as the proxy's.
    chained = [f"203.0.113.{number}, 10.0.0.1" for number in range(4)]
    assert statuses(chained, trusted_proxies=["127.0.0.1", "10.0.0.0/8"]) == [200] * 4
    assert statuses([f"nobody-{number}" for number in range(4)], **proxy) == [200, 200, 200, 429]


def test_the_log_has_the_address_of_the_caller(
    make_app: Callable[..., FastAPI], serve: Callable[[FastAPI], Any], caplog: pytest.LogCaptureFixture
) -> None:
    for trusted, expected in ([], "127.0.0.1"), (["127.0.0.1"], "203.0.113.7"):
        caplog.clear()
        url = serve(make_app(trusted_proxies=trusted)).url
        httpx.get(f"{url}/flags/me", headers={"X-Forwarded-For": "203.0.113.7"}, trust_env=False)
        [line] = [record for record in caplog.records if record.name == "observatory.access"]
        assert line.__dict__["address"] == expected


def test_a_proxy_is_named_by_its_address() -> None:
    with pytest.raises(ValidationError, match="trusted_proxies"):
        Settings(trusted_proxies=["proxy.example.com"])
