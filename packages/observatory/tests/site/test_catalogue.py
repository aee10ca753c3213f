"""The catalogue of Coworlds, and replay viewers and reports in frames without rights."""

from __future__ import annotations

import gzip
import hashlib
import json
import uuid
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from observatory.database.tables.coworlds import RoleOutput, RoleRun, RoleRunState
from observatory.store.layout import content_key
from packages.observatory.tests.coworlds.games import game, put_coworld
from packages.observatory.tests.coworlds.test_content import zipped
from packages.observatory.tests.leagues.field import Field
from packages.observatory.tests.requests.conftest import RESULTS, Arena
from packages.observatory.tests.world import World

API = "/observatory/api"
ROSTER = [{"game_player": "sweep"}, {"game_player": "sweep"}]


def read(client: TestClient, path: str, account: Any = None, status: int = 200) -> Any:
    answer = client.get(API + path, headers={} if account is None else account.headers)
    assert answer.status_code == status, answer.text
    return answer.json()


def test_each_game_has_one_card_with_its_current_version(
    app: FastAPI, client: TestClient, clock: Any, field: Field, ada: Any, bob: Any
) -> None:
    current = put_coworld(app, clock, ada, version="1.0.0")
    clock.advance(60)
    put_coworld(app, clock, ada, version="1.1.0", canonical=False)
    put_coworld(app, clock, bob, "secret", visibility="private")
    league = field.seed(ada, "paintarena", league_name="Duels")["league_id"]
    [card] = read(client, "/coworlds")
    assert (card["id"], card["version"], card["versions"], card["canonical"]) == (current, "1.0.0", 2, True)
    assert (card["seats_min"], card["seats_max"], card["certification"]) == (2, 2, "never_run")
    assert card["leagues"] == [{"id": league, "name": "Duels"}]
    assert {"player", "commissioner", "reporter", "grader", "diagnoser", "optimizer"} == set(card["roles"])
    assert [card["name"] for card in read(client, "/coworlds", bob)] == ["paintarena", "secret"]


def test_the_page_of_a_game_has_its_documentation_and_versions(
    app: FastAPI, client: TestClient, clock: Any, ada: Any, bob: Any
) -> None:
    coworld_id = put_coworld(app, clock, ada, visibility="private")
    read(client, "/coworlds/paintarena", status=404)
    read(client, f"/coworlds/{coworld_id}", bob, status=404)
    page = read(client, "/coworlds/PaintArena", ada)
    assert page["id"] == coworld_id and page["mine"] and not page["public"]
    assert [doc["title"] for doc in page["docs"]] == [
        "Readme",
        "Rules",
        "Play Paint Arena",
        "Player protocol",
        "Viewer protocol",
    ]
    assert page["docs"][0]["text"].startswith("# Paint Arena")
    assert [version["version"] for version in page["all_versions"]] == ["1.0.0"]
    assert [part["id"] for part in page["parts"] if part["role"] == "player"] == ["sweep"]
    assert page["replay"] == "hosted"


@pytest.fixture
def shown(app: FastAPI, client: TestClient, clock: Any, arena: Arena, token: str, ada: Any) -> dict[str, Any]:
    """A played episode of a game with a replay viewer of its own, which wants its replays compressed."""
    viewer = zipped({"index.html": "<script src='a.js'></script>", "assets/a.js": "1", "assets/m.wasm": "w"})
    sha256 = hashlib.sha256(viewer).hexdigest()
    app.state.store.put(content_key("viewer-bundle", sha256), viewer)
    manifest = game()
    manifest["game"]["replay_viewer"] = {"bundle": f"sha256:{sha256}", "replay_compression": "gzip"}
    coworld_id = put_coworld(app, clock, ada, manifest=manifest)
    [episode] = arena.ask(ada, coworld_id, ROSTER)["episodes"]
    arena.finish(arena.lease(token), {"results.json": json.dumps(RESULTS).encode(), "replay": b"the replay"})
    return {"id": episode["id"], "coworld": coworld_id}


