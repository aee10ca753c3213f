"""One TCP connection: answers plain HTTP itself, and leaves WebSockets to the library.

The library accepts GET requests only and adds headers that published servers do not send.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from websockets.asyncio.server import Server, ServerConnection
from websockets.server import ServerProtocol

from bitworld.server.limits import MAX_HEAD_BYTES
from bitworld.server.requests import BadHead, Head, Response, parse_head, text

__all__ = ["Connection"]

_END = b"\r\n\r\n"


class Connection(ServerConnection):
    """Read the head of the request and ask `answer` for a response; without one, open a WebSocket."""

    def __init__(
        self,
        protocol: ServerProtocol,
        server: Server,
        *,
        answer: Callable[["Connection", Head], Response | None],
        accept: Callable[["Connection"], bool],
        lost: Callable[["Connection"], None],
        **options: Any,
    ) -> None:
        super().__init__(protocol, server, **options)
        self._answer = answer
        self._accept = accept
        self._lost = lost
        self._head = b""
        self._is_socket = False
        self._is_answered = False

    @property
    def peer(self) -> tuple[str, int]:
        """The address and port of the client."""
        address = self.transport.get_extra_info("peername") or ("", 0)
        return str(address[0]), int(address[1])

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        if not self._accept(self):
            self._respond(text(503, "too many connections\n"))

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._is_socket:
            super().data_received(data)
            return
        if self._is_answered:
            return
        self._head += data
        if _END not in self._head:
            if len(self._head) > MAX_HEAD_BYTES:
                self._respond(text(431, "the head of the request is too large\n"))
            return
        try:
            head = parse_head(self._head.partition(_END)[0])
        except BadHead:
            self._respond(text(400, "not an HTTP request\n"))
            return
        response = self._answer(self, head)
        if response is not None:
            self._respond(response)
            return
        self._is_socket = True
        whole, self._head = self._head, b""
        super().data_received(whole)

    def drop_request(self) -> None:
        """End the connection unless it is a WebSocket."""
        if not self._is_socket:
            self.transport.abort()

    def _respond(self, response: Response) -> None:
        self._is_answered = True
        self.transport.write(response.encode())
        self.transport.close()
