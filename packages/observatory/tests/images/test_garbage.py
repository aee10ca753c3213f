"""Abandoned uploads, incomplete images and unused blobs are removed after a day; nothing else is."""

from __future__ import annotations

import json
from pathlib import Path

import anyio
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from observatory.images.collecting import Collected, collect_garbage
from packages.observatory.tests.images.pushing import HELLO, Image, Push, begin, digest_of, layer, root_of, upload
from tests.warm import WarmProgram

DAY = 24 * 3600


def collect(app: FastAPI) -> Collected:
    state = app.state
    return anyio.run(collect_garbage, state.database, state.store, state.clock())


@pytest.fixture
def empty_store(app: FastAPI) -> None:
    for key in app.state.store.keys("images/"):
        app.state.store.delete(key)


@pytest.mark.usefixtures("empty_store")
def test_what_nothing_refers_to_is_removed_after_a_day(client: TestClient, app: FastAPI, clock, ada, bob) -> None:
    row = upload(client, ada)
    kept = app.state.store.keys("images/")
    other = Image([HELLO.layers[0], layer(other=b"x")])
    push = Push(client, begin(client, ada, other)["pre_signed_info"])
    push.image(other)  # never completed
    location = push.begin().headers["Location"]
    client.patch(location, content=b"half of it", headers=push.headers)
    theirs = Push(client, begin(client, bob)["pre_signed_info"])
    theirs.blob(HELLO.layers[1])
    for key in ("images/blobs/sha256/" + "0" * 64, "images/uploads/00000000-0000-0000-0000-000000000000/000"):
        app.state.store.put(key, b"left by a crash")

    before = app.state.store.keys("images/")
    clock.advance(DAY - 10)
    assert collect(app) == Collected(uploads=0, images=0, blobs=1, bytes=15)
    assert set(before) - set(app.state.store.keys("images/")) == {
        "images/blobs/sha256/" + "0" * 64,
        "images/uploads/00000000-0000-0000-0000-000000000000/000",
    }
    clock.advance(20)
    size = len(other.layers[1]) + len(other.config)
    assert collect(app) == Collected(uploads=1, images=2, blobs=2, bytes=size)
    assert app.state.store.keys("images/") == kept
    assert client.get(location, headers=push.headers).status_code == 404
    again = Push(
        client, begin(client, bob)["pre_signed_info"]
    )  # bob's image is gone, and he has to send the blob again
    assert again.root != theirs.root and not again.has(digest_of(HELLO.layers[1]))
    assert client.get(f"{root_of(row)}/blobs/{digest_of(HELLO.layers[1])}", headers=ada.headers).is_success
    assert collect(app) == Collected(0, 0, 0, 0)


@pytest.mark.usefixtures("empty_store")
def test_a_blob_that_was_removed_can_be_sent_again(client: TestClient, app: FastAPI, clock, ada) -> None:
    push = Push(client, begin(client, ada)["pre_signed_info"])
    push.blob(b"unused")
    clock.advance(DAY + 1)
    assert collect(app).blobs == 1
    push = Push(client, begin(client, ada)["pre_signed_info"])
    assert not push.has(digest_of(b"unused"))
    assert push.blob(b"unused").status_code == 201 and push.has(digest_of(b"unused"))


@pytest.mark.any_database
@pytest.mark.usefixtures("empty_store")
def test_an_administrator_collects_garbage(client: TestClient, app: FastAPI, clock, ada, admin) -> None:
    push = Push(client, begin(client, ada)["pre_signed_info"])
    push.blob(b"unused")
    clock.advance(DAY + 1)
    answer = client.post("/admin/images/gc", headers=admin.headers)
    assert answer.json() == {"uploads": 0, "images": 1, "blobs": 1, "bytes": 6}


def test_the_command_collects_garbage(observatory_program: WarmProgram, tmp_path: Path) -> None:
    ran = observatory_program.run("admin", "--data", tmp_path, "images", "gc", "--json")
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == {"uploads": 0, "images": 0, "blobs": 0, "bytes": 0}
    assert "Removed 0 uploads" in observatory_program.run("admin", "--data", tmp_path, "images", "gc").stdout
