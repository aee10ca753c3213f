"""Files of Coworlds: sent to a signed address, checked, stored once, and used by their senders only."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Mapping
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from observatory.database.tables.coworlds import ContentFile
from observatory.store.layout import content_key
from packages.observatory.tests.coworlds.games import game, publish

pytestmark = pytest.mark.any_database

BUNDLES = "/v2/coworlds/replay-viewer-bundles"
PROGRAMS = "/v2/coworlds/programs"
FILES = "/v2/coworlds/player-files/upload"


def zipped(files: Mapping[str, str], **options: Any) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = options.get("mode", 0o644) << 16
            archive.writestr(info, text)
    return data.getvalue()


def announced(data: bytes) -> dict[str, Any]:
    return {"content_hash": hashlib.sha256(data).hexdigest(), "size_bytes": len(data)}


def send(client: TestClient, account: Any, data: bytes, *, sent: bytes | None = None) -> Any:
    """Send a replay viewer as published clients do, without a content type; the answer to its completion."""
    begun = client.post(f"{BUNDLES}/upload", json=announced(data), headers=account.headers).json()
    assert begun["bundle"] == f"sha256:{announced(data)['content_hash']}"
    if begun["upload_url"] is not None:
        put = client.put(begun["upload_url"], content=data if sent is None else sent)
        assert put.status_code == 200, put.text
    return client.post(f"{BUNDLES}/upload/complete", json=announced(data), headers=account.headers)


def test_a_replay_viewer_is_checked_and_stored_once(app: FastAPI, client: TestClient, ada: Any, bob: Any) -> None:
    viewer = zipped({"index.html": "<p>", "assets/a.js": "1"})
    sha256 = announced(viewer)["content_hash"]
    assert client.get(f"{BUNDLES}/{sha256}", headers=ada.headers).status_code == 404
    missing = client.post(f"{BUNDLES}/upload/complete", json=announced(viewer), headers=ada.headers)
    assert (missing.status_code, "was not uploaded" in missing.json()["detail"]) == (400, True)
    assert send(client, ada, viewer).json() == {"bundle": f"sha256:{sha256}", "status": "ready", "detail": None}
    assert send(client, ada, viewer).json()["status"] == "ready"
    assert client.get(f"{BUNDLES}/{sha256}", headers=ada.headers).json()["status"] == "ready"
    assert app.state.store.keys("content-uploads/") == []

    # Its digest does not give the file to another user.
    assert client.get(f"{BUNDLES}/{sha256}", headers=bob.headers).status_code == 404
    manifest = game("bobs")
    manifest["game"]["replay_viewer"] = {"bundle": f"sha256:{sha256}"}
    assert publish(client, bob, manifest).status_code == 400
    assert send(client, bob, viewer).json()["status"] == "ready"
    assert publish(client, bob, manifest).status_code == 200
    assert app.state.store.size(content_key("viewer-bundle", sha256)) == len(viewer)
    with app.state.database.read() as session:
        assert session.query(ContentFile).count() == 2


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"no archive", "it is not a readable zip archive"),
        (zipped({"page.html": ""}), "it has no index.html"),
        (zipped({"index.html": "", "../up": ""}), "'../up' is not a path inside it"),
        (zipped({"index.html": "", "/etc/x": ""}), "'/etc/x' is not a path inside it"),
        (zipped({"index.html": "/etc/passwd"}, mode=0o120777), "'index.html' is a symbolic link"),
        (zipped({"index.html": "x" * 1000})[:-60], "it is not a readable zip archive"),
    ],
)
def test_a_replay_viewer_that_cannot_be_served_has_failed(
    client: TestClient, ada: Any, data: bytes, problem: str
) -> None:
    answer = send(client, ada, data).json()
    assert answer["status"] == "failed" and problem in answer["detail"]
    manifest = game()
    manifest["game"]["replay_viewer"] = {"bundle": answer["bundle"]}
    refused = publish(client, ada, manifest)
    assert (refused.status_code, problem in refused.json()["detail"]) == (400, True)


def send_program(client: TestClient, account: Any, data: bytes) -> dict[str, Any]:
    begun = client.post(f"{PROGRAMS}/upload", json=announced(data), headers=account.headers).json()
    assert client.put(begun["upload_url"], content=data).status_code == 200
    return client.post(f"{PROGRAMS}/upload/complete", json=announced(data), headers=account.headers).json()


def test_a_program_takes_the_place_of_an_image(client: TestClient, ada: Any, bob: Any, admin: Any) -> None:
    program = zipped({"coworld_local.json": '{"images": {"x": {"argv": ["python", "main.py"]}}}', "main.py": ""})
    manifest = game()
    manifest["player"][0]["image"] = f"sha256:{announced(program)['content_hash']}"
    early = publish(client, ada, manifest)
    assert (early.status_code, "You have not uploaded the program" in early.json()["detail"]) == (400, True)
    assert send_program(client, ada, program)["status"] == "ready"
    assert send_program(client, ada, zipped({"main.py": ""}))["detail"] == "it has no coworld_local.json"
    coworld = publish(client, ada, manifest, visibility="private").json()
    assert coworld["manifest"]["player"][0]["image"] == manifest["player"][0]["image"]
    assert publish(client, bob, manifest | {"game": manifest["game"] | {"name": "bobs"}}).status_code == 400
    path = f"/v2/coworlds/{coworld['id']}/programs/{announced(program)['content_hash']}"
    assert client.get(path, headers=ada.headers).content == program
    assert client.get(path, headers=bob.headers).status_code == 404
    token = client.post("/admin/tokens", json={"name": "worker"}, headers=admin.headers).json()["token"]
    lease = client.post("/work/lease", json={"worker": "w"}, headers={"X-Auth-Token": token}).json()
    assert client.get(lease["files"][f"programs/{announced(program)['content_hash']}"]).content == program
    manifest["player"][0]["image"] = "sha256:abc"
    manifest["game"]["version"] = "1.0.1"
    assert publish(client, ada, manifest).status_code == 400


def test_other_bytes_than_announced_are_refused(app: FastAPI, client: TestClient, ada: Any) -> None:
    viewer = zipped({"index.html": "mine"})
    answer = send(client, ada, viewer, sent=zipped({"index.html": "else"}))
    assert (answer.status_code, "was announced" in answer.json()["detail"]) == (400, True)
    assert app.state.store.size(content_key("viewer-bundle", announced(viewer)["content_hash"])) is None
    too_large = client.post(f"{BUNDLES}/upload", json=announced(viewer) | {"size_bytes": 2**39}, headers=ada.headers)
    assert too_large.status_code == 413


def test_players_that_are_files_come_with_the_manifest(app: FastAPI, client: TestClient, ada: Any) -> None:
    data = b"print('a player')"
    begun = client.post(FILES, json=announced(data), headers=ada.headers).json()
    sha256 = announced(data)["content_hash"]
    manifest = game()
    manifest["game"]["player_runtime"] = "game-hosted"
    player = manifest["player"][0]
    manifest["player"] = [
        {key: player[key] for key in ("id", "type", "name", "description")} | {"file": f"sha256:{sha256}"}
    ]
    early = publish(client, ada, manifest)
    assert (early.status_code, "was not uploaded" in early.json()["detail"]) == (400, True)
    headers = {"Content-Type": "application/octet-stream"}
    assert client.put(begun["upload_url"], content=data, headers=headers).status_code == 200
    answer = publish(client, ada, manifest, visibility="private")
    assert answer.status_code == 200, answer.text
    path = f"/v2/coworlds/{answer.json()['id']}/player-files/{sha256}"
    assert client.get(path, headers=ada.headers).content == data
    assert client.get(path).status_code == 404
    assert client.get(path.replace(sha256, "0" * 64), headers=ada.headers).status_code == 404
    assert client.post(FILES, json=announced(data), headers=ada.headers).status_code == 409
