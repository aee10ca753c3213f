"""The game's websocket routes: which requests are accepted, and the messages that each kind of client receives."""

from __future__ import annotations

import asyncio
import hmac
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from urllib.parse import parse_qs, urlsplit

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from coworld.examples.paintarena.game.match import BadMove, Match
from coworld.examples.paintarena.game.web import answer, page

VIEW_SECONDS = 0.1
"""how often a viewer receives the board"""
TAKEN_OVER = 4000
"""the code an older connection of a seat is closed with when a newer one arrives"""

Visit = Callable[[ServerConnection, dict[str, str]], Awaitable[None]]


class Routes:
    """Serve one port: plain requests get pages, websocket requests go to the handler of their path."""

    def __init__(self) -> None:
        self.visits: dict[str, Visit] = {}

    def allowed(self, path: str, query: dict[str, str], request: Request) -> bool:
        """Return whether to accept a websocket request; a refused request gets HTTP 403 before the handshake."""
        return path in self.visits

    def process_request(self, connection: ServerConnection, request: Request) -> Response | None:
        path, query = _address(request.path)
        if "websocket" not in request.headers.get("Upgrade", "").lower():
            if path in self.visits:
                return answer(426, "Upgrade Required", b"this address speaks websocket\n")
            return page(path)
        if not self.allowed(path, query, request):
            return answer(403, "Forbidden", b"refused\n")
        return None

    async def __call__(self, connection: ServerConnection) -> None:
        assert connection.request is not None
        path, query = _address(connection.request.path)
        with suppress(ConnectionClosed):  # the client disconnected
            await self.visits[path](connection, query)


class MatchRoutes(Routes):
    """The routes while a match is played."""

    def __init__(self, match: Match, tokens: list[str], *, admin_token: str | None = None) -> None:
        super().__init__()
        self.match = match
        self._tokens = tokens
        self._admin_token = admin_token
        self._players: dict[int, ServerConnection] = {}
        self.visits = {"/player": self._player, "/global": self._global}
        if admin_token:
            self.visits["/admin"] = self._admin

    def allowed(self, path: str, query: dict[str, str], request: Request) -> bool:
        if path == "/player":
            return self._slot(query) is not None
        if path == "/admin":
            given = query.get("token", "")
            return bool(self._admin_token) and hmac.compare_digest(given.encode(), (self._admin_token or "").encode())
        return super().allowed(path, query, request)

    def _slot(self, query: dict[str, str]) -> int | None:
        slot, token = query.get("slot", ""), query.get("token", "")
        if not (slot.isascii() and slot.isdecimal() and len(slot) < 4 and int(slot) < len(self._tokens)):
            return None
        right = hmac.compare_digest(token.encode(), self._tokens[int(slot)].encode())
        return int(slot) if right else None

    async def _player(self, connection: ServerConnection, query: dict[str, str]) -> None:
        slot = self._slot(query)
        assert slot is not None
        older = self._players.get(slot)
        self._players[slot] = connection
        self.match.join(slot)
        print(f"slot {slot} connected", flush=True)
        tasks = [asyncio.create_task(self._observe(connection, slot))]
        if older is not None:
            tasks.append(asyncio.create_task(older.close(TAKEN_OVER, "another connection has taken this seat")))
        try:
            async for message in connection:
                if self._players[slot] is connection:
                    self.match.receive(slot, message)
        except BadMove as error:
            print(f"slot {slot} dropped: {error}", flush=True)
            await connection.close(1008, str(error))
        finally:
            for task in tasks:
                task.cancel()
            if self._players.get(slot) is connection:
                del self._players[slot]
            self.match.leave(slot)
            print(f"slot {slot} disconnected", flush=True)

    async def _observe(self, connection: ServerConnection, slot: int) -> None:
        """Send the ticks in order; a slow player misses ticks and never delays the others."""
        with suppress(ConnectionClosed):
            await connection.send(self.match.observation_text(slot))
            while not self.match.done:
                await self.match.news()
                await connection.send(self.match.observation_text(slot))
            await connection.close()

    async def _global(self, connection: ServerConnection, query: dict[str, str]) -> None:
        while not self.match.done:
            await connection.send(self.match.state_text())
            try:
                async with asyncio.timeout(VIEW_SECONDS):
                    while not self.match.done:
                        await self.match.news()
            except TimeoutError:
                continue
        await connection.send(self.match.state_text())

    async def _admin(self, connection: ServerConnection, query: dict[str, str]) -> None:
        async for message in connection:
            try:
                command = json.loads(message)
            except (ValueError, RecursionError):
                command = message
            options = command if isinstance(command, dict) else {"command": command}
            match options.get("command"):
                case "pause":
                    self.match.pause(True)
                case "resume":
                    self.match.pause(False)
                case "tick_rate":
                    self.match.set_tick_rate(options.get("tick_rate"))
            await connection.send(self.match.state_text())


def _address(target: str) -> tuple[str, dict[str, str]]:
    parts = urlsplit(target)
    return parts.path, {name: values[-1] for name, values in parse_qs(parts.query).items()}
