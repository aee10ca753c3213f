"""The gate between players and their game: it carries websockets and pages, and refuses the administration.

It also takes the lines that a program posts to `COGAME_LOG_URI`. The game has a gate for its own lines alone.

A game of another author may serve `/admin` to whoever asks. People reach the game directly, with a link that holds the
episode's admin token; a player's program reaches it only through a gate of its seat.
"""

import asyncio
import contextlib
import threading
from collections import deque
from types import TracebackType
from typing import Self

from coworld.engines.base import Address
from coworld.runner.gate_requests import HEAD_BYTES, PlayerRequest, RequestRefused, read_request
from coworld.runner.posted_logs import LOG_PATH, PostedLog

LOOPBACK = "127.0.0.1"
HEAD_SECONDS = 30.0
BLOCK = 1 << 16
MAX_RECORDED = 20


class SeatGate:
    """The connection of one sandboxed program to the outside: to its log and, for a seat, to the game."""

    def __init__(self, *, only_log: bool = False) -> None:
        self.address: Address = ("", 0)
        self.only_log = only_log
        self.log = PostedLog()
        self.refused: deque[str] = deque(maxlen=MAX_RECORDED)
        """administration paths that the player requested, for the record of the episode"""


class PlayerGates:
    """The gates of one episode, served by a thread until `close`."""

    def __init__(self, game: Address) -> None:
        self._game = game
        self._loop = asyncio.new_event_loop()
        self._tasks: set[asyncio.Task[None]] = set()
        self._servers: list[asyncio.Server] = []
        self._gates: list[SeatGate] = []
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True, name="coworld-gates")
        self._thread.start()

    def open(self, *, only_log: bool = False) -> SeatGate:
        """Open a gate for one more program; `only_log` is for the game itself."""
        return asyncio.run_coroutine_threadsafe(self._open(SeatGate(only_log=only_log)), self._loop).result()

    def close(self) -> None:
        """Cut every connection and delete posted logs; a second call does nothing."""
        if self._thread.is_alive():
            asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()
            for gate in self._gates:
                gate.log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def _open(self, gate: SeatGate) -> SeatGate:
        def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = self._loop.create_task(self._serve(gate, reader, writer))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            # Also for a task that is cancelled before its first step.
            task.add_done_callback(lambda _: writer.transport.abort())

        server = await asyncio.start_server(connected, LOOPBACK, 0, limit=HEAD_BYTES)
        self._servers.append(server)
        self._gates.append(gate)
        gate.address = (LOOPBACK, int(server.sockets[0].getsockname()[1]))
        return gate

    async def _stop(self) -> None:
        for server in self._servers:
            server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, gate: SeatGate, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, EOFError, TimeoutError):
            async with contextlib.AsyncExitStack() as stack:
                try:
                    await self._answer(gate, stack, reader, writer)
                except RequestRefused as refused:
                    if refused.path:
                        gate.refused.append(refused.path)
                    writer.write(_response(refused.status, refused.reason))
                    await _finish(writer)

    async def _answer(
        self,
        gate: SeatGate,
        stack: contextlib.AsyncExitStack,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        try:
            async with asyncio.timeout(HEAD_SECONDS):
                head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.LimitOverrunError:
            raise RequestRefused("431 Request Header Fields Too Large", f"{HEAD_BYTES} bytes at most") from None
        request = read_request(head)
        if request.path == LOG_PATH:
            async with asyncio.timeout(HEAD_SECONDS):
                body = await reader.readexactly(request.body_bytes)
            _take_lines(gate.log, request, body)
            writer.write(_response("200 OK", "kept"))
            await _finish(writer)
        elif gate.only_log:
            raise RequestRefused("404 Not Found", f"only {LOG_PATH} is here")
        else:
            await self._carry(request, stack, reader, writer)

    async def _carry(
        self,
        request: PlayerRequest,
        stack: contextlib.AsyncExitStack,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        # The reserved port listens before the game does: early connections wait.
        game_reader, game_writer = await asyncio.open_connection(*self._game, limit=HEAD_BYTES)
        stack.callback(lambda: game_writer.transport.abort())
        game_writer.write(request.head)
        if request.body_bytes:
            game_writer.write(await reader.readexactly(request.body_bytes))
        await game_writer.drain()
        opened = False
        if request.is_websocket:
            with contextlib.suppress(asyncio.LimitOverrunError):
                answer = await game_reader.readuntil(b"\r\n\r\n")
                writer.write(answer)
                opened = answer.split(b" ", 2)[1:2] == [b"101"]
        back = asyncio.ensure_future(_pump(game_reader, writer))
        stack.callback(back.cancel)
        if opened:
            # Only now: bytes behind a refused websocket could be a second request.
            forth = asyncio.ensure_future(_pump(reader, game_writer))
            stack.callback(forth.cancel)
            await asyncio.wait({back, forth}, return_when=asyncio.FIRST_EXCEPTION)
            for pump in (back, forth):
                if pump.done():
                    pump.result()
        await back
        await _finish(writer)


async def _pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    """Carry bytes until the source ends, no faster than the target takes them."""
    while block := await source.read(BLOCK):
        target.write(block)
        await target.drain()
    with contextlib.suppress(OSError):
        target.write_eof()


async def _finish(writer: asyncio.StreamWriter) -> None:
    """Close once everything written was sent."""
    writer.close()
    async with asyncio.timeout(HEAD_SECONDS):
        await writer.wait_closed()


def _take_lines(log: PostedLog, request: PlayerRequest, body: bytes) -> None:
    if request.method not in ("POST", "PUT"):
        raise RequestRefused("405 Method Not Allowed", "send lines of a log by POST")
    if not log.add(body):
        raise RequestRefused("413 Content Too Large", "the log is full")


def _response(status: str, text: str) -> bytes:
    body = f"{text}\n".encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\nConnection: close"
    return head.encode() + b"\r\n\r\n" + body
