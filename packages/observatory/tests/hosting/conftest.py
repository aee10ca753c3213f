"""A server that listens, Paint Arena, and a worker that hosts games."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from websockets.sync.client import ClientConnection, connect

from observatory.database.tables.coworlds import ContentKind
from observatory.job_states import HOSTED
from observatory.store.layout import content_key
from observatory.worker.client import HttpJobClient
from observatory.worker.lane import SideLane
from observatory.worker.loop import Worker
from packages.observatory.tests.coworlds.games import game, put_coworld
from packages.observatory.tests.requests.conftest import archive

PATIENCE_SECONDS = 120


def wait_for(condition: Callable[[], Any]) -> Any:
    """Return the result of a condition once it is true."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not (result := condition()):
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)
    return result


@dataclass
class Arcade:
    """Calls a server on which games are hosted."""

    app: FastAPI
    url: str
    http: httpx.Client

    def create(self, account: Any, coworld: str, **fields: Any) -> dict[str, Any]:
        return self.call("POST", "/v2/coworlds/play/session", account, {"coworld_id": coworld, **fields})

    def join(self, account: Any, session_id: str) -> dict[str, Any]:
        return self.call("POST", f"/v2/coworlds/play/session/{session_id}/join", account)

    def read(self, account: Any, session_id: str) -> dict[str, Any]:
        return self.call("GET", f"/v2/coworlds/play/session/{session_id}", account)

    def act(self, account: Any, session_id: str, action: str) -> dict[str, Any]:
        return self.call("POST", f"/v2/coworlds/play/session/{session_id}/{action}", account)

    def running(self, account: Any, session_id: str) -> dict[str, Any]:
        """Wait until a game can be reached; the session."""
        return self.reach(account, session_id, "running")

    def reach(self, account: Any, session_id: str, status: str) -> dict[str, Any]:
        def current() -> Any:
            session = self.read(account, session_id)
            assert session["status"] == status or session["status"] != "ended", session["error"]
            return session if session["status"] == status else None

        found: dict[str, Any] = wait_for(current)
        return found

    def call(self, method: str, path: str, account: Any, body: Any = None) -> dict[str, Any]:
        answer = self.http.request(method, path, json=body, headers=account.headers)
        assert answer.is_success, answer.text
        document: dict[str, Any] = answer.json()
        return document

    def socket(self, address: str, **options: Any) -> ClientConnection:
        return connect(address, open_timeout=60, proxy=None, compression=None, **options)

    @contextmanager
    def working(self, token: str) -> Iterator[None]:
        """Host games as a worker does beside its episodes."""
        stopped = threading.Event()
        client = HttpJobClient(self.url, token)
        worker = Worker(client, "worker", stopping=stopped.is_set, minimum="namespaces")
        try:
            with SideLane(client, "worker", worker.work, HOSTED, stopping=stopped.is_set):
                try:
                    yield
                finally:
                    stopped.set()  # else a test that fails waits for its game
        finally:
            client.close()


def observe(socket: ClientConnection) -> dict[str, Any]:
    """Return the next message of Paint Arena."""
    document: dict[str, Any] = json.loads(socket.recv(timeout=60))
    return document


@pytest.fixture
def arcade(server: Any) -> Iterator[Arcade]:
    with httpx.Client(base_url=server.url, timeout=60, trust_env=False) as http:
        yield Arcade(server.app, server.url, http)


@pytest.fixture
def token(arcade: Arcade, admin: Any) -> str:
    """A worker's token."""
    token: str = arcade.call("POST", "/admin/tokens", admin, {"name": "worker"})["token"]
    return token


@pytest.fixture
def paint(app: FastAPI, clock: Any, ada: Any) -> str:
    """Paint Arena with short games: the id of the Coworld."""
    manifest = game(variants=2)
    for variant in manifest["variants"]:
        variant["game_config"] |= {"lockstep": False, "max_ticks": 40, "tick_rate": 20}
    return put_coworld(app, clock, ada, manifest=manifest)


def put_stranger(app: FastAPI, clock: Any, owner: Any, files: dict[str, str] | None = None) -> str:
    """Put the game of a stranger into the database and the store; its id."""
    source = Path(__file__).with_name("stranger.py").read_text()
    mapping = {"images": {"mine": {"argv": ["python", "stranger.py"], "packages": ["coworld"]}}}
    data = archive({"stranger.py": source, "coworld_local.json": json.dumps(mapping), **(files or {})})
    sha256 = hashlib.sha256(data).hexdigest()
    app.state.store.put(content_key(ContentKind.PROGRAM, sha256), data)
    manifest = game("stranger")
    manifest["game"]["runnable"] = {"type": "game", "image": f"sha256:{sha256}"}
    return put_coworld(app, clock, owner, "stranger", manifest=manifest)


@pytest.fixture
def stranger(app: FastAPI, clock: Any, ada: Any) -> str:
    """A game whose pages and answers attack, as an uploaded program: the id of the Coworld."""
    return put_stranger(app, clock, ada)
