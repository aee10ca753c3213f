"""A server in the event loop of the test, and clients written from the protocol alone."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from bitworld.server import Clock, GameServer, Match, Room, Stepped
from packages.bitworld.tests.tiny import Tiny

PATIENCE = 20.0


def run(scenario: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run a test in an event loop, with an end even if it waits for something that never comes."""
    asyncio.run(asyncio.wait_for(scenario(), 3 * PATIENCE))


@asynccontextmanager
async def serving(room: Room, clock: Clock | None = None, **options: Any) -> AsyncIterator[GameServer]:
    """Serve a room and run its ticks until the block ends."""
    async with GameServer(room, clock=clock, **options) as server:
        running = asyncio.ensure_future(server.run())
        try:
            yield server
            assert not running.done() or running.exception() is None
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)


@asynccontextmanager
async def stepped(players: int, deadline: float = PATIENCE, **config: Any) -> AsyncIterator[tuple[GameServer, Match]]:
    match = Match(lambda: Tiny(config), is_stepped=True)
    async with serving(match, Stepped(players=players, deadline=deadline)) as server:
        yield server, match


def url(server: GameServer, path: str) -> str:
    return server.address.replace("http://", "ws://") + path


@asynccontextmanager
async def client(server: GameServer, path: str) -> AsyncIterator[ClientConnection]:
    async with connect(url(server, path), max_size=None, ping_interval=None, close_timeout=1) as connection:
        try:
            yield connection
        finally:
            connection.transport.abort()  # unread pictures would delay the closing handshake


async def receive(connection: ClientConnection) -> Any:
    async with asyncio.timeout(PATIENCE):  # `wait_for` of Python 3.11 may lose a cancellation
        return await connection.recv()


async def closed(connection: ClientConnection) -> str:
    """Return the reason that the server gives when it closes a connection."""
    try:
        while True:
            await receive(connection)
    except ConnectionClosed as error:
        return "" if error.rcvd is None else error.rcvd.reason


async def request(server: GameServer, method: str, target: str, headers: str = "") -> tuple[int, dict[str, str], bytes]:
    """Send a plain HTTP request; return the status, the headers and the body."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(f"{method} {target} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n".encode())
    data = await asyncio.wait_for(reader.read(), PATIENCE)
    writer.close()
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    pairs = (line.partition(": ") for line in lines)
    return int(first.split()[1]), {name: value for name, _, value in pairs}, body


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something that the server does in this event loop."""
    deadline = asyncio.get_running_loop().time() + PATIENCE
    while not condition():
        assert asyncio.get_running_loop().time() < deadline, "waited too long"
        await asyncio.sleep(0.005)
