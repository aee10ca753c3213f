"""Bots that know nothing but the published protocol, with their own sockets and their own WebSocket frames."""

import asyncio
import base64
import gzip
import hashlib
import json
import os
import struct
from contextlib import suppress
from pathlib import Path

import pytest

from bitworld.game import Game
from bitworld.games.among_them import AmongThem
from bitworld.games.stag_hunt import StagHunt
from bitworld.picture import PACKED_BYTES
from bitworld.registry import new_game
from bitworld.replays import Hash, Input, Join, read_replay
from bitworld.replays.records import step_at
from bitworld.server import GameServer, Match, RealTime, Stepped
from packages.bitworld.tests.server.rooms import PATIENCE, client, receive, run, serving, until

TEXT, BINARY, CLOSE, PING = 1, 2, 8, 9


class Bot:
    """A WebSocket client in forty lines."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    @classmethod
    async def connect(cls, port: int, target: str) -> "Bot":
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        key = base64.b64encode(os.urandom(16)).decode()
        writer.write(
            f"GET {target} HTTP/1.1\r\nHost: localhost:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        head = (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE)).decode()
        assert head.startswith("HTTP/1.1 101")
        guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        assert base64.b64encode(hashlib.sha1((key + guid).encode()).digest()).decode() in head
        return cls(reader, writer)

    async def receive(self) -> bytes:
        """Return the next message; a close frame is an error."""
        while True:
            first, second = await asyncio.wait_for(self._reader.readexactly(2), PATIENCE)
            length = second & 127
            if length == 126:
                (length,) = struct.unpack(">H", await self._reader.readexactly(2))
            elif length == 127:
                (length,) = struct.unpack(">Q", await self._reader.readexactly(8))
            payload = await self._reader.readexactly(length)
            assert first & 15 != CLOSE, payload[2:]
            if first & 15 in (TEXT, BINARY):
                return payload

    def send(self, payload: bytes) -> None:
        mask = os.urandom(4)
        covered = bytes(byte ^ mask[number % 4] for number, byte in enumerate(payload))
        self._writer.write(bytes((0x80 | BINARY, 0x80 | len(payload))) + mask + covered)

    async def close(self) -> None:
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()


CALM = {"minPlayers": 2, "startWaitTicks": 0, "roleRevealTicks": 0}


@pytest.mark.parametrize("name", ["among_them", "stag_hunt"])
def test_bots_move_on_both_sockets(name: str) -> None:
    room = Match(lambda: new_game(name, CALM))

    async def scenario() -> None:
        async with serving(room, RealTime(8)) as server:
            pixels = await Bot.connect(server.port, "/player?name=pixels&slot=0")
            sprites = await Bot.connect(server.port, "/player2?name=sprites&slot=1")
            assert len(await pixels.receive()) == PACKED_BYTES
            await sprites.receive()
            await until(lambda: room.game.phase == "playing")
            places: list[set[tuple[int, int]]] = [set(), set()]
            for mask in (0x04, 0x08, 0x01, 0x02):
                pixels.send(bytes((0x00, mask)))
                sprites.send(bytes((0x84, mask)))
                for _ in range(12):
                    assert len(await pixels.receive()) == PACKED_BYTES
                    await sprites.receive()
                for visited, place in zip(places, _places(room.game), strict=True):
                    visited.add(place)
            assert min(map(len, places)) > 1
            await pixels.close()
            await sprites.close()

    run(scenario)


def _places(game: Game) -> list[tuple[int, int]]:
    if isinstance(game, AmongThem):
        return [(row[0], row[1]) for row in game.session.describe()["players"]]
    assert isinstance(game, StagHunt)
    return [(player.x, player.y) for player in game.world.players]


def test_the_recorded_match_over_sockets_has_the_recorded_states_and_rewards(oracle_dir: Path) -> None:
    folder = oracle_dir / "bitworld"
    replay = read_replay((folder / "replays" / "live_server.bitreplay").read_bytes())
    joins = {step_at(record.time): record for record in replay.records if isinstance(record, Join)}
    inputs: dict[int, list[Input]] = {}
    for record in replay.records:
        if isinstance(record, Input):
            inputs.setdefault(step_at(record.time), []).append(record)
    hashes = [record.hash for record in replay.records if isinstance(record, Hash)]
    with gzip.open(folder / "wire" / "live_reward.jsonl.gz", "rt") as file:
        rewards = [json.loads(line)["text"] for line in file]
    config = json.loads((folder / "wire" / "live_config.json").read_text())
    match = Match(lambda: AmongThem({**config, "mapPath": str(folder / "map" / "map.json")}), is_stepped=True)
    first = min(joins)
    for step in range(first):
        match.tick()
        assert match.game.state_hash() == hashes[step]

    async def scenario() -> None:
        async with GameServer(match, clock=Stepped(deadline=PATIENCE)) as server, client(server, "/reward") as texts:
            bots: list[Bot] = [await Bot.connect(server.port, "/player?name=p0&slot=0")]
            running = asyncio.ensure_future(server.run())
            await bots[0].receive()
            masks = [0]
            for step in range(first + 1, len(hashes)):
                assert match.game.state_hash() == hashes[step - 1], step
                assert await receive(texts) == rewards[step - 1], step
                if step in joins:
                    join = joins[step]
                    bots.append(await Bot.connect(server.port, f"/player?name={join.name}&slot={join.slot}"))
                    await until(lambda: len(match.players) == len(bots))
                    masks.append(0)
                for record in inputs.get(step, ()):
                    masks[record.player] = record.mask
                for bot, mask in zip(bots, masks, strict=True):
                    if bot is not bots[-1] or step not in joins:
                        bot.send(bytes((0, mask)))
                for bot in bots:
                    assert len(await bot.receive()) == PACKED_BYTES
            assert match.game.state_hash() == hashes[-1]
            assert await receive(texts) == rewards[-1]
            for bot in bots:
                await bot.close()
            await asyncio.wait_for(running, PATIENCE)

    run(scenario)
    assert match.game.results() == json.loads((folder / "wire" / "live_results.json").read_text())
