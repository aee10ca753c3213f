"""An episode over real sockets: tokens, reconnections, absent players, results and replay."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus

from bitworld.coworld.episode import EpisodeMatch, WaitForSeats
from bitworld.coworld.game import main
from bitworld.coworld.server import EpisodeServer
from bitworld.replays import ReplayGame, read_replay
from bitworld.server import GameServer, Stepped
from packages.bitworld.tests.server.rooms import PATIENCE, client, closed, receive, request, run
from packages.bitworld.tests.tiny import Tiny

TOKENS = ["t0", "t1"]


@asynccontextmanager
async def episode(seconds: float = PATIENCE, ticks: int = 0) -> AsyncIterator[tuple[GameServer, EpisodeMatch]]:
    match = EpisodeMatch(lambda: Tiny({"ticks": ticks, "maxGames": 1}), ["ann", "bob"])
    clock = WaitForSeats(Stepped(players=0, deadline=PATIENCE), seconds=seconds)
    async with EpisodeServer(match, TOKENS, clock=clock, host="127.0.0.1", port=0) as server:
        running = asyncio.ensure_future(server.run())
        try:
            yield server, match
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)


async def step(*connections: Any) -> None:
    for connection in connections:
        await receive(connection)
    for connection in connections:
        await connection.send(b"\x00\x08")


def test_a_seat_needs_its_token() -> None:
    async def scenario() -> None:
        async with episode() as (server, match):
            for query in ("slot=0&token=t1", "slot=0", "token=t0", "slot=2&token=t0", "slot=-1&token=t0", "name=ann"):
                with pytest.raises(InvalidStatus, match="403"):
                    async with client(server, f"/player?{query}"):
                        pass
            assert match.missing == [0, 1]

    run(scenario)


def test_the_first_tick_waits_for_all_seats_and_a_lost_player_may_return() -> None:
    async def scenario() -> None:
        async with episode() as (server, match), client(server, "/player?slot=1&token=t1") as bob:
            async with client(server, "/player?slot=0&token=t0") as ann:
                for _ in range(3):
                    await step(ann, bob)
                await receive(ann)
            while match.missing != [0]:
                await asyncio.sleep(0.001)
            for _ in range(5):  # the seat without a player presses nothing
                await step(bob)
            await receive(bob)
            at = [row[:] for row in match.game.state["at"]]  # type: ignore[attr-defined]
            assert at[0][0] in (3, 4)
            async with client(server, "/sprite_player?slot=0&token=t0") as ann:
                await receive(ann)
                await ann.send(b"\x84\x08")
                await bob.send(b"\x00\x00")
                await receive(bob)
            assert match.absent_ticks[0] >= 4
            assert match.absent_ticks[1] == 0
            assert [seat.name for seat in match.game.seats] == ["ann", "bob"]

    run(scenario)


def test_a_newer_connection_takes_the_seat() -> None:
    async def scenario() -> None:
        seat = "/player?slot=0&token=t0"
        async with episode() as (server, _), client(server, seat) as first, client(server, seat) as second:
            assert await closed(first) == "A newer connection has this seat"
            async with client(server, "/player?slot=1&token=t1") as bob:
                await step(second, bob)
                await step(second, bob)

    run(scenario)


def test_an_episode_begins_without_missing_players_and_ends_without_any() -> None:
    async def scenario() -> None:
        async with episode(seconds=0.01, ticks=20) as (_, match):
            while not match.is_over:
                await asyncio.sleep(0.001)
            assert match.absent_ticks == [match.ticks] * 2

    run(scenario)


def test_viewers_see_an_episode_that_waits_for_its_players() -> None:
    async def scenario() -> None:
        async with episode() as (server, _), client(server, "/global") as viewer:
            assert await receive(viewer)

    run(scenario)


def test_an_episode_cannot_be_controlled() -> None:
    async def scenario() -> None:
        async with episode() as (server, _):
            assert (await request(server, "POST", "/control/restart"))[0] == 409
            assert (await request(server, "POST", "/control/kick?identity=ann"))[0] == 409

    run(scenario)


def test_the_program_writes_results_and_a_replay_without_tokens(tmp_path: Path) -> None:
    config = {
        "tokens": ["secret-0", "secret-1"],
        "players": [{"name": "Ann Lee"}, {"name": "Bob"}],
        "max_ticks": 30,
        "settings": {"gameOverTicks": 2, "tokens": ["secret-0", "secret-1"]},
        "player_connect_timeout_seconds": 0,
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    environ = {
        "COGAME_HOST": "127.0.0.1",
        "COGAME_PORT": "0",
        "COGAME_CONFIG_URI": (tmp_path / "config.json").as_uri(),
        "COGAME_RESULTS_URI": str(tmp_path / "results.json"),
        "COGAME_SAVE_REPLAY_URI": (tmp_path / "replay").as_uri(),
    }
    assert main(["stag_hunt"], environ) == 0
    results = json.loads((tmp_path / "results.json").read_text())
    assert results["names"] == ["Ann_Lee", "Bob"]
    assert len(results["scores"]) == 2
    assert results["ticks"] == results["absent_ticks"][0] >= 30
    content = (tmp_path / "replay").read_bytes()
    assert b"secret" not in content
    playback = ReplayGame(read_replay(content))
    playback.seek(playback.length)


@pytest.mark.parametrize(
    ("arguments", "environ", "says"),
    [
        ([], {}, "Name a game"),
        (["chess"], {}, "no BitWorld game 'chess'"),
        (["stag_hunt"], {}, "`COGAME_CONFIG_URI` is not set"),
        (["stag_hunt"], {"COGAME_CONFIG_URI": "/nowhere", "COGAME_RESULTS_URI": "/nowhere"}, "/nowhere"),
        ([], {"COGAME_REPLAY_SERVER": "1"}, "`COGAME_LOAD_REPLAY_URI` is not set"),
        ([], {"COGAME_LOAD_REPLAY_URI": __file__}, "not a BitWorld replay"),
    ],
)
def test_errors_are_one_sentence(
    arguments: list[str], environ: dict[str, str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments, environ) == 1
    error = capsys.readouterr().err
    assert error.startswith("Error: ")
    assert says in error
    assert len(error.splitlines()) == 1
