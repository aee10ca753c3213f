"""A game and a player for pods of the tests, as functions: they count, and follow `SCRIPT`."""

import asyncio
import json
import time
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from urllib.request import Request, urlopen

from packages.coworld.tests.kubernetes.kubelet import Container

SCRIPT = "SCRIPT"


def game(container: Container) -> int:
    return asyncio.run(_Game(container).run())


class _Game:
    def __init__(self, container: Container) -> None:
        self.container, self.script = container, container.env.get(SCRIPT, "good")
        self.config = json.loads(self.path("COGAME_CONFIG_URI").read_text())
        self.tokens: list[str] = self.config["tokens"]
        self.connected: set[int] = set()
        self.counts = [0] * len(self.tokens)
        self.gone = [False] * len(self.tokens)
        self.started = asyncio.Event()

    def path(self, variable: str) -> Path:
        return Path(unquote(urlsplit(self.container.env[variable]).path))

    def answer(self, connection: Any, request: Any) -> Any:
        path = urlsplit(request.path).path
        query = {name: values[0] for name, values in parse_qs(urlsplit(request.path).query).items()}
        if path == "/healthz" or path.startswith("/client/"):
            if self.script == "never_healthy":
                return connection.respond(HTTPStatus.SERVICE_UNAVAILABLE, "no\n")
            return connection.respond(HTTPStatus.OK, "ok\n")
        if path == "/player":
            good = query.get("token") == self.tokens[int(query.get("slot", 0))]
            return None if good or self.script == "any_token" else connection.respond(HTTPStatus.FORBIDDEN, "no\n")
        return None if path == "/global" else connection.respond(HTTPStatus.NOT_FOUND, "no\n")

    async def serve(self, socket: Any) -> None:
        parts = urlsplit(socket.request.path)
        if parts.path == "/global":
            self.container.print("a viewer connected")
            await socket.send(json.dumps({"counts": self.counts}))
            await socket.wait_closed()
            return
        slot = int(parse_qs(parts.query)["slot"][0])
        self.container.print(f"player {slot} connected")
        self.connected.add(slot)
        if len(self.connected) == len(self.tokens):
            self.started.set()
        try:
            await self.started.wait()
            while self.counts[slot] < self.config.get("ticks", 3):
                await socket.send(json.dumps({"tick": self.counts[slot]}))
                await socket.recv()
                self.counts[slot] += 1
            await socket.send(json.dumps({"final": True}))
        finally:
            self.gone[slot] = True

    async def run(self) -> int:
        from websockets.asyncio.server import serve

        env = self.container.env
        if self.script == "exits_at_once":
            self.container.print("cannot find my own head")
            return 3
        self.container.print(f"tokens {self.tokens}")
        options: dict[str, Any] = {"process_request": self.answer, "compression": None, "ping_interval": None}
        async with serve(self.serve, env["COGAME_HOST"], int(env["COGAME_PORT"]), close_timeout=0.2, **options):
            try:
                return await self.play()
            finally:
                self.started.set()

    def host_players(self) -> None:
        """Play the files of hosted players: each holds its score."""
        path = self.path("COGAME_PLAYER_SEATS_URI")

        def below(uri: str) -> Path:
            return path.parent / urlsplit(uri).path.removeprefix("/coworld/")

        document = json.loads(path.read_text())
        for seat in document["seats"]:
            data = below(seat["file_uri"]).read_text()
            below(seat["log_uri"]).write_text(f"slot {seat['slot']} says {data}\n")
            self.counts[seat["slot"]] = int(float(data))
            self.gone[seat["slot"]] = True
        statuses = [{"slot": seat["slot"], "state": "exited", "exit_code": 0} for seat in document["seats"]]
        below(document["player_status_uri"]).write_text(json.dumps({"schema_version": "1", "players": statuses}))

    async def play(self) -> int:
        if "COGAME_PLAYER_SEATS_URI" in self.container.env:
            self.host_players()
        deadline = time.monotonic() + self.config.get("player_connect_timeout_seconds", 60)
        while not self.done() or self.script in ("never_ends", "eats_memory"):
            if self.container.stop.is_set():
                return 137
            if self.started.is_set() and self.script == "eats_memory":
                self.container.reason = "OOMKilled"
                return 137
            if not self.started.is_set() and time.monotonic() > deadline:
                self.started.set()
                self.gone = [slot not in self.connected for slot in range(len(self.gone))]
            await asyncio.sleep(0.01)
        self.finish()
        if self.script == "lingers":
            while not self.container.stop.is_set():
                await asyncio.sleep(0.02)
        await asyncio.sleep(0.05)
        return 4 if self.script == "exits_non_zero" else 0

    def done(self) -> bool:
        ticks = self.config.get("ticks", 3)
        return all(count >= ticks or gone for count, gone in zip(self.counts, self.gone, strict=True))

    def finish(self) -> None:
        if self.script == "exits_non_zero":
            return
        if self.script == "declares":
            failure = {"message": "slot 1 cheated", "failed_policy_index": 1}
            self.path("COGAME_PLAYER_FAILURE_URI").write_text(json.dumps(failure))
            return
        if self.script != "no_results":
            self.path("COGAME_RESULTS_URI").write_text(json.dumps({"scores": [float(n) for n in self.counts]}))
        if self.script != "no_replay":
            self.path("COGAME_SAVE_REPLAY_URI").write_text(json.dumps({"config": self.config}))
        self.path("COGAME_EVENTS_URI").write_text("[]")


def player(container: Container) -> int:
    from websockets.sync.client import connect

    script, env = container.env.get(SCRIPT, "good"), container.env
    if "COWORLD_PLAYER_START_URL" in env:
        warm_up(container)
    if script == "not_now":
        return 75
    if script == "crashes":
        container.print("ValueError: no brain")
        return 9
    if script == "sleeps":
        container.stop.wait()
        return 137
    url = env["COWORLD_PLAYER_WS_URL"]
    assert url == env["COGAMES_ENGINE_WS_URL"]
    container.print(f"playing {url} with {env.get('KEY', 'no key')} and {env.get('OMP_NUM_THREADS')} threads")
    with connect(url, ping_interval=None, compression=None, close_timeout=0.2, proxy=None, open_timeout=20) as socket:
        while not container.stop.is_set():
            try:
                message = socket.recv(timeout=0.1)
            except TimeoutError:
                continue
            if "final" in json.loads(message):
                break
            if script == "crashes_in_the_middle":
                return 9
            socket.send("1")
        else:
            return 137
    artifact = Request(env["COWORLD_PLAYER_ARTIFACT_UPLOAD_URL"], data=b"PK\5\6" + b"\0" * 18, method="PUT")
    urlopen(artifact, timeout=20).close()
    return 0


def warm_up(container: Container) -> None:
    """Serve the start-up page until the worker lets players start."""
    from http.server import BaseHTTPRequestHandler, HTTPServer

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            ready = container.env.get(SCRIPT) != "never_warm"
            self.send_response(200 if ready else 503)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            return

    with HTTPServer((container.address, 9500), Page) as server:
        server.timeout = 0.05
        while not container.stop.is_set():
            server.handle_request()
            try:
                urlopen(container.env["COWORLD_PLAYER_START_URL"], timeout=5).close()
                return
            except OSError:
                continue
