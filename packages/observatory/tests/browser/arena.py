"""Paint Arena on a running server: published with its replay page, played by a real worker, and in a league."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx

import coworld.examples.paintarena
from packages.observatory.tests.browser.running import RunningServer, wait_for
from packages.observatory.tests.coworlds.games import game
from packages.observatory.tests.coworlds.test_content import zipped

CLIENT = Path(coworld.examples.paintarena.__file__).parent / "game" / "client"
BUNDLES = "/v2/coworlds/replay-viewer-bundles"
SEATS = [{"player": {"game_player": "sweep"}}, {"player": {"game_player": "sweep"}}]


def own_viewer() -> dict[str, str]:
    """Return the files of Paint Arena's own replay page."""
    return {path.name: path.read_text() for path in CLIENT.iterdir() if path.is_file()}


def publish(
    server: RunningServer, name: str = "paintarena", *, viewer: Mapping[str, str] | None = None, **changes: Any
) -> str:
    """Upload Paint Arena as the administrator's game, with a replay viewer; its id."""
    manifest = game(name, **changes)
    with server.admin() as http:
        if viewer is not None:
            manifest["game"]["replay_viewer"] = {"bundle": _send_viewer(http, viewer)}
        answer = http.post("/v2/coworlds/upload", json={"manifest": manifest})
        assert answer.is_success, answer.text
        coworld_id: str = answer.json()["id"]
        return coworld_id


def _send_viewer(http: httpx.Client, files: Mapping[str, str]) -> str:
    data = zipped(files)
    announced = {"content_hash": hashlib.sha256(data).hexdigest(), "size_bytes": len(data)}
    begun = http.post(f"{BUNDLES}/upload", json=announced).json()
    if begun["upload_url"] is not None:
        assert http.put(begun["upload_url"], content=data).is_success
    done = http.post(f"{BUNDLES}/upload/complete", json=announced)
    assert done.json()["status"] == "ready", done.text
    reference: str = done.json()["bundle"]
    return reference


def play(server: RunningServer, coworld_id: str, **fields: Any) -> str:
    """Let the worker play an episode between the game's own players; the id of the episode, which has ended."""
    with server.admin() as http:
        body = {"coworld_id": coworld_id, "roster": SEATS, "num_episodes": 1, **fields}
        asked = http.post("/v2/experience-requests", json=body)
        assert asked.is_success, asked.text
        episode_id: str = asked.json()["episodes"][0]["id"]

        def ended() -> bool:
            row = http.get(f"/v2/episode-requests/{episode_id}").json()
            assert row["status"] != "failed", row
            return bool(row["status"] == "completed")

        wait_for(ended, seconds=180)
        return episode_id


def league(server: RunningServer, coworld_name: str = "paintarena", name: str = "Painters' league") -> str:
    """Create a league of a game; its id."""
    with server.admin() as http:
        body = {"coworld_name": coworld_name, "league_key": "main", "league_name": name}
        answer = http.post("/v2/coworld-league-seeds", json=body)
        assert answer.is_success, answer.text
        league_id: str = answer.json()["league_id"]
        return league_id