def test_a_replay_viewer_gets_its_files_and_the_replay_without_credentials(
    client: TestClient, shown: dict[str, Any], ada: Any
) -> None:
    page = read(client, f"/episodes/{shown['id']}", ada)
    assert page["replay"]["kind"] == "bundle"
    frames = read(client, f"/episodes/{shown['id']}/frames", ada)
    folder = frames["page_url"].removesuffix("index.html")
    assert frames["replay_url"] == f"{folder}_coworld/replay"
    for path, kind in (("", "text/html"), ("assets/a.js", "text/javascript"), ("assets/m.wasm", "application/wasm")):
        answer = client.get(folder + path)
        assert answer.status_code == 200 and answer.headers["content-type"].startswith(kind), path
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("sandbox allow-scripts") and "allow-same-origin" not in policy
        assert answer.headers["access-control-allow-origin"] == "*" and "set-cookie" not in answer.headers
    assert gzip.decompress(client.get(frames["replay_url"]).content) == b"the replay"


def test_a_link_of_a_frame_shows_only_what_it_was_made_for(
    app: FastAPI, client: TestClient, shown: dict[str, Any], ada: Any
) -> None:
    page = read(client, f"/episodes/{shown['id']}/frames", ada)["page_url"]
    folder = page.removesuffix("index.html")
    link = folder.split("/")[-2]
    for path in ("assets/none.js", "..%2F..%2Fapi%2Fme", "/etc/passwd", "assets/../../x"):
        assert client.get(folder + path).status_code == 404, path
    forged = link[:-2] + ("aa" if not link.endswith("aa") else "bb")
    assert client.get(folder.replace(link, forged) + "index.html").status_code == 404
    assert client.get(f"/observatory/frames/reports/{link}/page.html").status_code == 404
    worker = client.get(f"{folder}assets/a.js", headers={"Service-Worker": "script"})
    assert worker.status_code == 403
    read(client, f"/episodes/{shown['id']}/frames", status=404)


def test_reports_are_shown_to_all_who_see_the_episode_without_scripts(
    app: FastAPI, client: TestClient, world: World, shown: dict[str, Any], token: str, arena: Arena, ada: Any, bob: Any
) -> None:
    body = {"role": "reporter"}
    asked = client.post(f"/v2/episode-requests/{shown['id']}/role-runs", json=body, headers=ada.headers)
    assert asked.status_code == 200, asked.text
    _write_output(app, world, asked.json()[0]["id"], "page", "render-html", b"<h1>Hi</h1><script>alert(1)</script>")
    page = read(client, f"/episodes/{shown['id']}", ada)
    [run] = page["runs"]
    [output] = run["outputs"]
    assert (run["role"], output["type"]) == ("reporter", "render-html")
    url = read(client, f"/episodes/{shown['id']}/frames", ada)["output_urls"][output["id"]]
    report = client.get(url)
    policy = report.headers["content-security-policy"]
    assert report.text.startswith("<h1>Hi") and policy.startswith("sandbox; default-src 'none'")
    text = client.get(f"{API}/episodes/{shown['id']}/outputs/{output['id']}", headers=ada.headers)
    assert (
        text.headers["content-type"].startswith("text/plain") and "sandbox" in text.headers["content-security-policy"]
    )
    for account in (None, bob):
        headers = {} if account is None else account.headers
        path = f"{API}/episodes/{shown['id']}/outputs/{output['id']}"
        assert client.get(path, headers=headers).status_code == 404


def _write_output(app: FastAPI, world: World, run_id: str, name: str, kind: str, data: bytes) -> None:
    """Put an output of a run into the database and the store, as if a worker had sent it."""
    key = f"jobs/{run_id}/{name}"
    app.state.store.put(key, data)
    with world.database.transaction() as session:
        run = session.get_one(RoleRun, uuid.UUID(run_id))
        run.status = RoleRunState.COMPLETED
        output = RoleOutput(
            name=name, type=kind, media_type=None, size_bytes=len(data), key=key, created_at=world.clock()
        )
        run.outputs.append(output)
