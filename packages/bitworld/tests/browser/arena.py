"""A server in a thread, and players on sockets that the test drives: the browser needs the thread of the test."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from bitworld.server import Clock, GameServer, Room
from bitworld.wire.player import Buttons, Chat
from packages.bitworld.tests.server.rooms import PATIENCE, url

T = TypeVar("T")


class Arena:
    """Runs a room. All calls come from the thread of the test and run in the event loop of the server."""

    def __init__(self, room: Room, clock: Clock | None, new_server: type[GameServer]) -> None:
        self.room = room
        self._new_server = new_server
        self._clock = clock
        self._loop = asyncio.new_event_loop()
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._sockets: dict[str, ClientConnection] = {}
        self._readers: list[asyncio.Task[None]] = []
        self.address = ""

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        self._ended = asyncio.Event()
        async with self._new_server(self.room, clock=self._clock) as server:
            self.server, self.address = server, server.address
            running = asyncio.ensure_future(server.run())
            self._started.set()
            await self._ended.wait()
            for reader in self._readers:
                reader.cancel()
            for socket in self._sockets.values():
                socket.transport.abort()
            running.cancel()
            await asyncio.gather(running, *self._readers, return_exceptions=True)

    def start(self) -> None:
        self._thread.start()
        assert self._started.wait(PATIENCE)

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join(PATIENCE)

    def ask(self, question: Callable[[], T]) -> T:
        """Return the answer of a function that looks at the room."""

        async def answer() -> T:
            return question()

        return asyncio.run_coroutine_threadsafe(answer(), self._loop).result(PATIENCE)

    def until(self, condition: Callable[[], bool]) -> None:
        """Wait until something is true of the room, looking after every tick."""

        async def wait() -> None:
            async with asyncio.timeout(PATIENCE):
                while not condition():
                    await asyncio.sleep(0.01)

        asyncio.run_coroutine_threadsafe(wait(), self._loop).result(2 * PATIENCE)

    def join(self, name: str, *, answers: int = 0) -> None:
        """Connect a player. It answers the first `answers` pictures with changing buttons, for a stepped match."""
        asyncio.run_coroutine_threadsafe(self._join(name, answers), self._loop).result(PATIENCE)

    async def _join(self, name: str, answers: int) -> None:
        socket = await connect(url(self.server, f"/player?name={name}"), max_size=None, ping_interval=None)
        self._sockets[name] = socket

        async def read() -> None:
            count = 0
            try:
                async for _ in socket:
                    if count < answers:
                        await socket.send(Buttons((1, 4, 8, 2)[(count // 7 + len(name)) % 4]).encode())
                    count += 1
            except ConnectionClosed:
                pass

        self._readers.append(asyncio.ensure_future(read()))

    def hold(self, name: str, mask: int) -> None:
        self._send(name, Buttons(mask).encode())

    def say(self, name: str, text: str) -> None:
        self._send(name, Chat(text).encode())

    def _send(self, name: str, packet: bytes) -> None:
        asyncio.run_coroutine_threadsafe(self._sockets[name].send(packet), self._loop).result(PATIENCE)


@contextmanager
def arena(room: Room, clock: Clock | None = None, *, new_server: type[GameServer] = GameServer) -> Iterator[Arena]:
    """Serve a room while the block runs."""
    running = Arena(room, clock, new_server)
    running.start()
    try:
        yield running
    finally:
        running.stop()
