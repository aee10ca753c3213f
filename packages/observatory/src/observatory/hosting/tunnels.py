"""The tunnels from this server to the games that workers run: one control socket per game, one socket per stream.

The control socket carries JSON texts. The server sends `{"open": ID, ...}` for each request and `{"end": REASON}`; the
worker sends `{"ready": {"pages": "/client"}}` once and `{"ended": REASON}` at the end. For each `open` the worker
connects a stream with that id. A stream carries one page (a JSON head, then the body in binary messages) or one socket
(a JSON answer, then the messages of both sides as they are).
"""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from observatory.errors import TooManyRequests, Unavailable

__all__ = ["MAX_PER_PLACE", "Broken", "Stream", "Tunnel", "Tunnels"]

MAX_PER_PLACE = 8
"""streams of one seat at the same time; spectators share what the game has left"""
OPEN_SECONDS = 10.0
"""how long a worker may take to connect a stream"""
ANSWER_SECONDS = 30.0
"""how long a game may take to answer"""


class Broken(Exception):
    """A stream ended before it was complete."""


@dataclass(eq=False)
class Stream:
    """One page or one socket on its way through a tunnel. Used in `with Tunnel.stream(...)`."""

    id: str
    attached: asyncio.Future[WebSocket]
    finished: asyncio.Event = field(default_factory=asyncio.Event)

    async def connect(self) -> None:
        """Wait for the worker; raise `Unavailable` if it does not come."""
        try:
            async with asyncio.timeout(OPEN_SECONDS):
                await asyncio.shield(self.attached)
        except TimeoutError:
            raise Unavailable("The machine that runs the game does not answer") from None

    @property
    def socket(self) -> WebSocket:
        return self.attached.result()

    async def answer(self) -> dict[str, Any]:
        """Return the first message: how the game answered. Raise `Broken` if there is none in time."""
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                message = await self.socket.receive()
            document = json.loads(message.get("text") or "")
        except (TimeoutError, ValueError) as problem:
            raise Broken("The game does not answer") from problem
        if not isinstance(document, dict):
            raise Broken("The game does not answer")
        return document

    async def body(self, limit: int) -> AsyncIterator[bytes]:
        """Yield the pieces of a page; raise `Broken` if it is longer than the limit, or was cut off."""
        size = 0
        while True:
            async with asyncio.timeout(ANSWER_SECONDS):
                message = await self.socket.receive()
            if message["type"] == "websocket.disconnect":
                raise Broken("The page was cut off")
            if message.get("text") is not None:
                return  # the end
            piece = message.get("bytes") or b""
            size += len(piece)
            if size > limit:
                raise Broken(f"A page has more than {limit} bytes")
            yield piece


class Tunnel:
    """The tunnel of one game."""

    def __init__(self, job_id: uuid.UUID, control: WebSocket, pages: str, *, max_streams: int) -> None:
        self.job_id, self.pages = job_id, pages
        self._control, self._max_streams = control, max_streams
        self._streams: dict[str, Stream] = {}
        self._places: Counter[uuid.UUID] = Counter()
        self._numbers = 0
        self.used_at = time.monotonic()
        """when a stream was last open"""

    @property
    def idle_seconds(self) -> float:
        return 0.0 if self._streams else time.monotonic() - self.used_at

    async def open(self, place_id: uuid.UUID, request: dict[str, Any], *, shared: bool) -> Stream:
        """Ask the worker for a stream; raise `TooManyRequests` beyond the limits. Call `close` with it at the end."""
        limit = self._max_streams if shared else MAX_PER_PLACE
        if len(self._streams) >= self._max_streams or self._places[place_id] >= limit:
            raise TooManyRequests("This game has too many connections; close some pages", retry_after=5)
        self._numbers += 1
        stream = Stream(f"{self._numbers}", asyncio.get_running_loop().create_future())
        self._streams[stream.id] = stream
        self._places[place_id] += 1
        try:
            await self._control.send_text(json.dumps({"open": stream.id, **request}))
            await stream.connect()
        except BaseException as problem:
            self.close(place_id, stream)
            if isinstance(problem, RuntimeError | WebSocketDisconnect):
                raise Unavailable("The game has just ended") from None
            raise
        return stream

    def close(self, place_id: uuid.UUID, stream: Stream) -> None:
        """Forget a stream; its socket to the worker is closed."""
        if self._streams.pop(stream.id, None) is None:
            return
        self.used_at = time.monotonic()
        self._places[place_id] -= 1
        if not stream.attached.done():
            stream.attached.cancel()
        stream.finished.set()

    async def attach(self, stream_id: str, socket: WebSocket) -> None:
        """Give the worker's socket to the stream that waits for it, and hold it until the stream is closed."""
        stream = self._streams.get(stream_id)
        if stream is None or stream.attached.done():
            await socket.close(1008, "There is no such stream")
            return
        await socket.accept()
        if stream.attached.done():  # closed meanwhile
            await _close(socket)
            return
        stream.attached.set_result(socket)
        await stream.finished.wait()
        await _close(socket)

    async def end(self, reason: str | None) -> None:
        """Tell the worker that the game is over."""
        with suppress(RuntimeError, WebSocketDisconnect):
            await self._control.send_text(json.dumps({"end": reason or "The game is over"}))

    def cut(self) -> None:
        """Close all streams."""
        for stream in list(self._streams.values()):
            if not stream.attached.done():
                stream.attached.cancel()
            stream.finished.set()


class Tunnels:
    """The tunnels of this process, by the jobs of their games."""

    def __init__(self) -> None:
        self._tunnels: dict[uuid.UUID, Tunnel] = {}

    def add(self, tunnel: Tunnel) -> None:
        self._tunnels[tunnel.job_id] = tunnel

    def remove(self, tunnel: Tunnel) -> None:
        if self._tunnels.get(tunnel.job_id) is tunnel:
            del self._tunnels[tunnel.job_id]
        tunnel.cut()

    def find(self, job_id: uuid.UUID | None) -> Tunnel | None:
        return None if job_id is None else self._tunnels.get(job_id)

    def all(self) -> list[Tunnel]:
        return list(self._tunnels.values())

    @property
    def jobs(self) -> set[uuid.UUID]:
        return set(self._tunnels)


async def _close(socket: WebSocket) -> None:
    if socket.application_state is WebSocketState.CONNECTED:
        with suppress(RuntimeError, WebSocketDisconnect):
            await socket.close()
