"""A worker or a server that is killed while a game runs: the session ends with a sentence, and nothing is left."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from observatory.hosting.loop import RESTARTED
from packages.coworld.tests.worlds import left_running
from packages.observatory.tests.browser.running import RunningServer
from packages.observatory.tests.coworlds.games import game, put_coworld
from packages.observatory.tests.hosting.conftest import Arcade, observe, wait_for

pytestmark = pytest.mark.any_database


def endless(mark: str) -> dict[str, Any]:
    """Return the manifest of Paint Arena with a long game, whose processes have a mark in their environment."""
    manifest = game("endless", variants=1)
    manifest["variants"][0]["game_config"] |= {"lockstep": False, "max_ticks": 10_000, "tick_rate": 10}
    for runnable in (manifest["game"]["runnable"], *manifest["player"]):
        runnable["env"] = {"MARK": mark}
    return manifest


@contextmanager
def worker_program(server: str, token: str, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run `observatory worker` for a server."""
    file = folder / "token"
    file.write_text(token)
    line = [sys.executable, "-m", "observatory", "worker", "--server", server, "--token-file", str(file)]
    with (folder / "worker.log").open("wb") as log:
        program = subprocess.Popen(line, stdout=log, stderr=log, start_new_session=True)
    try:
        yield program
    finally:
        if program.poll() is None:
            os.killpg(program.pid, signal.SIGKILL)
        program.wait(60)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["killed", "stopped"])
def test_a_worker_that_ends_ends_the_game_at_once(
    arcade: Arcade, token: str, app: FastAPI, clock: Any, ada: Any, tmp_path: Path, number: signal.Signals
) -> None:
    mark = f"hosted-{secrets.token_hex(8)}"
    coworld = put_coworld(app, clock, ada, "endless", manifest=endless(mark))
    session = arcade.create(ada, coworld)["session_id"]
    seat = arcade.join(ada, session)
    arcade.act(ada, session, "start")
    with worker_program(arcade.url, token, tmp_path) as program:
        arcade.running(ada, session)
        with arcade.socket(seat["socket_url"]) as mine:
            observe(mine)
            assert left_running(mark)
            program.send_signal(number)
            ended = arcade.reach(ada, session, "ended")
        program.wait(60)
        wait_for(lambda: left_running(mark) == [])
    assert "lost" in ended["error"]
    assert arcade.http.get(seat["target_url"]).status_code == 410
    arcade.app.state.settings.max_hosted_games_per_user = 1
    assert arcade.create(ada, coworld)["status"] == "open"  # the limits are released


def test_a_server_that_is_killed_ends_the_game_and_says_so_after_its_restart(tmp_path: Path) -> None:
    mark = f"hosted-{secrets.token_hex(8)}"
    folder = tmp_path / "server"
    folder.mkdir()
    server = RunningServer(folder, workers=0)
    try:
        with server.admin() as http:
            answer = http.post("/v2/coworlds/upload", json={"manifest": endless(mark), "visibility": "public"})
            assert answer.is_success, answer.text
            body = {"coworld_id": answer.json()["id"]}
            path = f"/v2/coworlds/play/session/{http.post('/v2/coworlds/play/session', json=body).json()['session_id']}"
            assert http.post(f"{path}/join").is_success and http.post(f"{path}/start").is_success
            token = http.post("/admin/tokens", json={"name": "worker"}).json()["token"]
        with worker_program(server.url, token, tmp_path):
            with server.admin() as http:
                wait_for(lambda: http.get(path).json()["status"] == "running")
                assert left_running(mark)
            server.kill()
            wait_for(lambda: left_running(mark) == [])  # the worker has ended the game
            server.start()
            with server.admin() as http:
                ended = wait_for(lambda: (row := http.get(path).json())["status"] == "ended" and row)
                assert ended["error"] in (RESTARTED, "The connection to the server was lost")
    finally:
        server.close()
