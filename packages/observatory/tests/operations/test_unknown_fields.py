"""A field that a route does not know is refused, with its name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from packages.observatory.tests.world import World


@pytest.fixture
def http(server: Any) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, trust_env=False, timeout=20) as client:
        yield client


def test_every_body_of_the_document_refuses_unknown_fields(app: FastAPI) -> None:
    document = app.openapi()
    bodies = {
        reference["$ref"].rpartition("/")[2]
        for calls in document["paths"].values()
        for call in calls.values()
        for schema in [call.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})]
        for reference in (schema, schema.get("items", {}), *schema.get("anyOf", ()))
        if "$ref" in reference
    }
    assert len(bodies) > 20
    schemas = document["components"]["schemas"]
    assert [name for name in sorted(bodies) if schemas[name].get("additionalProperties") is not False] == []


def test_an_unknown_field_is_named(http: httpx.Client, world: World, ada: Any, admin: Any) -> None:
    season, version = world.season(), world.version(ada)
    calls: list[tuple[str, str, Any, Any, list[str | int]]] = [
        ("POST", "/players", ada, {"name": "x", "nmae": "y"}, ["body", "nmae"]),
        ("POST", "/credentials/auth-codes/exchange", ada, {"code": "x", "token": "y"}, ["body", "token"]),
        ("PATCH", f"/admin/users/{ada.user_id}", admin, {"disable": True}, ["body", "disable"]),
        ("POST", "/admin/tokens", admin, {"name": "x", "expires": 1}, ["body", "expires"]),
        (
            "POST",
            f"/tournament/seasons/{season}/submissions",
            ada,
            {"policy_version_id": str(version), "pool": "competition"},
            ["body", "pool"],
        ),
        ("POST", "/jobs/batch", admin, [{"job": {}, "priority": 9}], ["body", 0, "priority"]),
        ("POST", "/observatory/api/admin/recompute", admin, {"chek": False}, ["body", "chek"]),
    ]
    for method, path, who, body, place in calls:
        refused = http.request(method, path, json=body, headers=who.headers)
        assert refused.status_code == 422, (path, refused.text)
        problems = {tuple(problem["loc"]): problem["msg"] for problem in refused.json()["detail"]}
        assert problems[tuple(place)] == "Extra inputs are not permitted", path
    # Nothing was done.
    assert http.get("/whoami", headers=ada.headers).status_code == 200
    assert [player["name"] for player in http.get("/players", headers=ada.headers).json()] == ["ada"]
