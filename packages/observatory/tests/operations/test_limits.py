"""How much and how often."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from observatory.errors import TooLarge
from observatory.http.limits import Buckets


def test_a_bucket_fills_at_a_steady_rate_and_says_how_long_to_wait() -> None:
    now = 0.0
    buckets = Buckets(60, burst=2, clock=lambda: now)
    assert [buckets.take("a") for _ in range(3)] == [0, 0, 1]
    assert buckets.take("b") == 0
    now += 1
    assert [buckets.take("a"), buckets.take("a")] == [0, 1]


def test_callers_over_the_limit_are_refused_before_any_work(make_app: Callable[..., FastAPI]) -> None:
    app = make_app(anonymous_rate=4, user_rate=8)
    client = TestClient(app)
    answers = [client.get("/tournament/seasons") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    refused = answers[-1]
    assert refused.headers["x-ratelimit-outcome"] == "rejected" and int(refused.headers["retry-after"]) >= 1
    assert refused.json()["detail"].startswith("Too many requests")
    # An unknown token gets no bucket of its own; health checks are never limited.
    assert client.get("/whoami", headers={"X-Auth-Token": "obs_made_up"}).status_code == 429
    assert client.get("/healthz").status_code == 200


def test_a_user_has_a_bucket_of_their_own(app: FastAPI, client: TestClient, ada: Any) -> None:
    from observatory.http.rate_limits import RateLimits

    settings = app.state.settings.model_copy(update={"anonymous_rate": 2.0, "user_rate": 6.0})
    app.state.rate_limits = RateLimits(settings, app.state.metrics)
    # The first call counts for the address: the token is not known yet.
    statuses = [client.get("/whoami", headers=ada.headers).status_code for _ in range(5)]
    assert statuses == [200, 200, 200, 200, 429]
    assert 'observatory_rate_limited_total{by="user"} ' in app.state.metrics.text().decode()


def test_policies_have_a_share_of_the_store(ada: Any, bob: Any, app: FastAPI, world: Any) -> None:
    app.state.settings.max_stored_bytes_per_user = 5
    world.version(ada)  # three bytes
    with pytest.raises(TooLarge, match="your quota is"):
        world.version(ada)
    world.version(bob)


def test_uploads_have_a_daily_share(client: TestClient, ada: Any, bob: Any, app: FastAPI, clock: Any) -> None:
    app.state.settings.max_uploads_per_day = 2
    begin = "/stats/policies/submit/presigned-url"
    statuses = [client.post(begin, headers=ada.headers).status_code for _ in range(3)]
    assert statuses == [200, 200, 429]
    assert client.post(begin, headers=bob.headers).status_code == 200
    clock.advance(24 * 3600)
    assert client.post(begin, headers=ada.headers).status_code == 200


def test_a_request_that_is_too_large_is_refused_before_it_is_read(make_app: Callable[..., FastAPI]) -> None:
    client = TestClient(make_app(max_body_bytes=1000), raise_server_exceptions=False)
    whole = {"code": "x" * 2000}
    declared = client.post("/credentials/auth-codes/exchange", json=whole)
    chunked = client.post(
        "/credentials/auth-codes/exchange",
        content=iter([b'{"code": "', b"x" * 2000, b'"}']),
        headers={"Content-Type": "application/json"},
    )
    assert [declared.status_code, chunked.status_code] == [413, 413]
    assert declared.json() == chunked.json() == {"detail": "The body of this request may have at most 1,000 bytes"}
    assert client.post("/credentials/auth-codes/exchange", json={"code": "x"}).status_code == 400
