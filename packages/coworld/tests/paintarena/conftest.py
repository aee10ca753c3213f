"""A running Paint Arena game, started as the runner starts it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

TOKENS = ["token-of-slot-zero", "token-of-slot-one"]


@dataclass
class Game:
    """A game process and the ways in."""

    process: subprocess.Popen[str]
    port: int
    folder: Path
    players: list[subprocess.Popen[str]] = field(default_factory=list)

    def get(self, path: str) -> tuple[int, str, str]:
        """Status, content type and body of a plain request."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}") as answer:
                return answer.status, answer.headers["Content-Type"], answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers["Content-Type"], error.read().decode()

    def connect(self, path: str, **options: Any) -> AbstractContextManager[ClientConnection]:
        return connect(f"ws://127.0.0.1:{self.port}{path}", compression=None, max_size=None, **options)

    def player_address(self, slot: int) -> str:
        return f"/player?slot={slot}&token={TOKENS[slot]}"

    def start_player(self, slot: int, variable: str = "COWORLD_PLAYER_WS_URL") -> subprocess.Popen[str]:
        environment = os.environ | {variable: f"ws://127.0.0.1:{self.port}{self.player_address(slot)}"}
        player = subprocess.Popen(
            [sys.executable, "-m", "coworld.examples.paintarena.player"],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.players.append(player)
        return player

    def finish(self) -> tuple[int, str]:
        """Exit status and everything the game printed."""
        output, _ = self.process.communicate(timeout=60)
        return self.process.returncode, output

    def results(self) -> dict[str, Any]:
        return dict(json.loads((self.folder / "results.json").read_text()))

    def replay(self) -> dict[str, Any]:
        return dict(json.loads((self.folder / "replay").read_text()))


Start = Callable[..., Game]


@contextmanager
def starting(folder: Path) -> Iterator[Start]:
    """Start games with a configuration (tokens are added) or other variables, each healthy before it is returned."""
    games: list[Game] = []

    def start(config: dict[str, object] | None = None, **variables: str) -> Game:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        environment = os.environ | {
            "COGAME_HOST": "127.0.0.1",
            "COGAME_PORT": str(port),
            "COGAME_ADMIN_TOKEN": "token-of-the-host",
        }
        if config is not None:
            (folder / "config.json").write_text(json.dumps({"tokens": TOKENS, **config}))
            environment |= {
                "COGAME_CONFIG_URI": (folder / "config.json").as_uri(),
                "COGAME_RESULTS_URI": (folder / "results.json").as_uri(),
                "COGAME_SAVE_REPLAY_URI": str(folder / "replay"),
                "COGAME_EVENTS_URI": (folder / "events.json").as_uri(),
                "COGAME_SAVE_TRAJECTORY_URI": (folder / "trajectory.jsonl").as_uri(),
            }
        process = subprocess.Popen(
            [sys.executable, "-m", "coworld.examples.paintarena.game"],
            env=environment | variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        game = Game(process, port, folder)
        games.append(game)
        deadline = time.monotonic() + 30
        while process.poll() is None and time.monotonic() < deadline:
            try:
                if game.get("/healthz")[0] == 200:
                    return game
            except OSError:
                time.sleep(0.02)
        return game

    try:
        yield start
    finally:
        for game in games:
            for process in (game.process, *game.players):
                if process.poll() is None:
                    process.kill()
                if process.stdout is not None and not process.stdout.closed:
                    process.communicate()


@pytest.fixture
def start_game(tmp_path: Path) -> Iterator[Start]:
    with starting(tmp_path) as start:
        yield start


@pytest.fixture(scope="module")
def shared_game(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Game]:
    """One endless game for the tests that only look at it."""
    with starting(tmp_path_factory.mktemp("shared")) as start:
        yield start(
            {"width": 6, "height": 6, "max_ticks": 10_000, "tick_rate": 60, "player_connect_timeout_seconds": 0}
        )
