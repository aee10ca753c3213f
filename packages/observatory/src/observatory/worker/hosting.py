"""Run a hosted game in a separate process, and connect it to the server: see `observatory.hosting.tunnels`.

Everything that reaches the game comes from the server as a path and a query. The headers are made here, and so are the
slot and the token of a seat.
"""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import httpx

from observatory.games import PolicyToPlay
from observatory.games.coworlds import LiveGame, coworlds
from observatory.jobs.schemas import Lease
from observatory.worker.client import trusted_certificates
from observatory.worker.episode import follow

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

__all__ = ["TunnelDoor", "host_in_child"]

LOST = "The connection to the server was lost"
OPEN_SECONDS = 20.0
PING_SECONDS = 10.0
MAX_MESSAGE_BYTES = 32 << 20
"""of a message from the game"""
MAX_CONTROL_BYTES = 1 << 20
_PIECE_BYTES = 64 << 10
_PASSED_HEADERS = ("content-type", "content-encoding", "content-language", "etag", "last-modified", "location")


def host_in_child(
    parent: Connection,
    folder: Path,
    server: str,
    ca_file: Path | None,
    lease: Lease,
    policies: Sequence[PolicyToPlay],
    minimum: str,
) -> None:
    """Entry of the child: end when the worker has ended, whatever way, and host the game."""
    follow(parent)
    coworlds().host(
        folder,
        lease.spec,
        policies,
        TunnelDoor(server, lease.job_id, lease.job_token, ca_file=ca_file),
        minimum=minimum,
        time_limit_seconds=lease.time_limit_seconds,
    )


class TunnelDoor:
    """The worker's end of a tunnel. `control` is the name of its first socket: `show` lets people only watch."""

    def __init__(
        self, server: str, job_id: uuid.UUID, job_token: str, *, control: str = "tunnel", ca_file: Path | None = None
    ) -> None:
        self._ca_file = ca_file
        self._address = f"ws{server.removeprefix('http')}/work/jobs/{job_id}"
        self._headers = {"X-Auth-Token": job_token}
        self._control_name = control
        self._control: ClientConnection | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def serve(self, game: LiveGame) -> str:
        """Let people in until the server ends the game or goes away; return why."""
        from websockets.exceptions import WebSocketException

        try:
            async with await self._connect(self._control_name, max_size=MAX_CONTROL_BYTES) as control:
                self._control = control
                await control.send(json.dumps({"ready": {"pages": game.pages}}))
                async for text in control:
                    message = json.loads(text)
                    if "end" in message:
                        return str(message["end"])
                    task = asyncio.create_task(self._stream(game, message))
                    self._tasks.add(task)
                    task.add_done_callback(self._tasks.discard)
        except (OSError, WebSocketException, TimeoutError, ValueError):
            pass
        finally:
            for task in list(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
        return LOST

    async def close(self, reason: str) -> None:
        """Say that the game has ended by itself; the server closes the tunnel then."""
        from websockets.exceptions import WebSocketException

        if self._control is not None:
            with suppress(OSError, WebSocketException):
                await self._control.send(json.dumps({"ended": reason}))

    async def _connect(self, path: str, *, max_size: int) -> ClientConnection:
        from websockets.asyncio.client import connect

        return await connect(
            f"{self._address}/{path}",
            additional_headers=self._headers,
            open_timeout=OPEN_SECONDS,
            close_timeout=2.0,
            ping_interval=PING_SECONDS,
            ping_timeout=2 * PING_SECONDS,
            max_size=max_size,
            max_queue=4,
            compression=None,
            proxy=None,
            ssl=trusted_certificates(self._ca_file) if self._address.startswith("wss") else None,
        )

    async def _stream(self, game: LiveGame, asked: dict[str, Any]) -> None:
        """Carry one page or one socket."""
        from websockets.exceptions import WebSocketException

        with suppress(OSError, WebSocketException, httpx.HTTPError, TimeoutError):
            async with await self._connect(f"streams/{asked['open']}", max_size=MAX_CONTROL_BYTES * 2) as stream:
                carry = self._carry_page if asked["kind"] == "page" else self._carry_socket
                await carry(game, asked, stream)

    async def _carry_page(self, game: LiveGame, asked: dict[str, Any], stream: ClientConnection) -> None:
        host, port = game.address
        async with (
            httpx.AsyncClient(timeout=OPEN_SECONDS, trust_env=False, follow_redirects=False) as http,
            http.stream(
                asked["method"],
                f"http://{host}:{port}{_target(game, asked)}",
                headers={"Accept": "*/*", "Accept-Encoding": "identity"},
            ) as response,
        ):
            headers = [[name, response.headers[name]] for name in _PASSED_HEADERS if name in response.headers]
            await stream.send(json.dumps({"status": response.status_code, "headers": headers}))
            async for piece in response.aiter_raw(_PIECE_BYTES):
                await stream.send(piece)
            await stream.send("end")
            with suppress(TimeoutError):  # the server closes
                async with asyncio.timeout(OPEN_SECONDS):
                    await stream.wait_closed()

    async def _carry_socket(self, game: LiveGame, asked: dict[str, Any], stream: ClientConnection) -> None:
        from websockets.asyncio.client import connect
        from websockets.exceptions import WebSocketException

        host, port = game.address
        try:
            socket = await connect(
                f"ws://{host}:{port}{_target(game, asked)}",
                open_timeout=OPEN_SECONDS,
                close_timeout=1.0,
                ping_interval=None,  # a game need not answer pings
                max_size=MAX_MESSAGE_BYTES,
                max_queue=4,
                compression=None,
                proxy=None,
                subprotocols=asked.get("protocols") or None,
            )
        except (OSError, WebSocketException, TimeoutError):
            await stream.send(json.dumps({"open": False}))
            return
        async with socket:
            await stream.send(json.dumps({"open": True, "protocol": socket.subprotocol}))
            pumps = [asyncio.create_task(_pump(socket, stream)), asyncio.create_task(_pump(stream, socket))]
            try:
                await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for pump in pumps:
                    pump.cancel()
                await asyncio.gather(*pumps, return_exceptions=True)
            if socket.close_code is not None:
                await stream.close(_close_code(socket.close_code), (socket.close_reason or "")[:100])


async def _pump(source: ClientConnection, target: ClientConnection) -> None:
    """Carry messages until the source closes, no faster than the target takes them."""
    async for message in source:
        await target.send(message)


def _target(game: LiveGame, asked: dict[str, Any]) -> str:
    """Return the path and the query of a request to the game, with the credentials of its place."""
    path = str(asked["path"])
    query = [(str(name), str(value)) for name, value in asked["query"]]
    name = asked["page"]
    if path in (f"/{name}", f"/client/{name}", f"/clients/{name}"):
        if name == "player":
            query += [("slot", str(asked["slot"])), ("token", game.tokens[asked["slot"]])]
        elif name == "replay" and game.replay_uri is not None:
            query.append(("uri", game.replay_uri))
    return f"{path}?{urlencode(query)}" if query else path


def _close_code(code: int) -> int:
    return code if code in (1000, 1001, 1008, 1011) or 3000 <= code <= 4999 else 1000
