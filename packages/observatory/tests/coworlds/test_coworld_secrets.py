"""Secrets of games: stored by their owners, never shown, readable by an episode through an address that expires."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from observatory.database.tables.coworlds import CoworldSecret
from packages.observatory.tests.coworlds.games import game, publish, put_coworld

VALUE = b"\x00a-value-nobody-may-see"
OCTETS = {"Content-Type": "application/octet-stream"}


def put(client: TestClient, account: Any, path: str, value: bytes = VALUE) -> Any:
    return client.put(f"/v2/coworlds/secrets/{path}", content=value, headers={**account.headers, **OCTETS})


def test_an_owner_stores_replaces_lists_and_deletes_secrets(
    app: FastAPI, client: TestClient, ada: Any, bob: Any, admin: Any, clock: Any
) -> None:
    coworld_id = put_coworld(app, clock, ada, "Paint-Arena")
    row = put(client, ada, "paint_arena/key").json()
    assert row == {
        "coworld_id": coworld_id,
        "coworld_name": "Paint-Arena",
        "owner_user_id": ada.user_id,
        "secret_name": "key",
        "size_bytes": len(VALUE),
        "updated_at": "2026-03-01T12:00:00Z",
    }
    assert put(client, ada, f"{coworld_id}/key", b"2").json()["size_bytes"] == 1
    put(client, ada, "paint-arena/another")
    listed = client.get("/v2/coworlds/secrets/paint-arena", headers=ada.headers).json()
    assert [entry["secret_name"] for entry in listed] == ["another", "key"]
    with app.state.database.read() as session:
        for secret in session.query(CoworldSecret):
            assert VALUE not in secret.ciphertext and VALUE not in secret.wrapped_key
    for other in (bob, admin):
        assert put(client, other, "paint-arena/key").status_code == 403
        assert client.get("/v2/coworlds/secrets/paint-arena", headers=other.headers).status_code == 403
        assert client.delete("/v2/coworlds/secrets/paint-arena/key", headers=other.headers).status_code == 403
    assert client.delete("/v2/coworlds/secrets/paint-arena/key", headers=ada.headers).json()["secret_name"] == "key"
    assert client.delete("/v2/coworlds/secrets/paint-arena/key", headers=ada.headers).status_code == 404
    assert put(client, ada, "nothing/key").status_code == 404


@pytest.mark.any_database
def test_secrets_beyond_the_limits_are_refused(
    app: FastAPI, client: TestClient, ada: Any, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_coworld(app, clock, ada)
    assert put(client, ada, "paintarena/-key").status_code == 422
    assert put(client, ada, "paintarena/key", b"x" * (256 * 1024 + 1)).status_code == 413
    pieces = (b"x" * 1024 for _ in range(300))  # without an announced length
    path = "/v2/coworlds/secrets/paintarena/key"
    assert client.put(path, content=pieces, headers={**ada.headers, **OCTETS}).status_code == 413
    monkeypatch.setattr("observatory.coworlds.secrets.MAX_SECRETS", 1)
    assert put(client, ada, "paintarena/key").status_code == 200
    assert put(client, ada, "paintarena/second").status_code == 409


@pytest.mark.any_database
def test_an_episode_reads_the_secrets_of_its_game_through_the_lease(
    app: FastAPI, client: TestClient, ada: Any, admin: Any
) -> None:
    manifest = game()
    manifest["game"]["runnable"]["env"] = {"KEY_URL": "secret://coworld/paintarena/key", "PLAIN": "1"}
    coworld = publish(client, ada, manifest).json()
    assert coworld["manifest"]["game"]["runnable"]["env"]["KEY_URL"] == "secret://coworld/paintarena/key"
    put(client, ada, "paintarena/key")
    token = client.post("/admin/tokens", json={"name": "worker"}, headers=admin.headers).json()["token"]
    lease = client.post("/work/lease", json={"worker": "w"}, headers={"X-Auth-Token": token}).json()
    env = lease["spec"]["manifest"]["game"]["runnable"]["env"]
    assert env["PLAIN"] == "1"
    assert env["KEY_URL"] == "secret://leased/0"  # the box of a game has no network: the worker brings the file
    address = lease["files"]["game-secrets/0"]
    answer = client.get(address)
    assert (answer.content, answer.headers["cache-control"]) == (VALUE, "no-store")
    assert client.get(address[:-2] + "xx").status_code == 404
    assert client.get("/v2/coworlds/secret-values/nothing").status_code == 404
