"""A field that a route does not know is refused, with its name."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from fastapi import FastAPI
from fastapi.params import Form
from fastapi.routing import iter_route_contexts

from packages.observatory.tests.world import World, bundle


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
    for method, path, account, body, place in calls:
        refused = http.request(method, path, json=body, headers=account.headers)
        assert refused.status_code == 422, (path, refused.text)
        problems = {tuple(problem["loc"]): problem["msg"] for problem in refused.json()["detail"]}
        assert problems[tuple(place)] == "Extra inputs are not permitted", path
    # Nothing was done.
    assert http.get("/whoami", headers=ada.headers).status_code == 200
    assert [player["name"] for player in http.get("/players", headers=ada.headers).json()] == ["ada"]


FORMS = (
    "/sign-in",
    "/sign-out",
    "/join",
    "/cli-login",
    "/cli-auth",
    "/home/tokens/{}/revoke",
    "/notices/confirm",
    "/notices/unsubscribe",
    "/stats/policies/submit",
)


@pytest.mark.parametrize("kind", ["urlencoded", "multipart"])
def test_an_unknown_field_of_a_form_is_named(http: httpx.Client, ada: Any, kind: str) -> None:
    for path in FORMS:
        fields = {"csrf": "x", "nmae": "y"} if "submit" not in path else {"name": "x", "nmae": "y"}
        form: dict[str, Any] = {"data": fields}
        if kind == "multipart":
            form = {"files": {name: (None, value) for name, value in fields.items()}}
        refused = http.post(path.format(uuid.uuid4()), headers=ada.headers, **form)
        assert refused.status_code == 422, (path, refused.text)
        problem = {"type": "extra_forbidden", "loc": ["body", "nmae"], "msg": "Extra inputs are not permitted"}
        assert problem in refused.json()["detail"], path


def test_every_form_is_tried_here(app: FastAPI) -> None:
    forms = {
        route.path.replace("{token_id}", "{}")
        for route in iter_route_contexts(app.routes)
        if getattr(route, "body_field", None) is not None and isinstance(route.body_field.field_info, Form)
    }
    assert forms == set(FORMS)


def test_an_upload_with_an_unknown_part_leaves_nothing(http: httpx.Client, ada: Any, app: FastAPI) -> None:
    before = app.state.store.keys("")
    files = {"file": ("bundle.zip", bundle()), "notes": ("notes.txt", b"a file that the route does not know")}
    refused = http.post("/stats/policies/submit", data={"name": "mine"}, files=files, headers=ada.headers)
    assert refused.status_code == 422 and refused.json()["detail"][0]["loc"] == ["body", "notes"]
    assert http.get("/stats/policies/my-versions", headers=ada.headers).json()["total_count"] == 0
    assert app.state.store.keys("") == before


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"stpes": 3}, "stpes"),
        ({"policies": [{"agents": [{"agent_id": 0, "reward": 1}], "score": 1}]}, "policies.0.score"),
        ({"policies": [{"agents": [{"agent_id": 0, "reward": 1, "rewrad": 2}]}]}, "policies.0.agents.0.rewrad"),
    ],
)
def test_an_unknown_field_in_a_line_of_a_bulk_upload_is_named(
    http: httpx.Client, world: World, ada: Any, change: dict[str, Any], place: str
) -> None:
    version = str(world.version(ada))
    good = {"policies": [{"policy_version_id": version, "agents": [{"agent_id": 0, "reward": 1.0}]}]}
    bad = good | change
    bad["policies"] = [{"policy_version_id": version, **policy} for policy in bad["policies"]]
    begun = http.post("/stats/episodes/bulk_upload/presigned-url", headers=ada.headers).json()
    content = f"{json.dumps(good)}\n{json.dumps(bad)}\n"
    path = urlsplit(begun["upload_url"])._replace(scheme="", netloc="").geturl()
    assert http.put(path, content=content, headers={"Content-Type": "application/octet-stream"}).is_success
    body = {"upload_id": begun["upload_id"]}
    refused = http.post("/stats/episodes/bulk_upload/complete", json=body, headers=ada.headers)
    assert refused.status_code == 400
    assert refused.json()["detail"] == f"Line 2 is not an episode: {place}: Extra inputs are not permitted"
    assert http.get("/episodes").json() == []  # not even the line that was right
