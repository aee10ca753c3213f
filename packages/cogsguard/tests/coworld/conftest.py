"""The game program as a runner starts it: a process of its own with nothing but its environment."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

PATIENCE = 60.0


@dataclass
class Game:
    """A game program that runs."""

    process: subprocess.Popen[str]
    port: int
    folder: Path
    tokens: list[str]

    def page(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def socket(self, path: str, **settings: Any) -> ClientConnection:
        settings = {"max_size": None, "proxy": None, **settings}
        return connect(f"ws://127.0.0.1:{self.port}{path}", **settings)

    def seat(self, slot: int) -> ClientConnection:
        return self.socket(f"/player?slot={slot}&token={self.tokens[slot]}")

    def player(self, slot: int, *arguments: str) -> subprocess.Popen[str]:
        address = f"ws://127.0.0.1:{self.port}/player?slot={slot}&token={self.tokens[slot]}"
        return start("cogsguard.coworld.player", *arguments, COWORLD_PLAYER_WS_URL=address)

    def end(self) -> tuple[int, str]:
        """(exit code, what it wrote to stderr), when it has ended by itself."""
        _, errors = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, errors

    @property
    def results(self) -> dict[str, Any]:
        return json.loads((self.folder / "results.json").read_text())


def start(module: str, *arguments: str, **variables: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        env={"PATH": os.environ["PATH"], "PYTHONHASHSEED": "0", **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def until_it_listens(process: subprocess.Popen[str], port: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if process.poll() is not None:
            pytest.fail(f"the program ended: {process.communicate()[1]}")
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.02)
    pytest.fail("the program does not listen")


@pytest.fixture
def game(tmp_path: Path) -> Iterator[Callable[..., Game]]:
    """game(slots=2, **config) starts one."""
    started: list[subprocess.Popen[str]] = []

    def begin(slots: int = 2, *, admin_token: str = "secret-of-the-host", **config: Any) -> Game:
        tokens = [f"secret-of-slot-{slot}" for slot in range(slots)]
        folder = tmp_path / f"episode-{len(started)}"
        folder.mkdir()
        document = {"tokens": tokens, "mission": "tutorial", "max_steps": 20, **config}
        (folder / "config.json").write_text(json.dumps(document))
        port = free_port()
        process = start(
            "cogsguard.coworld",
            COGAME_HOST="127.0.0.1",
            COGAME_PORT=str(port),
            COGAME_CONFIG_URI=(folder / "config.json").as_uri(),
            COGAME_RESULTS_URI=(folder / "results.json").as_uri(),
            COGAME_SAVE_REPLAY_URI=str(folder / "replay"),
            COGAME_EVENTS_URI=str(folder / "events.json"),
            COGAME_ADMIN_TOKEN=admin_token,
        )
        started.append(process)
        until_it_listens(process, port)
        return Game(process, port, folder, tokens)

    yield begin
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def replay_server() -> Iterator[Callable[..., int]]:
    """replay_server(**variables) starts a game program in replay mode and returns its port."""
    started: list[subprocess.Popen[str]] = []

    def begin(**variables: str) -> int:
        port = free_port()
        process = start("cogsguard.coworld", COGAME_HOST="127.0.0.1", COGAME_PORT=str(port), **variables)
        started.append(process)
        until_it_listens(process, port)
        return port

    yield begin
    for process in started:
        process.kill()
        process.communicate()
