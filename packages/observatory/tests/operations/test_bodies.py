"""Bodies: who may send one, how large it is, how deep."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute, iter_route_contexts

from observatory.http.bodies import MAX_DEPTH, MAX_VALUES
from observatory.http.routing import Route

pytestmark = pytest.mark.any_database

JSON = {"Content-Type": "application/json"}


@pytest.fixture
def http(server: Any) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, trust_env=False, timeout=20) as client:
        yield client


def nested(levels: int) -> bytes:
    return b'{"name": ' + b"[" * (levels - 1) + b"]" * (levels - 1) + b"}"


def test_every_route_with_a_body_checks_its_caller_first(app: FastAPI) -> None:
    routes = [route for route in iter_route_contexts(app.routes) if isinstance(route.original_route, APIRoute)]
    assert len(routes) > 80
    assert all(isinstance(route.original_route, Route) for route in routes if route.path != "/openapi.json")


def test_a_body_is_read_after_the_caller_is_known(http: httpx.Client, ada: Any, admin: Any) -> None:
    def answer(path: str, headers: dict[str, str]) -> int:
        return http.post(path, content=b"[" * 1_000_000, headers=JSON | headers).status_code

    assert answer("/players", {}) == answer("/players", {"X-Auth-Token": "obs_no"}) == 401
    assert answer("/jobs/batch", ada.headers) == 403
    assert answer("/jobs/batch", {"X-Auth-Token": admin.token}) == 403
    assert answer("/work/lease", ada.headers) == 401
    assert answer("/work/jobs/00000000-0000-0000-0000-000000000000/finish", ada.headers) == 404


def test_a_body_may_be_as_large_as_its_route_needs(http: httpx.Client, ada: Any, admin: Any) -> None:
    large = json.dumps({"name": "x" * 70_000}).encode()
    for content in (large, iter([large])):
        refused = http.post("/players", content=content, headers=JSON | ada.headers)
        assert refused.status_code == 413
        assert refused.json()["detail"] == "The body of this request may have at most 65,536 bytes"
    # A job may hold a map.
    padded = json.dumps([{"job": {"policy_uris": [], "padding": "x" * 2_000_000}}]).encode()
    assert http.post("/jobs/batch", content=padded, headers=JSON | admin.headers).status_code == 400


def test_deeply_nested_bodies_are_refused(http: httpx.Client, ada: Any) -> None:
    for levels in (MAX_DEPTH + 1, 5000, 30_000):
        refused = http.post("/players", content=nested(levels), headers=JSON | ada.headers)
        assert refused.status_code == 422, levels
        assert refused.json()["detail"] == f"The body is nested too deeply; at most {MAX_DEPTH} levels are allowed"
    allowed = http.post("/players", content=nested(MAX_DEPTH), headers=JSON | ada.headers)
    assert allowed.status_code == 422 and allowed.json()["detail"][0]["loc"] == ["body", "name"]


def test_bodies_with_too_many_values_are_refused(http: httpx.Client, admin: Any) -> None:
    many = b"[" + b"[]," * (MAX_VALUES // 2) + b"[]]"
    refused = http.post("/jobs/batch", content=many, headers=JSON | admin.headers)
    assert refused.status_code == 422 and "too many values" in refused.json()["detail"]


@pytest.mark.parametrize("body", [b'{"name": "\xff"}', b"\x00", b'{"name": ', b"NaN" * 2000, b'"' + b"\\ud800" + b'"'])
def test_a_body_that_is_not_json_is_refused(http: httpx.Client, ada: Any, body: bytes) -> None:
    assert http.post("/players", content=body, headers=JSON | ada.headers).status_code == 422


def test_bodies_count_against_the_rate_before_they_are_read(
    make_app: Callable[..., FastAPI], serve: Callable[[FastAPI], Any]
) -> None:
    url = serve(make_app(anonymous_rate=4)).url
    with httpx.Client(base_url=url, trust_env=False) as client:
        statuses = [client.post("/players", content=b"[" * 100_000, headers=JSON).status_code for _ in range(3)]
    assert statuses == [401, 401, 429]
