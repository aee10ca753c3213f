"""Hosted games and live matches whose workers are connected to another server of the same database.

A server that needs one asks all others by a notification; the one that has it answers with its address. Streams then
pass through both servers: a browser's server opens a socket to the worker's server for each.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import anyio.to_thread
from sqlalchemy.exc import SQLAlchemyError

from observatory.database import Database
from observatory.errors import ObservatoryError, TooManyRequests, Unavailable
from observatory.hosting.tunnels import Stream, Tunnel
from observatory.keys import Keys
from observatory.signing import Signer

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

__all__ = ["PROOF", "RESPONSES", "PeerSocket", "Peers", "RemoteTunnel"]

logger = logging.getLogger(__name__)

PROOF = "X-Peer-Proof"
"""header by which servers know each other: they have the same secret key"""
ASK_SECONDS = 1.0
FOUND_SECONDS, MISSED_SECONDS = 10.0, 1.0
"""how long an answer, or that there was none, is used without asking again"""
PROOF_SECONDS = 60
RESPONSES = "/work/peers/responses"
MAX_MESSAGE_BYTES = 64 << 20


@dataclass(frozen=True)
class Place:
    """Where something is: the address of the server, and the folder of the pages of a game."""

    url: str
    pages: str | None = None


@dataclass
class _Question:
    answer: asyncio.Future[Place]
    waiting: int = 0


class PeerSocket:
    """A socket to another server, with the methods of Starlette's sockets that streams use."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    async def receive(self) -> dict[str, Any]:
        from websockets.exceptions import ConnectionClosed

        try:
            message = await self._connection.recv()
        except ConnectionClosed as closed:
            return {"type": "websocket.disconnect", "code": 1006 if closed.rcvd is None else closed.rcvd.code}
        return {"type": "websocket.receive", "text" if isinstance(message, str) else "bytes": message}

    async def send_text(self, text: str) -> None:
        await self._send(text)

    async def send_bytes(self, data: bytes) -> None:
        await self._send(data)

    async def close(self) -> None:
        with suppress(OSError):
            await self._connection.close()

    async def _send(self, message: str | bytes) -> None:
        from websockets.exceptions import ConnectionClosed

        try:
            await self._connection.send(message)
        except ConnectionClosed as closed:
            raise RuntimeError("the other server has closed the socket") from closed


@dataclass
class RemoteTunnel:
    """The tunnel of a game at another server; used as a `Tunnel`."""

    peers: Peers
    job_id: uuid.UUID
    place: Place

    @property
    def pages(self) -> str:
        return self.place.pages or "/client"

    async def open(self, place_id: uuid.UUID, request: dict[str, Any], *, shared: bool) -> Stream:
        """As `Tunnel.open`; the limits are those of the server with the tunnel."""
        socket = await self.peers.connect(self.place, f"/work/peers/{self.job_id}/streams")
        try:
            await socket.send_text(json.dumps({"place": str(place_id), "shared": shared, "request": request}))
            first = await socket.receive()
            answer = json.loads(first.get("text") or "{}")
            if answer.get("open") is not True:
                self.peers.forget(self.job_id)
                message = str(answer.get("message") or "The game has just ended")
                raise TooManyRequests(message, retry_after=5) if answer.get("full") else Unavailable(message)
        except (RuntimeError, ValueError) as problem:
            await socket.close()
            raise Unavailable("The server that runs the game does not answer") from problem
        except BaseException:
            await socket.close()
            raise
        attached: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        attached.set_result(socket)
        return Stream("remote", attached)

    def close(self, place_id: uuid.UUID, stream: Stream) -> None:
        """As `Tunnel.close`."""
        self.peers.close_later(stream.attached.result())


@dataclass
class Peers:
    """Finds what other servers hold. On SQLite there are none."""

    database: Database
    keys: Keys
    url: str
    held: Callable[[uuid.UUID], Place | None]
    """returns where this server has something, for the questions of others"""
    _questions: dict[uuid.UUID, _Question] = field(default_factory=dict)
    _known: dict[uuid.UUID, tuple[Place | None, float]] = field(default_factory=dict)
    _closing: set[asyncio.Task[None]] = field(default_factory=set)

    async def tunnel(self, job_id: uuid.UUID | None, own: Tunnel | None) -> Tunnel | RemoteTunnel | None:
        """Return the tunnel of a game: this server's own, or one through another server."""
        if own is not None or job_id is None:
            return own
        place = await self.find(job_id)
        return None if place is None else RemoteTunnel(self, job_id, place)

    async def find(self, subject: uuid.UUID) -> Place | None:
        """Return which other server has the tunnel of a job, or the rows of a match."""
        if not self.database.has_peers:
            return None
        known = self._known.get(subject)
        if known is not None and time.monotonic() < known[1]:
            return known[0]
        question = self._questions.setdefault(subject, _Question(asyncio.get_running_loop().create_future()))
        question.waiting += 1
        place = None
        try:
            if question.waiting == 1:
                await anyio.to_thread.run_sync(self.database.notify, {"ask": str(subject)})
            async with asyncio.timeout(ASK_SECONDS):
                place = await asyncio.shield(question.answer)
        except (TimeoutError, SQLAlchemyError, ObservatoryError):
            pass
        finally:
            question.waiting -= 1
            if not question.waiting:
                self._questions.pop(subject, None)
        seconds = MISSED_SECONDS if place is None else FOUND_SECONDS
        if len(self._known) > 1000:
            self._known.clear()
        self._known[subject] = place, time.monotonic() + seconds
        return place

    def forget(self, subject: uuid.UUID) -> None:
        """Ask again next time: the answer was wrong."""
        self._known.pop(subject, None)

    def on_question(self, message: dict[str, Any]) -> None:
        """Answer another server; called by the thread of the link."""
        place = self.held(uuid.UUID(message["ask"]))
        if place is not None:
            self.database.notify({"here": message["ask"], "url": self.url, "pages": place.pages})

    def on_answer(self, message: dict[str, Any]) -> None:
        """Note where something is; called by the thread of the link."""
        question = self._questions.get(uuid.UUID(message["here"]))
        if question is None:
            return
        place = Place(str(message["url"]), message.get("pages"))

        def answer() -> None:
            if not question.answer.done():
                question.answer.set_result(place)

        question.answer.get_loop().call_soon_threadsafe(answer)

    async def connect(self, place: Place, path: str, headers: dict[str, str] | None = None) -> PeerSocket:
        """Open a socket to another server; raise `Unavailable` if it does not answer."""
        from websockets.asyncio.client import connect
        from websockets.exceptions import WebSocketException

        proof = Signer(self.keys.secret, "peer").sign({"path": path}, seconds=PROOF_SECONDS)
        try:
            connection = await connect(
                f"ws{place.url.removeprefix('http')}{path}",
                additional_headers=headers or {PROOF: proof},
                open_timeout=10,
                close_timeout=2,
                max_size=MAX_MESSAGE_BYTES,
                max_queue=4,
                compression=None,
                proxy=None,
            )
        except (OSError, WebSocketException, TimeoutError) as problem:
            raise Unavailable("The server that is connected to the game does not answer") from problem
        return PeerSocket(connection)

    async def connect_for_responses(self, url: str) -> PeerSocket:
        """Open a socket to the server at this address, to ask for responses."""
        return await self.connect(Place(url), RESPONSES)

    def is_peer(self, proof: str | None, path: str) -> bool:
        """Return whether a request comes from another server."""
        content = Signer(self.keys.secret, "peer").read(proof)
        return content is not None and content.get("path") == path

    def close_later(self, socket: Any) -> None:
        task = asyncio.create_task(socket.close())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)
