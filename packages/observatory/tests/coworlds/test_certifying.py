"""A worker certifies a published game and plays its smoke episodes, in real processes and boxes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

import coworld.examples.paintarena.player
from observatory.worker.client import HttpJobClient
from observatory.worker.loop import Worker
from packages.observatory.tests.coworlds.games import game, publish
from packages.observatory.tests.coworlds.test_content import announced, send_program, zipped

pytestmark = pytest.mark.any_database


@pytest.fixture
def worker(client: TestClient, admin: Any, server: Any) -> Any:
    token = client.post("/admin/tokens", json={"name": "worker"}, headers=admin.headers).json()["token"]
    http = HttpJobClient(server.url, token)
    yield Worker(http, "machine-1")
    http.close()


def test_a_worker_certifies_and_plays_a_new_game_which_becomes_canonical(
    client: TestClient, ada: Any, worker: Worker
) -> None:
    manifest = game()
    manifest["game"]["runnable"]["env"] = {"COWORLD_LOCAL_EXTRA": "ports"}  # a wish that no league grants
    coworld_id = publish(client, ada, manifest).json()["id"]
    for _ in range(2):
        worker.run(once=True)
    status = client.get(f"/v2/coworlds/{coworld_id}/certification").json()
    assert (status["state"], status["failure"]) == ("certified", None)
    assert len(status["transcript_summary"]) == 10
    transcript = client.get(f"/v2/coworlds/{coworld_id}/certification/transcript.md").text
    assert transcript.startswith("# Certification of paintarena 1.0.0")
    assert "/tmp/" not in transcript
    path = f"/v2/coworlds/{coworld_id}/episode-requests?source=coworld_upload"
    [smoke] = client.get(path, headers=ada.headers).json()["entries"]
    assert smoke["status"] == "completed" and smoke["replay_url"]
    assert client.get(f"/v2/coworlds/{coworld_id}").json()["canonical"] is True


def test_players_that_are_archives_play_without_containers(client: TestClient, ada: Any, worker: Worker) -> None:
    """The player of Paint Arena as an author without a container engine sends it."""
    source = Path(coworld.examples.paintarena.player.__file__).with_name("player.py").read_text()
    command = {"images": {"mine": {"argv": ["python", "main.py"], "packages": ["coworld"]}}}
    program = zipped({"coworld_local.json": json.dumps(command), "main.py": source})
    assert send_program(client, ada, program)["status"] == "ready"
    manifest = game()
    manifest["player"][0] |= {"image": f"sha256:{announced(program)['content_hash']}", "run": []}
    coworld_id = publish(client, ada, manifest).json()["id"]
    for _ in range(2):
        worker.run(once=True)
    status = client.get(f"/v2/coworlds/{coworld_id}/certification").json()
    assert (status["state"], status["failure"]) == ("certified", None)
    assert client.get(f"/v2/coworlds/{coworld_id}").json()["canonical"] is True


def test_a_game_that_does_not_start_fails_its_certification(client: TestClient, ada: Any, worker: Worker) -> None:
    manifest = game()
    manifest["game"]["runnable"]["run"] = ["python", "-c", "raise SystemExit('no game today')"]
    coworld_id = publish(client, ada, manifest).json()["id"]
    worker.run(once=True)
    status = client.get(f"/v2/coworlds/{coworld_id}/certification").json()
    assert (status["state"], status["failed_step"]) == ("failed", "smoke-episode")
    assert (status["failure"]["kind"], status["failure"]["retryable"]) == ("author", False)
    assert client.get(f"/v2/coworlds/{coworld_id}").json()["canonical"] is False
