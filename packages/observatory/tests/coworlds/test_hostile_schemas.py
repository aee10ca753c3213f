"""Schemas made to keep a server busy: refused with the manifest, and applied in a sandbox only.

Without `HOSTILE_LEVELS=all` (`make soak`) one of those that the sandbox has to stop is tried.
"""

from __future__ import annotations

import os
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

import cogbox
from observatory.coworlds import inspection
from packages.observatory.tests.coworlds.games import game, publish, put_coworld

pytestmark = pytest.mark.any_database


def with_schema(**changes: Any) -> dict[str, Any]:
    """Return a manifest whose game takes any configuration, with these keywords in its schema."""
    manifest = game()
    schema = manifest["game"]["config_schema"]
    schema["additionalProperties"] = True
    schema["properties"] |= changes.pop("properties", {})
    schema.update(changes)
    return manifest


def nested(depth: int, leaf: Any) -> Any:
    for _ in range(depth):
        leaf = {"x": leaf}
    return leaf


def doubling(depth: int) -> dict[str, Any]:
    """Return definitions of which each applies the next one twice."""
    definitions = {f"a{n}": {"allOf": [{"$ref": f"#/$defs/a{n + 1}"}] * 2} for n in range(depth)}
    return {"$defs": {**definitions, f"a{depth}": {}}, "allOf": [{"$ref": "#/$defs/a0"}]}


# Applies itself twice to what is one level deeper: 2**n times to a value that is n deep.
TREE = {"$defs": {"a": {"properties": {"x": {"allOf": [{"$ref": "#/$defs/a"}] * 2}}}}, "$ref": "#/$defs/a"}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"$defs": nested(45, {})}, "the schema is nested more than 40 deep"),
        ({"description": "x" * 300_000}, "bytes; at most 262,144 are allowed"),
        ({"enum": list(range(1001))}, "game.config_schema.enum: the list has 1,001 values; at most 1,000 are allowed"),
        ({"pattern": "a" * 501}, "the pattern has 501 characters; at most 500 are allowed"),
        ({"pattern": "(?=a)a"}, "cannot be matched in linear time (write a regular expression without look-around"),
        ({"patternProperties": {r"(a)\1": {}}}, "cannot be matched in linear time"),
        ({"pattern": "((a{1000}){1000}){1000}"}, "cannot be matched in linear time"),
        (doubling(40), "its references lead to more than 20,000 subschemas"),
        ({"$ref": "#"}, "its references lead in a circle"),
        ({"$ref": "http://127.0.0.1/schema.json"}, "leads to another document"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_schema_beyond_the_limits_is_refused_in_one_sentence(
    client: TestClient, ada: Any, changes: dict[str, Any], says: str
) -> None:
    for schema in ("config_schema", "results_schema"):
        manifest = with_schema(**changes) if schema == "config_schema" else game()
        manifest["game"][schema] |= changes
        answer = publish(client, ada, manifest)
        sentence = says.replace("config_schema", schema)
        assert (answer.status_code, sentence in answer.json()["detail"]) == (422, True), answer.text[:500]


def test_an_ordinary_schema_is_taken(client: TestClient, ada: Any) -> None:
    tree = {"type": "object", "properties": {name: {"$ref": "#/$defs/node"} for name in ("left", "right")}}
    changes = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$defs": {"node": tree},
        "patternProperties": {"^x-[a-z]+$": {"$ref": "#/$defs/node"}},
    }
    assert publish(client, ada, with_schema(**changes)).status_code == 200


@pytest.fixture
def quick_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little time for the sandbox, and no schemas applied in this process, which is the server."""

    def applied(*_: object) -> None:
        raise AssertionError("the server applied a schema")

    monkeypatch.setattr("coworld.manifest.validation.json_schema_validation_errors", applied)
    limits = cogbox.Limits(memory=1 << 30, wall_seconds=20, cpu_seconds=1.0, processes=16, output_bytes=1 << 20)
    monkeypatch.setattr(inspection, "_LIMITS", limits)


@pytest.mark.usefixtures("sandboxed", "quick_limits")
def test_a_manifest_that_keeps_the_check_busy_is_refused(client: TestClient, ada: Any) -> None:
    manifest = with_schema(**TREE)
    manifest["variants"][0]["game_config"] |= nested(40, 1)
    answer = publish(client, ada, manifest)
    assert answer.status_code == 422
    assert "it could not be checked within the limits" in answer.json()["detail"]


HOSTILE: dict[str, tuple[dict[str, Any], Any]] = {
    "references and depth": (TREE, nested(40, 1)),
    "backtracking": ({"properties": {"x": {"pattern": r"(?=a)^(a+)+$"}}}, "a" * 40 + "!"),
    "unequal items": ({"properties": {"x": {"uniqueItems": True}}}, [{"a": n} for n in range(18_000)]),
    "errors that quote the value": ({"anyOf": [{"maxProperties": 0}] * 100_000}, "x" * 200_000),
}


@pytest.mark.parametrize("name", HOSTILE if os.environ.get("HOSTILE_LEVELS") == "all" else ["backtracking"])
@pytest.mark.usefixtures("quick_limits")
def test_overrides_are_checked_in_a_sandbox_with_a_schema_from_before_the_limits(
    app: FastAPI, client: TestClient, ada: Any, bob: Any, clock: Any, name: str
) -> None:
    schema, value = HOSTILE[name]
    coworld_id = put_coworld(app, clock, bob, manifest=with_schema(**schema))
    body = {"coworld_id": coworld_id, "roster": [{"player": {"game_player": "sweep"}}] * 2}
    overrides = value if isinstance(value, dict) else {"x": value}
    refused = client.post(
        "/v2/experience-requests", json=body | {"game_config_overrides": overrides}, headers=ada.headers
    )
    assert refused.status_code == 400, refused.text[:500]
    assert "cannot be played like that" in refused.json()["detail"] and len(refused.text) < 1000
    # The author's configuration was checked with the manifest: it is queued at once.
    assert client.post("/v2/experience-requests", json=body, headers=ada.headers).status_code == 200
