"""The server of a room: addresses, access, and the sockets of its clients."""

import asyncio
import hmac
import ipaddress
import logging
import socket
import time
from contextlib import suppress
from typing import Any, Self
from urllib.parse import urlsplit

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from bitworld.server import limits
from bitworld.server.clients import Client, Player, RewardReader, Viewer
from bitworld.server.clock import Clock, RealTime
from bitworld.server.connection import Connection
from bitworld.server.documents import document
from bitworld.server.match import Match
from bitworld.server.pages import page
from bitworld.server.requests import CORS, Head, Response, text
from bitworld.server.room import Room

__all__ = ["GameServer", "identity_of"]

logger = logging.getLogger("bitworld.server")
_silent = logging.getLogger("bitworld.server.connections")  # unsolicited traffic would flood the log
_silent.setLevel(logging.CRITICAL)

PLAYER, GLOBAL, REPLAY, REWARD = "/player", "/global", "/replay", "/reward"
SPRITE_PLAYERS = ("/player2", "/sprite_player")
SOCKETS = (PLAYER, *SPRITE_PLAYERS, GLOBAL, REWARD)
MAX_REASON_BYTES = 123
"""of a WebSocket close frame"""


class GameServer:
    """Serves one room until it is closed. Use it with `async with`; a process may have many.

    Clients of this machine may restart the match and kick players, pages of other sites may not. With an
    `admin_token`, only requests with this token may.
    """

    def __init__(
        self, room: Room, *, clock: Clock | None = None, host: str = "127.0.0.1", port: int = 0, admin_token: str = ""
    ) -> None:
        self.room = room
        self._clock = clock or RealTime()
        self._host = "127.0.0.1" if host == "localhost" else host
        self._admin_token = admin_token
        family = socket.AF_INET6 if ":" in self._host else socket.AF_INET
        self._listener = socket.create_server((self._host, port), family=family)
        self._server: Server | None = None
        self._connections: set[Connection] = set()

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    @property
    def address(self) -> str:
        host = "127.0.0.1" if self._host in ("", "0.0.0.0") else "::1" if self._host == "::" else self._host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    async def __aenter__(self) -> Self:
        self._server = await serve(
            self._serve,
            sock=self._listener,
            create_connection=self._connection,  # type: ignore[arg-type]
            compression=None,
            max_size=limits.MAX_MESSAGE_BYTES,
            open_timeout=limits.SECONDS_TO_REQUEST,
            ping_interval=limits.SECONDS_BETWEEN_PINGS,
            close_timeout=2,
            server_header=None,
            logger=_silent,
        )
        return self

    async def __aexit__(self, *error: object) -> None:
        assert self._server is not None
        self.room.close("The server was closed")
        self._server.close(close_connections=True)
        for connection in self._connections:
            connection.drop_request()
        await self._server.wait_closed()

    async def run(self) -> None:
        """Run ticks until the room is over."""
        while not self.room.is_over:
            await self._clock.wait(self.room)
            self.room.tick()
        self.room.close("The game is over")
        await self._drain()

    async def _drain(self, seconds: float = 2.0) -> None:
        """Give the clients time to receive the last pictures."""
        room = self.room
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while room.players or room.viewers or room.readers:
                    room.changed.clear()
                    await room.changed.wait()

    def _connection(self, *positional: Any, **options: Any) -> Connection:
        return Connection(
            *positional, answer=self._answer, accept=self._accept, lost=self._connections.discard, **options
        )

    def _accept(self, connection: Connection) -> bool:
        self._connections.add(connection)
        return len(self._connections) <= limits.MAX_CONNECTIONS

    def _answer(self, connection: Connection, head: Head) -> Response | None:
        """Return None to open a WebSocket, or the response to send instead."""
        if self.is_socket(head.path) and head.method == "GET":
            if not head.is_upgrade:
                return Response(500)
            connection.head = head  # type: ignore[attr-defined]
            return self.refuse(connection, head)
        if head.path in ("/control/restart", "/control/kick") and head.method in ("POST", "OPTIONS"):
            return self._control(connection, head)
        if head.method == "GET":
            if head.path == "/healthz":
                return text(200, "healthy")
            found = page(head.path) or document(self.room, head.path)
            if found is not None:
                return found
        return Response(200, f"{self.room.game.title} server".encode(), {"Content-Type": "text/plain"})

    def is_socket(self, path: str) -> bool:
        return path in SOCKETS or (path == REPLAY and self.room.is_replay)

    def refuse(self, connection: Connection, head: Head) -> Response | None:
        """Return a response instead of a WebSocket, or None to open it."""
        is_player = head.path == PLAYER or head.path in SPRITE_PLAYERS
        if is_player and self.room.is_blocked(identity_of(head.query.get("name", ""), connection.peer)):
            return text(409, "player was kicked\n")
        return None

    def _control(self, connection: Connection, head: Head) -> Response:
        if head.method == "OPTIONS":
            return text(204, "", CORS)
        if not self._may_control(connection, head):
            return text(403, "match controls need the admin token\n", CORS)
        if not isinstance(self.room, Match) or not self.room.has_controls:
            kind = "replays" if self.room.is_replay else "episodes"
            return text(409, f"match controls are disabled for {kind}\n", CORS)
        if head.path == "/control/restart":
            self.room.restart()
            return text(202, "restart queued\n", CORS)
        if not head.query.get("identity"):
            return text(400, "missing identity\n", CORS)
        self.room.kick(identity_of(head.query["identity"], connection.peer))
        return text(202, "kick queued\n", CORS)

    def _may_control(self, connection: Connection, head: Head) -> bool:
        if self._admin_token:
            given = head.query.get("token") or head.headers.get("authorization", "").removeprefix("Bearer ")
            return hmac.compare_digest(given.encode(), self._admin_token.encode())
        origin = head.headers.get("origin", "")
        return _is_loopback(connection.peer[0]) and (not origin or _is_loopback(urlsplit(origin).hostname or ""))

    async def _serve(self, connection: ServerConnection) -> None:
        assert isinstance(connection, Connection)
        client = self._client(connection)
        if client.close_reason is None:
            self.room.add(client)
        tasks = [asyncio.ensure_future(work) for work in (_write(connection, client), _read(connection, client))]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        except ConnectionClosed:
            pass
        except Exception:  # a bug in the server; other connections continue
            logger.exception("A connection failed")
        finally:
            self.room.remove(client)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _client(self, connection: Connection) -> Client:
        head: Head = connection.head  # type: ignore[attr-defined]  # put there by `_answer`
        room = self.room
        if head.path in (GLOBAL, REPLAY, REWARD):
            client: Client = RewardReader() if head.path == REWARD else Viewer()
            if len(room.viewers) + len(room.readers) >= limits.MAX_WATCHERS:
                client.close("Too many viewers")
            return client
        slot = head.query.get("slot", "")
        player = Player(
            identity_of(head.query.get("name", ""), connection.peer),
            int(slot) if slot.isdecimal() and len(slot) < 4 else -1,
            head.query.get("token", "")[: limits.MAX_TOKEN],
            has_sprites=head.path in SPRITE_PLAYERS,
        )
        if slot and not (slot.isascii() and slot.isdecimal() and player.slot < room.game.max_players):
            player.close(f"The slot must be a number from 0 to {room.game.max_players - 1}")
        elif len(room.players) >= limits.MAX_PLAYERS:
            player.close("Too many players")
        return player


def identity_of(name: str, peer: tuple[str, int]) -> str:
    """Return the identity of a player: its name without spaces, else its address."""
    name = "".join(c if c.isprintable() and not c.isspace() else "_" for c in name.strip()[: limits.MAX_NAME])
    return name or f"{peer[0]}:{peer[1]}"


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


async def _write(connection: Connection, client: Client) -> None:
    """Send what the room queues, until it closes the client."""
    while True:
        while client.outbox:
            await connection.send(client.outbox.popleft())
        if client.close_reason is not None:
            reason = client.close_reason.encode()[:MAX_REASON_BYTES].decode(errors="ignore")
            await connection.close(client.close_code, reason)
            return
        client.ready.clear()
        await client.ready.wait()


async def _read(connection: Connection, client: Client) -> None:
    """Pass on what the client sends, not faster than the limit."""
    rate = limits.MESSAGES_PER_SECOND
    allowance, last = float(rate), time.monotonic()
    async for message in connection:
        if isinstance(message, str) or client.receive(message):
            now = time.monotonic()
            allowance = min(allowance + (now - last) * rate, rate) - 1
            last = now
            if allowance < 0:  # further messages wait in the connection's buffer
                await asyncio.sleep(-allowance / rate)
        await client.may_continue()
