"""Files that a killed server has left in the store are removed; pending uploads and recorded files are not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import anyio
from fastapi import FastAPI
from fastapi.testclient import TestClient

from observatory.operations.leftovers import remove_leftovers
from observatory.store.layout import EPISODE_UPLOADS, SUBMISSIONS
from packages.observatory.tests.coworlds.test_content import PROGRAMS, announced, send_program, zipped

OCTETS = {"Content-Type": "application/octet-stream"}
PREFIXES = ("content/", "content-uploads/", "policies/")
OTHER_UPLOADS = (SUBMISSIONS, EPISODE_UPLOADS)


def test_files_that_no_row_knows_are_removed(app: FastAPI, client: TestClient, ada: Any) -> None:
    store = app.state.store
    for prefix in (*PREFIXES, *OTHER_UPLOADS):  # of other tests
        for key in store.keys(prefix):
            store.delete(key)
    program = zipped({"coworld_local.json": "{}", "main.py": "recorded"})
    assert send_program(client, ada, program)["status"] == "ready"
    policy = {"name": "mine", **announced(b"a policy")}
    for data, begin in ((b"a policy", "/stats/policies/files/upload"), (b"pending", f"{PROGRAMS}/upload")):
        body = policy if "stats" in begin else announced(data)
        begun = client.post(begin, json=body, headers=ada.headers).json()
        assert client.put(begun["upload_url"], content=data, headers=OCTETS).status_code == 200
    assert client.post("/stats/policies/files/complete", json=policy, headers=ada.headers).status_code == 200
    kept = {key for prefix in PREFIXES for key in store.keys(prefix)}
    assert len(kept) == 3

    left = [
        f"content/program/{'0' * 64}",
        f"policies/files/{'0' * 64}",
        f"content-uploads/{ada.user_id}/program/{announced(program)['content_hash']}",  # recorded, and not deleted
        f"policies/incoming/{ada.user_id}/{policy['content_hash']}",
    ]
    for key in left:
        store.put(key, b"left by a crash")
    now = datetime.now(UTC)
    unrecorded = {key for key in left if not key.startswith(("content-uploads/", "policies/incoming/"))}
    assert anyio.run(remove_leftovers, app.state.database, store, now) == len(left) - len(unrecorded)
    assert {key for prefix in PREFIXES for key in store.keys(prefix)} == kept | unrecorded, "a row may follow"
    assert anyio.run(remove_leftovers, app.state.database, store, now + timedelta(hours=2)) == len(unrecorded)
    assert {key for prefix in PREFIXES for key in store.keys(prefix)} == kept


def test_an_interrupted_upload_of_a_file_counts_once(app: FastAPI, client: TestClient, ada: Any) -> None:
    app.state.settings.max_pending_uploads_per_user = 1
    body = {"name": "mine", **announced(b"a policy")}
    for _ in range(2):
        assert client.post("/stats/policies/files/upload", json=body, headers=ada.headers).status_code == 200
    other = {"name": "other", **announced(b"another policy")}
    assert client.post("/stats/policies/files/upload", json=other, headers=ada.headers).status_code == 429
