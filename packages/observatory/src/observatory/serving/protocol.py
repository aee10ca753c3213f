"""HTTP connections with deadlines for headers, bodies and responses, and a limit on their number."""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import Callable
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from observatory.operations.connections import Connections
from observatory.serving.slow_readers import UnreadResponse
from observatory.settings import Settings

__all__ = ["GuardedProtocol", "server_config"]

MAX_HEADER_BYTES = 64 * 1024
SLOWEST_BYTES_PER_SECOND = 8 * 1024
"""a body may take `body_timeout_seconds`, and one second more for each of these"""
MAX_MESSAGE_BYTES = 1024 * 1024
MAX_WORKER_MESSAGE_BYTES = 33 * 1024 * 1024
"""of a WebSocket of a worker"""
PING_SECONDS = 20.0
_WORKERS = "/work/"


def server_config(app: FastAPI, settings: Settings, **options: Any) -> uvicorn.Config:
    """Configure a `GuardedServer`: guarded connections, and no headers of proxies (see `forwarding`)."""
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)  # it logs addresses of sockets, which hold tokens
    protocol = functools.partial(
        GuardedProtocol,
        guard=Connections.of(settings),
        header_seconds=settings.header_timeout_seconds,
        body_seconds=settings.body_timeout_seconds,
        response_seconds=settings.response_timeout_seconds,
    )
    return uvicorn.Config(
        app,
        http=protocol,  # type: ignore[arg-type]
        ws=GuardedSocket,
        ws_max_size=MAX_MESSAGE_BYTES,
        ws_ping_interval=PING_SECONDS,
        ws_ping_timeout=PING_SECONDS,
        ws_per_message_deflate=False,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        **options,
    )


class GuardedSocket(WebSocketsSansIOProtocol):
    """A connection that has become a WebSocket; it counts as one until it is closed.

    A peer that answers no pings is disconnected. Messages of clients are small, those of workers carry what games say.
    """

    on_lost: Callable[[], None] | None = None

    def handle_connect(self, event: Any) -> None:
        if event.path.startswith(_WORKERS):
            self.conn.max_message_size = MAX_WORKER_MESSAGE_BYTES
        super().handle_connect(event)

    def connection_lost(self, exc: Exception | None) -> None:
        if self.on_lost is not None:
            self.on_lost()
        super().connection_lost(exc)


class GuardedProtocol(HttpToolsProtocol):
    """One connection. It is closed when headers or a body do not arrive, or a response is not read, in time, or for
    another (`Connections`).
    """

    def __init__(
        self,
        *args: Any,
        guard: Connections,
        header_seconds: float,
        body_seconds: float,
        response_seconds: float,
        **options: Any,
    ) -> None:
        super().__init__(*args, **options)
        self.address = "unknown"
        self._guard = guard
        self._header_seconds = header_seconds
        self._body_seconds = body_seconds
        self._response_seconds = response_seconds
        self._unread: UnreadResponse | None = None
        self._is_admitted = False
        self._deadline: asyncio.TimerHandle | None = None
        self._header_bytes = 0
        self._in_body = False
        self._body_began = 0.0
        self._body_bytes = 0
        self._is_socket = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._unread = UnreadResponse(transport, self.loop, self._response_seconds)
        self.address = self.client[0] if self.client else "unknown"
        self._is_admitted = self._guard.admit(self)
        if self._is_admitted:
            self._expect(self._header_seconds)
        else:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._expect_nothing()
        if self._unread is not None:
            self._unread.stop()
        self._leave()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._unread is not None:
            self._unread.begin()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._unread is None:
            return
        if self.cycle is None or self.cycle.response_complete:
            self._unread.begin()  # a little is left, and nothing will be written that could fill the buffer again
        else:
            self._unread.stop()

    def evict(self) -> None:
        """Close immediately to make room: the system frees the file before the next connection is accepted."""
        self._leave()
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        if not self._in_body:
            if self._deadline is None:
                self._expect(self._header_seconds)
            self._header_bytes += len(data)
            if self._header_bytes > MAX_HEADER_BYTES + len(data):
                self._refuse(431, "The headers of the request are too large")
                return
        super().data_received(data)
        self._count()

    def on_headers_complete(self) -> None:
        self._in_body = True
        self._header_bytes = 0
        self._body_began, self._body_bytes = self.loop.time(), 0
        self._expect(self._body_seconds)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._in_body = False
        self._header_bytes = 0
        self._expect_nothing()
        super().on_message_complete()
        if self.cycle is not None and self.cycle.response_complete:
            # The response came before the end of the body: no timer for the next request was set at that time.
            self._expect(self._header_seconds)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._unread is not None:
            self._unread.begin()
        self._count()

    def handle_websocket_upgrade(self) -> None:
        """Hand the connection over. Its messages have limits of their own."""
        self._expect_nothing()
        self._is_socket = True
        if self._is_admitted:
            self._guard.works(self)
        super().handle_websocket_upgrade()
        socket = self.transport.get_protocol()
        if isinstance(socket, GuardedSocket) and not self.transport.is_closing():
            socket.on_lost = self._leave
        else:
            self._leave()

    def _count(self) -> None:
        if not self._is_admitted or self._is_socket:
            return
        if self.pipeline or (self.cycle is not None and not self.cycle.response_complete and not self.cycle.more_body):
            self._guard.works(self)
        else:
            self._guard.waits(self)

    def _leave(self) -> None:
        if self._is_admitted:
            self._is_admitted = False
            self._guard.forget(self)

    def _expect(self, seconds: float) -> None:
        self._expect_nothing()
        self._deadline = self.loop.call_later(seconds, self._check_deadline)

    def _expect_nothing(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _check_deadline(self) -> None:
        self._deadline = None
        if self._in_body:
            if self.flow.read_paused:  # the route is slow, not the client
                self._body_began = self.loop.time()
                self._body_bytes = 0
            allowed = self._body_seconds + self._body_bytes / SLOWEST_BYTES_PER_SECOND
            left = self._body_began + allowed - self.loop.time()
            if left > 0.01:
                self._expect(left)
                return
        self._refuse(408, "The request did not arrive in time")

    def _refuse(self, status: int, sentence: str) -> None:
        """Answer outside the application, where that can still be done, and close the connection."""
        if self.transport.is_closing():
            return
        if self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
            body = f'{{"detail": "{sentence}"}}'.encode()
            head = b"content-type: application/json\r\ncontent-length: %d\r\nconnection: close\r\n\r\n" % len(body)
            self.transport.write(STATUS_LINE[status] + head + body)
        if self.cycle is not None:
            self.cycle.disconnected = True  # the application must not write after this
            self.cycle.message_event.set()
        self.transport.close()
