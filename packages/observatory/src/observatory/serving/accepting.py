"""A uvicorn server that accepts connections in small batches.

The event loop's own server accepts everything that waits before it runs anything else, so that a burst of connections
takes all files of the process. Here connections wait in the system's queue, which costs no files, and those that are
accepted are counted, and others evicted for them, before the next batch.
"""

from __future__ import annotations

import asyncio
import logging
import socket

import uvicorn

__all__ = ["GuardedServer"]

logger = logging.getLogger(__name__)

BACKLOG = 4096
"""connections that wait in the system's queue; the system may allow fewer"""
BATCH = 16
"""connections accepted between two looks at those that sent something. About three batches are on their way at a time:
together they must be fewer than the fewest connections that a server holds, or a new connection could be evicted
before its request is read."""
_PAUSE_SECONDS = 0.1
"""after the system refused to accept, for example because it has no files left"""


class GuardedServer(uvicorn.Server):
    """Serves the sockets that are passed to `run`; see `observatory.serving.protocol.server_config`."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._listening: list[socket.socket] = []
        self._arriving: set[asyncio.Task[object]] = set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        assert sockets, "a guarded server needs a socket"
        await super().startup(sockets=[])
        if not self.started:
            return
        await self._ask_health()
        for listening in sockets:
            listening.setblocking(False)
            listening.listen(BACKLOG)
            self._listening.append(listening)
            self._listen(listening)

    async def _ask_health(self) -> None:
        """Send a first request to the application, for which it builds its routes: that takes half a second."""

        async def receive() -> dict[str, object]:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: object) -> None:
            pass

        path = {"path": "/healthz", "raw_path": b"/healthz", "root_path": "", "query_string": b"", "scheme": "http"}
        request = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "headers": []}
        await self.config.loaded_app({**request, **path, "client": None, "server": None}, receive, send)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for listening in self._listening:
            asyncio.get_running_loop().remove_reader(listening)
        self._listening.clear()
        await super().shutdown(sockets)

    def _listen(self, listening: socket.socket) -> None:
        if listening in self._listening:
            asyncio.get_running_loop().add_reader(listening, self._accept, listening)

    def _accept(self, listening: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        for _ in range(BATCH):
            try:
                connection, _address = listening.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as problem:
                logger.warning("Connections cannot be accepted now: %s", problem.strerror)
                loop.remove_reader(listening)
                loop.call_later(_PAUSE_SECONDS, self._listen, listening)
                return
            connection.setblocking(False)
            task = loop.create_task(self._begin(connection))
            self._arriving.add(task)
            task.add_done_callback(self._arriving.discard)

    async def _begin(self, connection: socket.socket) -> None:
        try:
            await asyncio.get_running_loop().connect_accepted_socket(self._protocol, connection)
        except OSError:  # gone already
            connection.close()

    def _protocol(self) -> asyncio.Protocol:
        return self.config.http_protocol_class(  # type: ignore[call-arg]
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )
