"""A real worker plays a real episode of Paint Arena: processes in boxes, no container engine."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient

from observatory.worker.client import HttpJobClient
from observatory.worker.loop import Worker
from packages.observatory.tests.requests.conftest import Arena, archive

pytestmark = pytest.mark.any_database

# Paints one way, says so, leaves an artifact, and tries what it must not be able to do.
PLAYER = """
import json, os, socket, urllib.parse, zipfile
from websockets.sync.client import connect

url = os.environ["COWORLD_PLAYER_WS_URL"]
print("my key has", len(os.environ.get("MY_KEY", "")), "letters:", os.environ.get("MY_KEY"), flush=True)
print("asked for models:", os.environ.get("USE_BEDROCK"), flush=True)
try:
    socket.create_connection(("127.0.0.1", SERVER_PORT), timeout=2)
    print("reached the server", flush=True)
except OSError:
    print("no network", flush=True)
with zipfile.ZipFile(os.environ["COWORLD_PLAYER_ARTIFACT_UPLOAD_URL"].removeprefix("file://"), "w") as notes:
    notes.writestr("notes.txt", "painted")
with connect(url, open_timeout=30) as game:
    for message in game:
        state = json.loads(message)
        if state["done"]:
            break
        game.send(json.dumps({"move": "right"}))
