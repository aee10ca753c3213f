"""Abort connections of clients that do not read their response in time.

Unread data fills the buffers of the system and of the connection, and the request counts as in progress, so that the
connection is never evicted for another.
"""

from __future__ import annotations

import asyncio
import socket
import struct

__all__ = ["UnreadResponse"]

SLOWEST_BYTES_PER_SECOND = 8 * 1024
_RESET = struct.pack("ii", 1, 0)
"""SO_LINGER of zero seconds: the system forgets what was not sent, and the client's connection is reset"""


class UnreadResponse:
    """Watches the write buffer of a connection, which is aborted when it stays full.

    A client may leave the buffer as it is for `seconds`, and one second longer for each 8 kB that it reads.
    `begin` when the buffer is full, or holds the rest of a response; `stop` when there is room again.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop, seconds: float) -> None:
        self._transport = transport
        self._loop = loop
        self._seconds = seconds
        self._timer: asyncio.TimerHandle | None = None
        self._began = 0.0
        self._size = 0

    def begin(self) -> None:
        """Expect that the client reads what the buffer holds now."""
        self.stop()
        self._began, self._size = self._loop.time(), self._transport.get_write_buffer_size()
        if self._size:
            self._timer = self._loop.call_later(self._seconds, self._check)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _check(self) -> None:
        self._timer = None
        left = self._transport.get_write_buffer_size()
        if not left:
            return
        allowed = self._seconds + max(0, self._size - left) / SLOWEST_BYTES_PER_SECOND
        remaining = self._began + allowed - self._loop.time()
        if remaining > 0.01:
            self._timer = self._loop.call_later(remaining, self._check)
            return
        connection = self._transport.get_extra_info("socket")
        if connection is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self._transport.abort()
