"""Hostile clients neither stop a match nor change what honest players see.

Honest players play the same match twice in stepped mode, alone and among hostile clients, and compare their pictures
byte for byte.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

from websockets.exceptions import ConnectionClosed, InvalidStatus

from bitworld.games.among_them import AmongThem
from bitworld.server import GameServer, Match, Stepped, limits
from packages.bitworld.tests.server.rooms import PATIENCE, client, closed, receive, run, serving

HONEST, TICKS = 4, 80
CONFIG: dict[str, Any] = {
    "minPlayers": HONEST + 1,
    "startWaitTicks": 0,
    "roleRevealTicks": 4,
    "imposterCount": 0,
    "slots": [{"name": f"p{slot}", "token": f"t{slot}"} for slot in range(16)],  # no free seats for others
}
SEAT = f"/player?name=p{HONEST}&slot={HONEST}&token=t{HONEST}"
JUNK = [b"", b"\x00", b"\x00\x01\x02", b"\x07\x01", b"\x84\x08", b"\x01" + b"a" * 4000, b"\x01\x00\xff", b"\xff" * 4096]


async def honest(server: GameServer, slot: int) -> list[bytes]:
    """Play with the buttons of a script; return all pictures."""
    pictures: list[bytes] = []
    directions = random.Random(slot).choices((1, 2, 4, 8, 5, 10), k=TICKS)
    async with client(server, f"/player?name=p{slot}&slot={slot}&token=t{slot}") as connection:
        while len(pictures) < TICKS:
            pictures.append(await receive(connection))
            await connection.send(bytes((0, directions[len(pictures) // 8])))
    return pictures


async def quiet(server: GameServer) -> None:
    """Hold a seat and press nothing."""
    async with client(server, SEAT) as connection:
        with suppress(ConnectionClosed):
            while True:
                await receive(connection)
                await connection.send(b"\x00\x00")


async def noisy(server: GameServer) -> None:
    """Hold the same seat and press nothing, but send everything else: junk, chat, resets, more than one answer."""
    async with client(server, SEAT) as connection:
        with suppress(ConnectionClosed):
            for turn in range(10 * TICKS):
                await receive(connection)
                for junk in JUNK:
                    await connection.send(junk)
                await connection.send("text")
                await connection.send(b"\x00\xff" if turn % 3 else b"\x00\x00")


async def impostors(server: GameServer) -> None:
    """Try to take the seats of others."""
    for slot in range(HONEST):
        async with client(server, f"/player?name=p{slot}&slot={slot}&token=wrong") as connection:
            await closed(connection)
        async with client(server, f"/player?name=p{slot}&slot={slot}&token=t{slot}") as connection:
            assert await closed(connection) == f"A player named 'p{slot}' is already connected"
        async with client(server, f"/player?name=other{slot}&slot={slot}&token=t{slot}") as connection:
            with suppress(ConnectionClosed):
                for _ in range(5):
                    await receive(connection)
                    await connection.send(b"\x00\x08")


async def crowd(server: GameServer, path: str) -> None:
    """Flood the server and read nothing."""
    async with client(server, path) as connection:
        with suppress(ConnectionClosed):
            for _ in range(50):
                await connection.send(b"\x00\x20" * 2000)
            await connection.wait_closed()


async def giant(server: GameServer) -> None:
    """Send a message that is too large."""
    async with client(server, "/player?name=giant") as connection:
        with suppress(ConnectionClosed):
            await connection.send(bytes(1 << 20))
        with suppress(ConnectionClosed):
            while True:
                await receive(connection)


async def garbage(server: GameServer, data: bytes) -> None:
    """Talk something else than HTTP, or stop in the middle of it."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    with suppress(OSError):
        try:
            writer.write(data)
            await reader.read()
        finally:
            writer.close()
            await writer.wait_closed()


@asynccontextmanager
async def background(*works: Coroutine[Any, Any, None]) -> AsyncIterator[list[asyncio.Task[None]]]:
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def match_of(*hostile: Any) -> tuple[list[list[bytes]], int]:
    """Play a match with hostile clients; return the pictures of the honest ones, and the last state."""
    match = Match(lambda: AmongThem(CONFIG), is_stepped=True)
    clock = Stepped(players=HONEST + 1, deadline=PATIENCE)
    async with serving(match, clock) as server, background(*(work(server) for work in hostile)) as tasks:
        pictures = await asyncio.gather(*(honest(server, slot) for slot in range(HONEST)))
        for task in tasks:
            assert not task.done() or task.exception() is None
    return pictures, match.game.state_hash()


def test_honest_players_see_the_same_among_hostile_clients() -> None:
    async def scenario() -> None:
        alone, _ = await match_of(quiet)
        assert len({picture for pictures in alone for picture in pictures}) > TICKS  # they do move
        halves = (
            b"GET /player HTTP/1.1\r\n",
            b"\x16\x03\x01",
            b"POST /control/restart HTTP/1.1\r\n" * 999,
            b"\0" * 20_000,
        )
        among = await match_of(
            noisy,
            impostors,
            giant,
            *(partial(garbage, data=data) for data in halves),
            *(partial(crowd, path=path) for path in ("/global", "/reward", "/player?name=mass")),
        )
        assert among[0] == alone

    run(scenario)


def test_more_clients_than_the_limit_are_refused_and_the_match_continues() -> None:
    async def scenario() -> None:
        match = Match(lambda: AmongThem(CONFIG), is_stepped=True)
        async with serving(match, Stepped(players=HONEST + 1, deadline=PATIENCE)) as server:
            watchers = [client(server, "/reward") for _ in range(limits.MAX_WATCHERS + 3)]
            connections = [await watcher.__aenter__() for watcher in watchers]
            assert len(match.readers) == limits.MAX_WATCHERS
            for connection in connections[limits.MAX_WATCHERS :]:
                assert await closed(connection) == "Too many viewers"
            async with background(quiet(server)):
                pictures = await asyncio.gather(*(honest(server, slot) for slot in range(HONEST)))
            assert all(len(row) == TICKS for row in pictures)
            for watcher in watchers:
                await watcher.__aexit__(None, None, None)

    run(scenario)


def test_too_many_connections_are_answered_with_503() -> None:
    async def scenario() -> None:
        async with serving(Match(lambda: AmongThem(CONFIG))) as server:
            idle = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(limits.MAX_CONNECTIONS)]
            await asyncio.sleep(0.01)
            with suppress(InvalidStatus):
                async with client(server, "/player?name=x"):
                    raise AssertionError("the connection was accepted")
            for _, writer in idle:
                writer.close()
                await writer.wait_closed()

    run(scenario)