"""
SIDE_FILE = json.dumps({"images": {"mine": {"argv": ["python", "player.py"]}}})
SECRET = "a-value-nobody-else-may-see"


@pytest.fixture
def work(token: str) -> Callable[[str], None]:
    """Runs one job of a server in a worker."""

    def run(url: str) -> None:
        client = HttpJobClient(url, token)
        try:
            Worker(client, "worker", minimum="namespaces").run(once=True)
        finally:
            client.close()

    return run


def test_a_worker_plays_paint_arena_and_everyone_reads_what_is_theirs(
    arena: Arena, server: Any, work: Callable[[str], None], ada: Any, bob: Any, account: Any, client: TestClient
) -> None:
    game = arena.coworld(account("carol"))
    port = server.url.rpartition(":")[2]
    mine = arena.policy(
        ada, bundle=archive({"player.py": PLAYER.replace("SERVER_PORT", port), "coworld_local.json": SIDE_FILE})
    )
    _give_secrets(arena, mine)
    roster = [{"policy_ref": "mine"}, {"game_player": "sweep"}]
    request = arena.ask(ada, game, roster, variant_id="quick-small", game_config_overrides={"max_ticks": 15})
    [row] = request["episodes"]
    assert (request["status"], row["status"], row["game_config"]) == ("pending", "pending", None)

    work(server.url)

    row = arena.get(ada, f"/v2/episode-requests/{row['id']}")
    assert row["status"] == "completed", (row, _log(client, ada, row, mine))
    assert row["game_config"]["max_ticks"] == 15
    assert [participant["policy_name"] for participant in row["participants"]] == ["mine", "sweep"]
    results = arena.get(ada, f"/v2/episode-requests/{row['id']}/artifacts/results")
    assert results["ticks"] == 15
    assert row["scores"] == [{"policy_version_id": str(mine), "score": results["scores"][0]}]
    stats = arena.get(ada, f"/v2/episode-requests/{row['id']}/episode-stats")
    assert stats["steps"] == 15 and stats["policy_stats"][0]["avg_metrics"]["painted_tiles"] == results["scores"][0]

    log = _log(client, ada, row, mine)
    assert "no network" in log and "reached the server" not in log
    assert f"my key has {len(SECRET)} letters" in log and SECRET not in log
    assert "asked for models: true" in log
    notes = client.get(f"/v2/episode-requests/{row['id']}/{mine}/policy-artifact/0", headers=ada.headers)
    assert zipfile.ZipFile(io.BytesIO(notes.content)).read("notes.txt") == b"painted"
    replay = client.get(row["replay_url"]).json()
    assert replay["results"] == results
    status = arena.get(ada, f"/v2/episode-requests/{row['id']}/artifacts/player-status")
    assert [player["exit_code"] for player in status["players"]] == [0, 0]
    assert arena.get(None, f"/v2/episode-requests/{row['id']}", 404)
    assert arena.get(bob, f"/v2/episode-requests/{row['id']}/bundle", 404)

    bundle = client.get(f"/v2/episode-requests/{row['id']}/bundle", headers=ada.headers)
    with zipfile.ZipFile(io.BytesIO(bundle.content)) as files:
        manifest = json.loads(files.read("manifest.json"))
        assert manifest["ereq_id"] == row["id"] and manifest["status"] == "success"
        assert manifest["include"] == ["results", "replay", "game_logs", "player_logs", "player_artifact"]
        assert json.loads(files.read(manifest["files"]["results"])) == results
        assert set(manifest["files"]["player_logs"]) == {"0"}  # the other seat is the game's
    again = arena.get(ada, f"/v2/episode-requests/{row['id']}/reproduction")
    assert again["spec"]["game_config"] == row["game_config"] and again["coworld_version"] == "1.0.0"
    assert {"results.json", "replay", "game.log"} <= set(again["artifacts"])
    assert {"coworld", "cogbox"} <= set(again["versions"]) and len(again["runnables"]) == 3
    assert again["policies"][0]["why_not"] == "it used secrets or network hosts that others cannot use"

    # One history: the episode is in the list of the policy's episodes, for those who may see it.
    for reader, seen in ((ada, 1), (bob, 0), (None, 0)):
        assert len(arena.get(reader, "/episodes", policy_version_id=str(mine))) == seen
    session = {"coworld_id": game, "replay_uri": row["replay_url"], "episode_id": row["episode_id"]}
    opened = client.post("/v2/coworlds/replays/session", json=session, headers=ada.headers).json()
    page = client.get(opened["viewer_url"])
    assert not opened["ready"] and page.status_code == 200 and "The game starts" in page.text
    assert (
        "coworld replay cow_" in client.get(f"/v2/episode-requests/{row['id']}/replay-page", headers=ada.headers).text
    )


def test_a_player_that_cannot_be_started_is_at_fault_and_the_game_is_not_played_again(
    arena: Arena, server: Any, work: Callable[[str], None], ada: Any, account: Any
) -> None:
    game = arena.coworld(account("carol"))
    arena.policy(ada, bundle=archive({"readme.txt": "nothing to start"}))
    roster = [{"game_player": "sweep"}, {"policy_ref": "mine"}]
    request = arena.ask(ada, game, roster, variant_id="quick-small")
    work(server.url)
    row = arena.get(ada, f"/v2/experience-requests/{request['id']}/episodes")[0]
    assert (row["status"], row["error_type"], row["failed_policy_index"]) == ("failed", "player_error", 1)
    assert "neither coworld_local.json nor player.py" in row["error"]
    info = arena.get(ada, f"/v2/episode-requests/{row['id']}/artifacts/error-info")
    assert info["error_type"] == "player_error" and info["failed_policy_index"] == 1
    assert arena.get(ada, f"/v2/experience-requests/{request['id']}")["status"] == "completed"


def test_a_machine_that_cannot_play_gives_the_episode_back(
    arena: Arena, server: Any, work: Callable[[str], None], ada: Any, account: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = arena.coworld(account("carol"))
    with arena.world.database.transaction() as session:
        from observatory.database.tables.coworlds import Coworld

        row = session.query(Coworld).one()
        runnable = {**row.manifest["game"]["runnable"], "image": "registry.invalid/no-such-game:1"}
        row.manifest = {**row.manifest, "game": {**row.manifest["game"], "runnable": runnable}}
    request = arena.ask(ada, game, [{"game_player": "sweep"}] * 2, variant_id="quick-small")
    for _ in range(3):
        work(server.url)
    row = arena.get(ada, f"/v2/experience-requests/{request['id']}/episodes")[0]
    assert (row["status"], row["error_type"], row["failed_policy_index"]) == ("failed", "platform_error", None)
    assert row["error"].startswith("3 attempts to play this episode failed, and no policy is at fault. image")


def _give_secrets(arena: Arena, version_id: Any) -> None:
    from observatory.policies import grants, secrets

    values = {"MY_KEY": SECRET, "USE_BEDROCK": "true"}
    with arena.world.database.transaction() as session:
        keys, now = arena.world.app.state.keys, arena.world.clock()
        secrets.store_secrets(session, keys, version_id, values, now=now)
        gateway = ["models.example.com"]
        grants.grant_for_secrets(session, version_id, secrets=values, declared=[], gateway=gateway, now=now)


def _log(client: TestClient, reader: Any, row: Any, version: Any) -> str:
    return client.get(f"/v2/episode-requests/{row['id']}/{version}/policy-logs/0", headers=reader.headers).text
