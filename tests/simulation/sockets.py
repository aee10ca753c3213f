"""The sockets by which servers ask the leader for responses. Messages are delayed; a dead server does not answer."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from unittest import mock

from observatory.errors import Unavailable
from observatory.hosting.peers import PROOF, RESPONSES
from observatory.http import response_cache
from observatory.routes.peers import share_responses
from observatory.signing import Signer
from tests.simulation.scheduler import Scheduler

if TYPE_CHECKING:
    from tests.simulation.servers import Server

__all__ = ["Sockets"]

_DISCONNECT = {"type": "websocket.disconnect", "code": 1006}
_STALLED = 0.02
"""the part of messages that a lost packet delays"""


class Sockets:
    """Connects servers, by the names that are the hosts of their addresses."""

    def __init__(self, scheduler: Scheduler) -> None:
        self.scheduler = scheduler
        self.servers: dict[str, Server] = {}
        self.latency = 0.002

    async def connect(self, url: str) -> End:
        """Stand for `Peers.connect_for_responses`."""
        await asyncio.sleep(self.delay())
        server = self.servers.get(url.rpartition("/")[2])
        if server is None or not server.is_up or server.process is None:
            raise Unavailable("The server does not answer")
        asking = End(self)
        answering = Answering(self, server, asking)
        asking.other = answering
        self.scheduler.note("socket", server.name)
        task = server.process.spawn(share_responses(answering))  # type: ignore[arg-type]
        task.add_done_callback(lambda _: answering.lose())
        return asking

    def delay(self) -> float:
        chance = self.scheduler.chance
        return chance.random() * (3.0 if chance.random() < _STALLED else self.latency)

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Let each response that was asked for once in two seconds be popular: seasons have few readers."""
        with mock.patch.object(response_cache, "POPULAR", 1):
            yield


class End:
    """An end of a socket, with the methods of `PeerSocket`."""

    def __init__(self, sockets: Sockets) -> None:
        self._sockets = sockets
        self._inbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._last_at = 0.0
        self._is_closed = False
        self.other: End | None = None

    async def receive(self) -> dict[str, Any]:
        return await self._inbox.get()

    async def send_text(self, text: str) -> None:
        self._send({"type": "websocket.receive", "text": text})

    async def send_bytes(self, data: bytes) -> None:
        self._send({"type": "websocket.receive", "bytes": data})

    async def close(self, code: int = 1000) -> None:
        self.lose()

    def lose(self) -> None:
        """Let the other end notice that this one is closed."""
        if not self._is_closed:
            self._send(_DISCONNECT)
            self._is_closed = True

    def _send(self, message: dict[str, Any]) -> None:
        if self._is_closed:
            raise RuntimeError("the socket is closed")
        scheduler = self._sockets.scheduler
        self._last_at = max(self._last_at, scheduler.now + self._sockets.delay())
        assert self.other is not None
        scheduler.call_at(self._last_at, self.other._inbox.put_nowait, message)


class Answering(End):
    """The end of the server that is asked, with what an endpoint uses of Starlette's sockets."""

    def __init__(self, sockets: Sockets, server: Server, other: End) -> None:
        super().__init__(sockets)
        self.app, self.other = server.app, other
        self.url = SimpleNamespace(path=RESPONSES)
        proof = Signer(server.app.state.keys.secret, "peer").sign({"path": RESPONSES}, seconds=60)
        self.headers = {PROOF: proof}

    async def accept(self) -> None:
        pass
