"""Reporters: registered by their owners, uploaded in versions, found by what they write."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from packages.observatory.tests.coworlds.games import game, publish

WASM = b"\0asm\x0d\0\1\0 a component"
ATTRIBUTES = {"purpose": "narrative", "world": "softmax:reporter@0.6.0", "outputs": []}


def register(client: TestClient, account: Any, name: str, *types: str, **options: Any) -> dict[str, Any]:
    outputs = [{"name": f"part-{kind}", "type": kind, **options} for kind in types]
    body = {"name": name, "display_name": name.title(), "description": f"Writes {name}", "outputs": outputs}
    answer = client.post("/v2/reporters/register", json=body, headers=account.headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


def upload(client: TestClient, account: Any, name: str, data: bytes = WASM, **attributes: Any) -> Any:
    """Send a component as published clients do."""
    sha256 = hashlib.sha256(data).hexdigest()
    body = {"name": name, "content_hash": sha256, "attributes": ATTRIBUTES | attributes}
    begun = client.post("/v2/reporters/upload", json=body | {"size_bytes": len(data)}, headers=account.headers)
    if begun.status_code != 200 or begun.json()["existing_version"] is not None:
        return begun
    assert client.put(begun.json()["upload_url"], content=data).status_code == 200
    return client.post("/v2/reporters/upload/complete", json=body, headers=account.headers)


@pytest.mark.any_database
def test_a_component_becomes_versions_that_manifests_refer_to(client: TestClient, ada: Any, bob: Any) -> None:
    first = register(client, ada, "story", "render-html")
    assert first["created"] is True and first["reporter_key"].startswith("rptr_")
    again = register(client, ada, "story", "render-html", "json")
    assert (again["id"], again["created"], again["reporter_key"]) == (first["id"], False, None)
    assert upload(client, ada, "story").json()["version"]["version"] == 1
    assert upload(client, ada, "story").json()["existing_version"]["version"] == 1
    assert upload(client, ada, "story", purpose="other").json()["existing_version"]["version"] == 2
    assert upload(client, bob, "story").status_code == 404
    register(client, bob, "story", "json")
    wrong = upload(client, bob, "story", b"no component")
    assert (wrong.status_code, "is not a WebAssembly component" in wrong.json()["detail"]) == (400, True)

    detail = client.get(f"/v2/reporters/{first['id']}").json()
    assert (detail["latest_version"], detail["purpose"], detail["latest_output"]) == (2, "other", None)
    assert publish(client, ada, game(reporter=[{"reporter": f"{ada.user_id}/story@2"}])).status_code == 200
    unknown = publish(client, bob, game("bobs", reporter=[{"reporter": f"{ada.user_id}/story@3"}]))
    assert (unknown.status_code, "There is no reporter" in unknown.json()["detail"]) == (400, True)


def test_reporters_are_found_by_words_types_authors_and_schemas(
    app: FastAPI, client: TestClient, ada: Any, bob: Any, clock: Any
) -> None:
    def listed(**params: Any) -> list[str]:
        answer = client.get("/v2/reporters", params=params)
        assert answer.status_code == 200, answer.text
        return [row["name"] for row in answer.json()]

    schema = "https://example.com/coworld.stats.v1.json"
    register(client, ada, "story", "render-html", "json")
    clock.advance(1)
    register(client, ada, "numbers", "json", schema=schema)
    clock.advance(1)
    register(client, bob, "logs", "event-log")
    upload(client, ada, "story")
    assert listed() == ["logs", "numbers", "story"]
    assert (listed(mode="hosted"), listed(mode="external")) == (["story"], ["logs", "numbers"])
    assert (listed(q="NUMB"), listed(q="writes"), listed(q="%")) == (["numbers"], ["logs", "numbers", "story"], [])
    assert listed(type="json") == ["numbers", "story"]
    assert listed(type=["render-html", "event-log"]) == ["logs", "story"]
    assert (listed(author=bob.user_id), listed(schema_uri=schema)) == (["logs"], ["numbers"])
    page = client.get("/v2/reporters?limit=1")
    rest = client.get("/v2/reporters", params={"limit": 5, "cursor": page.headers["X-Next-Cursor"]})
    assert [row["name"] for row in rest.json()] == ["numbers", "story"]
    assert "X-Next-Cursor" not in rest.headers
    assert client.get("/v2/reporters/rptr_1").status_code == 404
    body = {"name": "Bad Name", "display_name": "x", "description": "", "outputs": []}
    assert client.post("/v2/reporters/register", json=body, headers=ada.headers).status_code == 422
