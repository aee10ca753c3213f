"""A whole game for two seats: rock, paper, scissors. Replace the part under "The game"; the rest keeps the contract.

Every Coworld game serves `/healthz`; `/player`, only for seats with the right token; `/global` for viewers, which
may connect late; pages for both. At the end it writes the results, then the replay. In replay mode it
serves the replay.
"""

import asyncio
import hmac
import json
import logging
import os
import urllib.request
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

logging.getLogger("websockets").setLevel(logging.CRITICAL)  # its messages may hold addresses with tokens
HERE = Path(__file__).parent

# --- The game

BEATS = {"rock": "scissors", "paper": "rock", "scissors": "paper"}


class Game:
    """The rules and the score. Each seat throws; a round is over when both have, or when its time is up."""

    def __init__(self, config: dict) -> None:
        self.names = [player.get("name", "") for player in config.get("players", [{}, {}])]
        self.rounds = config.get("rounds", 10)
        self.round_seconds = config.get("round_seconds", 2)
        self.scores = [0, 0]
        self.played: list[list[str | None]] = []
        self.thrown: list[str | None] = [None, None]

    def throw(self, slot: int, message: object) -> None:
        """Take a player's message; anything but a throw counts for nothing."""
        if isinstance(message, dict) and message.get("throw") in BEATS:
            self.thrown[slot] = message["throw"]

    def end_round(self) -> None:
        first, second = self.thrown
        if first != second:
            self.scores[0 if second is None or (first is not None and BEATS[first] == second) else 1] += 1
        self.played.append(self.thrown)
        self.thrown = [None, None]

    @property
    def over(self) -> bool:
        return len(self.played) >= self.rounds

    def state(self) -> dict:
        """Return the public state: the throws of a round that still runs are hidden."""
        return {
            "type": "state",
            "players": self.names,
            "scores": self.scores,
            "played": self.played,
            "rounds": self.rounds,
            "done": self.over,
        }


# --- The contract


class Server:
    """One port for pages and websockets."""

    def __init__(self, game: Game, tokens: list[str], replay: bytes | None = None) -> None:
        self.game, self.tokens, self.replay = game, tokens, replay
        self.here: set[int] = set()
        self.news = asyncio.Event()

    def answer(self, connection: ServerConnection, request: Request) -> Response | None:
        """Return a page or a refusal; None accepts a websocket."""
        path, query = address(request.path)
        if "websocket" in request.headers.get("Upgrade", "").lower():
            allowed = (
                self.slot(query) is not None if path == "/player" else path == ("/replay" if self.replay else "/global")
            )
            return None if allowed else page(403, "Forbidden", b"refused\n", "text/plain")
        if path == "/healthz":
            return page(200, "OK", b'{"ok":true}', "application/json")
        if path.removeprefix("/clients/").removeprefix("/client/") in ("player", "global", "replay"):
            return page(200, "OK", (HERE / "page.html").read_bytes(), "text/html; charset=utf-8")
        return page(404, "Not Found", b"not found\n", "text/plain")

    def slot(self, query: dict[str, str]) -> int | None:
        slot, token = query.get("slot", ""), query.get("token", "")
        if slot not in [str(index) for index in range(len(self.tokens))]:
            return None
        return int(slot) if hmac.compare_digest(token.encode(), self.tokens[int(slot)].encode()) else None

    async def visit(self, connection: ServerConnection) -> None:
        assert connection.request is not None
        _, query = address(connection.request.path)
        slot = self.slot(query)
        try:
            if self.replay is not None:
                await connection.send(self.replay.decode())
                await connection.wait_closed()
            elif slot is not None:
                await self.play(connection, slot)
            else:
                await self.watch(connection, None)
        except ConnectionClosed:
            pass

    async def play(self, connection: ServerConnection, slot: int) -> None:
        self.here.add(slot)
        self.tell()
        watching = asyncio.create_task(self.watch(connection, slot))
        try:
            async for message in connection:
                try:
                    self.game.throw(slot, json.loads(message))
                except ValueError:
                    continue
                self.tell()
        finally:
            watching.cancel()

    async def watch(self, connection: ServerConnection, slot: int | None) -> None:
        """Send the state at once and after every change, to the end. A seat also receives its number."""
        while True:
            state = self.game.state() | ({} if slot is None else {"slot": slot})
            await connection.send(json.dumps(state))
            if self.game.over:
                await connection.close()
                return
            await self.news.wait()

    def tell(self) -> None:
        news, self.news = self.news, asyncio.Event()
        news.set()

    async def run(self, connect_seconds: float) -> None:
        game = self.game
        await self.until(lambda: len(self.here) == len(self.tokens), connect_seconds)
        while not game.over:
            await self.until(lambda: None not in game.thrown, game.round_seconds)
            game.end_round()
            self.tell()

    async def until(self, condition: Callable[[], bool], seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                while not condition():
                    await self.news.wait()
        except TimeoutError:
            pass


async def main() -> None:
    replay_uri = os.environ.get("COGAME_LOAD_REPLAY_URI")
    if replay_uri:
        server, config = Server(Game({}), [], read(replay_uri)), {}
    else:
        config = json.loads(read(os.environ["COGAME_CONFIG_URI"]))
        server = Server(Game(config), config["tokens"])
    host, port = os.environ.get("COGAME_HOST", "0.0.0.0"), int(os.environ.get("COGAME_PORT", "8080"))
    async with serve(server.visit, host, port, process_request=server.answer, close_timeout=1) as listening:
        if replay_uri:
            await listening.serve_forever()
        await server.run(config.get("player_connect_timeout_seconds", 180))
        results = {"scores": [float(score) for score in server.game.scores], "rounds": len(server.game.played)}
        public = {key: value for key, value in config.items() if key != "tokens"}
        write(os.environ["COGAME_RESULTS_URI"], json.dumps(results).encode())
        replay = {"config": public, "final": server.game.state(), "results": results}
        write(os.environ["COGAME_SAVE_REPLAY_URI"], json.dumps(replay).encode())
        await asyncio.sleep(0.2)  # the last message is on its way
    print("finished", results, flush=True)


def page(status: int, phrase: str, body: bytes, kind: str) -> Response:
    return Response(status, phrase, Headers({"Content-Type": kind, "Content-Length": str(len(body))}), body)


def address(target: str) -> tuple[str, dict[str, str]]:
    parts = urlsplit(target)
    return parts.path, {name: values[-1] for name, values in parse_qs(parts.query).items()}


def read(uri: str) -> bytes:
    if uri.startswith(("http://", "https://")):
        with urllib.request.urlopen(urllib.request.Request(uri, headers={"User-Agent": "{{NAME}}"})) as answer:
            return answer.read()
    return file(uri).read_bytes()


def write(uri: str, data: bytes) -> None:
    """Write to a URI. A file is replaced in one step, so that a reader never sees half of it."""
    if uri.startswith(("http://", "https://")):
        request = urllib.request.Request(uri, data=data, method="PUT", headers={"User-Agent": "{{NAME}}"})
        urllib.request.urlopen(request).close()
        return
    path = file(uri)
    beside = path.with_name(path.name + ".part")
    beside.write_bytes(data)
    beside.replace(path)


def file(uri: str) -> Path:
    return Path(unquote(urlsplit(uri).path)) if uri.startswith("file:") else Path(uri)


if __name__ == "__main__":
    asyncio.run(main())
