"""The matrix of callers and routes when something around it changes: addresses, restarts, clocks, a read-only disk."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

import anyio
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from observatory.accounts import service as accounts
from observatory.app import create_app
from observatory.clock import ClockWatch
from observatory.database.tables.accounts import User
from observatory.http.rate_limits import _FREE as FREE
from observatory.http.rate_limits import RateLimits
from observatory.http.visitors import COOKIE, SESSION_DAYS, Signer
from observatory.operations.sweeping import PAUSES, sweep, sweep_periodically
from packages.observatory.tests.access.test_every_route import CALLERS, ROUTES, Scene, scene
from packages.observatory.tests.jobs.test_leases import Worker, queued, status, worker

__all__ = ["queued", "scene", "worker"]

DAY = 24 * 3600
ANONYMOUS = CALLERS.index("anonymous")
EXPIRED = CALLERS.index("expired")


def statuses(
    client: TestClient, scene: Scene, headers: Callable[[int], Mapping[str, str]], routes: list[str] | None = None
) -> dict[str, int]:
    """What each route answers to requests with these headers, which are made for the number of the request."""
    client.app.state.settings.event_stream_seconds = 0.0  # type: ignore[attr-defined]
    codes = {}
    for number, route in enumerate(ROUTES if routes is None else routes):
        method, template = route.split(" ", 1)
        make_body = ROUTES[route][1]
        body = None if make_body is None else make_body(scene)
        answer = client.request(method, scene.path(template), json=body, headers=dict(headers(number)))
        codes[route] = answer.status_code
    return codes


def expected_statuses(caller: int, routes: list[str]) -> dict[str, int]:
    return {route: int(ROUTES[route][0].split()[caller]) for route in routes}


@pytest.mark.any_database
def test_no_route_counts_a_forwarded_address_of_an_unknown_proxy(
    app: FastAPI, client: TestClient, scene: Scene
) -> None:
    app.state.rate_limits = RateLimits(app.state.settings.model_copy(update={"anonymous_rate": 1}), app.state.metrics)
    assert client.get("/flags/me").status_code == 200
    actual = statuses(client, scene, lambda number: {"X-Forwarded-For": f"203.0.113.{number}", "X-Real-IP": "9.9.9.9"})
    free = (*FREE, "/openapi.json")  # the same public document
    refused = {route: 429 for route in ROUTES if not route.partition(" ")[2].startswith(free)}
    assert len(refused) > 100
    assert {route: actual[route] for route in refused} == refused


@pytest.mark.any_database
def test_no_route_accepts_a_session_or_a_token_that_ended_before_a_restart(
    app: FastAPI, client: TestClient, scene: Scene, ada: Any, clock: Any
) -> None:
    signer = Signer(app.state.keys.secret, "browser session")
    cookie = signer.sign({"user": ada.user_id, "version": 1, "nonce": "n" * 16}, seconds=SESSION_DAYS * DAY)
    client.cookies.set(COOKIE, cookie)
    csrf = client.get("/observatory/api/me").json()["csrf"]
    assert client.get("/whoami").status_code == 200
    with app.state.database.transaction() as session:
        user = session.get_one(User, ada.user_id)
        for row in accounts.repository.tokens(session, user_id=user.id):
            accounts.revoke(session, row, now=clock())
    assert client.post("/sign-out", data={"csrf": csrf}).status_code == 303
    restarted = create_app(app.state.settings.model_copy(update={"anonymous_rate": 10_000}), clock=clock)
    again = TestClient(restarted, raise_server_exceptions=False, follow_redirects=False)
    again.portal = client.portal
    try:
        # Each route once. Which ones accept what was valid before is in the table, see `test_every_route`.
        with_cookie, with_token = list(ROUTES)[::2], list(ROUTES)[1::2]
        headers = {"Cookie": f"{COOKIE}={cookie}", "X-CSRF-Token": csrf}
        assert statuses(again, scene, lambda _: headers, with_cookie) == expected_statuses(ANONYMOUS, with_cookie)
        tokens = [scene.tokens["owner"], scene.tokens["writer"]]
        actual = statuses(again, scene, lambda number: {"X-Auth-Token": tokens[number % 2]}, with_token)
        assert actual == expected_statuses(EXPIRED, with_token)
    finally:
        again.close()
        restarted.state.database.close()


@pytest.mark.any_database
def test_a_changed_clock_opens_and_breaks_no_route(
    app: FastAPI, client: TestClient, scene: Scene, account: Any, clock: Any
) -> None:
    plenty = app.state.settings.model_copy(update={"anonymous_rate": 10_000})
    app.state.rate_limits = RateLimits(plenty, app.state.metrics)
    lasting, revoked = account("carol").token, account("dave").token
    short = account("carol", expires_in=timedelta(days=30)).token
    with app.state.database.transaction() as session:
        user = session.query(User).filter_by(email="dave@example.com").one()
        [row] = accounts.repository.tokens(session, user_id=user.id)
        accounts.revoke(session, row, now=clock())
    reading = [route for route in ROUTES if route.startswith("GET ")]
    before = statuses(client, scene, lambda _: {"X-Auth-Token": lasting}, reading)
    for number, (days, ended) in enumerate(((-400, revoked), (800, short))):
        clock.advance(days * DAY)
        after = statuses(client, scene, lambda _: {"X-Auth-Token": lasting}, reading)
        assert after == before
        half = list(ROUTES)[number::2]
        assert statuses(client, scene, lambda _: {"X-Auth-Token": ended}, half) == expected_statuses(EXPIRED, half)  # noqa: B023
    writing = [route for route in ROUTES if route not in reading]
    changed = statuses(client, scene, lambda _: {"X-Auth-Token": lasting}, writing)
    assert [route for route, code in changed.items() if code >= 500] == []


def test_a_clock_that_was_set_back_does_not_hold_a_job_of_a_lost_worker(
    client: TestClient, admin: Any, worker: Worker, queued: str, clock: Any
) -> None:
    lease = worker.lease()
    assert lease is not None
    clock.advance(-30 * DAY)
    assert worker.lease() is None  # the worker that has it may still be there
    assert worker.call(lease, "heartbeat", {"status": "running"}).status_code == 200
    clock.advance(59)
    assert worker.lease() is None
    clock.advance(2)
    again = worker.lease()
    assert again is not None and again["job_id"] == queued
    assert worker.play(again).json()["status"] == "completed"
    assert status(client, admin, queued)["error"] is None


def test_a_clock_that_was_set_forwards_costs_a_job_one_lease(
    client: TestClient, admin: Any, worker: Worker, queued: str, clock: Any
) -> None:
    lease = worker.lease()
    assert lease is not None
    clock.advance(400 * DAY)
    assert worker.call(lease, "heartbeat", {"status": "running"}).status_code == 200  # it is alive, and keeps the job
    assert worker.lease() is None
    clock.advance(-400 * DAY)
    assert worker.lease() is None
    assert worker.call(lease, "finish", {"status": "failed"}).status_code == 200
    assert status(client, admin, queued)["attempts"] == 1


def test_a_changed_clock_removes_nothing(
    app: FastAPI, ada: Any, world: Any, clock: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The sweeper starts at the right time, the clock jumps ahead by ten years, and comes back."""
    caplog.set_level(logging.WARNING)
    season = world.season()
    match = world.match(season, "competition", [(world.version(ada), 4)])
    world.play(match, [1.0] * 4)
    replay = f"jobs/{world.job_of(match)}/replay.json.z"
    rounds = []

    class Over(Exception):
        pass

    async def next_round(seconds: float) -> None:
        rounds.append(app.state.store.size(replay))
        if len(rounds) == 1:
            clock.advance(10 * 365 * DAY)
        if len(rounds) == PAUSES:
            clock.advance(-10 * 365 * DAY)
        if len(rounds) == 3 * PAUSES:
            raise Over

    monkeypatch.setattr("observatory.operations.sweeping.anyio.sleep", next_round)
    with pytest.raises(Over):
        anyio.run(sweep_periodically, app)
    assert rounds == [rounds[0]] * 3 * PAUSES and rounds[0]
    assert caplog.text.count("nothing is removed for a day") == 2
    # A date that is right, and years later.
    sweep(app.state.database, app.state.store, clock())


def test_a_suspended_machine_does_not_count_as_a_changed_clock(clock: Any) -> None:
    seconds = 0.0
    watch = ClockWatch(clock, lambda: seconds)
    seconds += 1000 * DAY
    clock.advance(1000 * DAY)
    assert watch.set_by() == 0
    clock.advance(-7200)
    assert (watch.set_by(), watch.set_by()) == (-7200, 0)
