"""A server that listens, a worker that sends what a test says, and watchers over real sockets."""

from __future__ import annotations

import json
import struct
import uuid
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from observatory.live.broadcasts import Broadcasts
from packages.observatory.tests.world import World

PATIENCE = 20.0
WHOLE, CHUNK, OBJECTS, PACKED = 1, 2, 3, 4


class Watcher:
    """A spectator's end of a socket."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.raw: list[str | bytes] = []

    def receive(self) -> Any:
        """The next message: a dictionary, or bytes as the worker sent them."""
        message = self.socket.recv(timeout=PATIENCE)
        self.raw.append(message)
        if isinstance(message, str):
            return json.loads(message)
        return zlib.decompress(message[1:]) if message[0] == PACKED else message

    def next(self, kind: str) -> dict[str, Any]:
        """The next text message, which has this type."""
        message = self.receive()
        assert isinstance(message, dict) and message["type"] == kind, message
        return message

    def state(self) -> str:
        """The next state of the match."""
        return str(self.next("status")["state"])

    def data(self, count: int = 1) -> list[bytes]:
        """The next messages of the worker, whatever the server says in between."""
        got: list[bytes] = []
        while len(got) < count:
            message = self.receive()
            if isinstance(message, bytes):
                got.append(message)
            else:
                assert message["type"] in ("hello", "status"), message
        return got

    def is_closed(self) -> bool:
        """Whether the server has nothing more to say, and closes."""
        try:
            message = self.socket.recv(timeout=PATIENCE)
        except ConnectionClosed as closed:
            return closed.rcvd is not None and closed.rcvd.code == 1000
        raise AssertionError(message)


class SendingWorker:
    """A worker that plays a match, in words of the test."""

    def __init__(self, stage: Stage, lease: dict[str, Any], socket: ClientConnection | None) -> None:
        self.stage, self.lease = stage, lease
        self._socket = socket

    @property
    def socket(self) -> ClientConnection:
        assert self._socket is not None
        return self._socket

    def send(self, tick: int, content: bytes, *, kind: int = CHUNK, age: float = 0.0) -> bytes:
        message = bytes([kind]) + content
        self.socket.send(struct.pack("<dI", age, tick) + message)
        return message

    def asked(self) -> bool:
        """What the server says next: whether people watch."""
        return bool(json.loads(self.socket.recv(timeout=PATIENCE))["watch"])

    def beat(self) -> None:
        self.post("heartbeat", {"status": "running"})

    def release(self) -> None:
        self.post("release", {})

    def post(self, verb: str, body: Any) -> httpx.Response:
        headers = {"X-Auth-Token": self.lease["job_token"]}
        answer = self.stage.http.post(f"/work/jobs/{self.lease['job_id']}/{verb}", json=body, headers=headers)
        assert answer.is_success, answer.text
        return answer


@dataclass
class Stage:
    """Matches that are played and watched."""

    app: FastAPI
    url: str
    http: httpx.Client
    world: World
    worker_token: str
    owner: Any
    now: float = 1000.0
    """of the clock by which messages are due"""
    _open: ExitStack = field(default_factory=ExitStack)

    @property
    def broadcasts(self) -> Broadcasts:
        broadcasts: Broadcasts = self.app.state.broadcasts
        return broadcasts

    def match(self, season: str = "open", **changes: Any) -> uuid.UUID:
        """A match that waits for a worker; `live` is the season's."""
        preset = self.world.season(name=season, **changes)
        version = self.world.version(self.owner, f"of {season}")
        return self.world.match(preset, "competition", [(version, 4)])

    def lease(self, *, connects: bool = True) -> SendingWorker:
        """Take the next job as a worker does, and begin to play it."""
        headers = {"X-Auth-Token": self.worker_token}
        answer = self.http.post("/work/lease", json={"worker": "one"}, headers=headers)
        assert answer.status_code == 200, answer.text
        lease = answer.json()
        socket = self.connect_worker(lease) if connects else None
        worker = SendingWorker(self, lease, socket)
        worker.beat()
        return worker

    def connect_worker(self, lease: dict[str, Any]) -> ClientConnection:
        address = f"{self.url.replace('http', 'ws', 1)}/work/jobs/{lease['job_id']}/live"
        headers = {"X-Auth-Token": lease["job_token"]}
        return self._open.enter_context(connect(address, additional_headers=headers, compression=None, proxy=None))

    def watch(self, match: uuid.UUID | str, query: str = "", *, origin: Any = None, **headers: str) -> Watcher:
        address = f"{self.url.replace('http', 'ws', 1)}/observatory/live/matches/{match}{query}"
        options: dict[str, Any] = {"compression": None, "proxy": None, "open_timeout": 60}
        return Watcher(self._open.enter_context(connect(address, additional_headers=headers, origin=origin, **options)))

    def refusal(self, *arguments: Any, **options: Any) -> str:
        """The sentence with which a watcher is turned away."""
        watcher = self.watch(*arguments, **options)
        sentence = str(watcher.next("error")["message"])
        assert watcher.is_closed()
        return sentence

    def close(self) -> None:
        self._open.close()


@pytest.fixture
def stage(server: Any, world: World, admin: Any, ada: Any, client: Any) -> Iterator[Stage]:
    app: FastAPI = server.app
    token = client.post("/admin/tokens", json={"name": "worker"}, headers=admin.headers).json()["token"]
    with httpx.Client(base_url=server.url, timeout=60, trust_env=False) as http:
        stage = Stage(app, server.url, http, world, token, ada)
        before = app.state.broadcasts
        app.state.broadcasts = Broadcasts(max_bytes=before.max_bytes, clock=lambda: stage.now)
        yield stage
        stage.close()
        app.state.broadcasts = before


Wait = Callable[[Callable[[], Any]], Any]
