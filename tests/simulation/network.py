"""The network between workers, users and servers: messages are delayed, lost, doubled and cut off."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

import httpx

from tests.simulation.scheduler import Scheduler, await_here

if TYPE_CHECKING:
    from tests.simulation.servers import Server

__all__ = ["Lost", "Network", "Reply", "Transport"]

Headers = Sequence[tuple[str, str]]


class Lost(Exception):
    """No answer came: the request may have been served or not."""


class Reply:
    """The answer of a server."""

    def __init__(self, status: int, headers: list[tuple[bytes, bytes]], body: bytes, server: Server) -> None:
        self.status, self.headers, self.body, self.server = status, headers, body, server
        self.life = server.life


class Network:
    """Carries requests to any of the servers, as a proxy in front of them does."""

    def __init__(self, scheduler: Scheduler, servers: list[Server]) -> None:
        self._scheduler, self._servers = scheduler, servers
        self.latency = 0.002
        self.lost = 0.0
        """the part of messages that do not arrive, in each direction"""
        self.doubled = 0.0
        """the part of requests that arrive twice"""
        self.cuts: set[tuple[str, str]] = set()
        """pairs of names between which nothing passes"""

    async def call(
        self, sender: str, method: str, path: str, headers: Headers = (), body: bytes = b"", *, patience: float = 20.0
    ) -> Reply:
        """Send a request to one of the servers, and wait for the answer."""
        chance, scheduler = self._scheduler.chance, self._scheduler
        server = chance.choice(self._servers)
        await asyncio.sleep(chance.random() * self.latency)
        what = f"{sender}>{server.name} {method} {path.partition('?')[0]}"
        if (sender, server.name) in self.cuts or chance.random() < self.lost:
            scheduler.note("lost", what)
            await asyncio.sleep(min(patience, 0.1 + 5 * chance.random()))
            raise Lost
        if not server.is_up:
            scheduler.note("refused", what)
            await asyncio.sleep(0.05)
            raise Lost
        answer = server.handle(method, path, headers, body)
        if chance.random() < self.doubled:
            scheduler.note("doubled", what)
            delay = 0.0 if chance.random() < 0.5 else 3 * chance.random()
            scheduler.call_later(delay, self._deliver_again, server, method, path, headers, body)
        try:
            async with asyncio.timeout(patience):
                reply = await asyncio.shield(answer)
        except (TimeoutError, ConnectionError) as problem:
            scheduler.note("unanswered", what, type(problem).__name__)
            raise Lost from None
        scheduler.note(reply.status, what)
        await asyncio.sleep(chance.random() * self.latency)
        if (sender, server.name) in self.cuts or chance.random() < self.lost:
            scheduler.note("lost answer", what)
            await asyncio.sleep(min(patience, 0.1 + 5 * chance.random()))
            raise Lost
        return reply

    def _deliver_again(self, server: Server, method: str, path: str, headers: Headers, body: bytes) -> None:
        if server.is_up:
            server.handle(method, path, headers, body)


class Transport(httpx.BaseTransport):
    """The transport of a worker's HTTP client."""

    def __init__(self, network: Network, sender: str) -> None:
        self._network, self._sender = network, sender

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        headers = [(name.decode().lower(), value.decode()) for name, value in request.headers.raw]
        path = request.url.raw_path.decode()
        patience = min(request.extensions["timeout"]["read"] or 60.0, 60.0)
        work = self._network.call(self._sender, request.method, path, headers, request.read(), patience=patience)
        try:
            reply = await_here(work)
        except Lost:
            raise httpx.ReadError("lost", request=request) from None
        return httpx.Response(reply.status, headers=reply.headers, content=reply.body, request=request)
