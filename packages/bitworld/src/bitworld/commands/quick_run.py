"""`cogames bitworld quick-run`."""

import asyncio
import json
from pathlib import Path
from typing import Annotated, Any

import typer

from bitworld.commands.options import NIM, Address, Nim, explain_nim, run_server
from softmax.cli.errors import fail
from softmax.cli.output import hint
from softmax.cli.program import examples

__all__ = ["quick_run"]

USUAL_PLAYERS = 8
"""players of a game that scripted players complete"""

GameName = Annotated[str, typer.Argument(metavar="GAME", help="Name of a game, as `cogames bitworld games` lists it.")]
Port = Annotated[int | None, typer.Argument(metavar="[PORT]", help="Port to listen at; without one, a free port.")]
Players = Annotated[int, typer.Option("--players", metavar="N", min=1, max=16, help="Seats for people and bots.")]
Bots = Annotated[
    int | None,
    typer.Option(
        "--bots", metavar="N", min=0, max=15, help="Scripted players that join; by default they fill a game of eight."
    ),
]
Replay = Annotated[Path | None, typer.Option("--save-replay", metavar="FILE", help="Record the match in this file.")]
Config = Annotated[str | None, typer.Option("--config", metavar="JSON", help="Configuration of the game.")]
Games = Annotated[int, typer.Option("--games", metavar="N", min=0, help="Stop after N games; 0: never.")]
Speed = Annotated[float, typer.Option("--speed", metavar="X", min=0.01, max=1000, help="1 is 24 ticks a second.")]


@examples(
    "cogames bitworld quick-run among_them                    # you and seven scripted players",
    "cogames bitworld quick-run among_them 8080 --players 2 --save-replay game.bitreplay",
    "cogames bitworld quick-run stag_hunt --players 3",
)
def quick_run(
    game: GameName,
    port: Port = None,
    players: Players = 1,
    bots: Bots = None,
    address: Address = "127.0.0.1",
    save_replay: Replay = None,
    config: Config = None,
    games: Games = 0,
    speed: Speed = 1.0,
    nim: Nim = NIM,
) -> None:
    """Serve a game for people, bots and scripted players.

    Prints a link for each seat and one for spectators, and runs until Ctrl-C.
    """
    explain_nim(nim)
    from bitworld.players.client import BOTS
    from bitworld.registry import game_names

    if game not in game_names():
        fail(f"There is no BitWorld game {game!r}", f"games: {', '.join(game_names())}")
    if port is not None and not 0 <= port <= 65535:
        fail(f"Ports are 0 to 65535, not {port}")
    if bots is None:
        bots = max(0, USUAL_PLAYERS - players) if game in BOTS else 0
    elif bots and game not in BOTS:
        fail(f"{game} has no scripted players", f"games with scripted players: {', '.join(sorted(BOTS))}")
    settings: dict[str, Any] = {"minPlayers": players + bots, "maxGames": games, **_read_config(config)}
    if save_replay is not None and not save_replay.parent.is_dir():
        fail(f"{save_replay.parent} is not a folder, so the replay cannot be saved there")
    run_server(_serve(game, settings, players, bots, address, port or 0, save_replay, speed), port or 0)


def _read_config(config: str | None) -> dict[str, Any]:
    if config is None:
        return {}
    try:
        document = json.loads(config)
    except ValueError as error:
        fail(f"--config is not JSON: {error}")
    if not isinstance(document, dict):
        fail("--config must be a JSON object")
    return document


async def _serve(
    game: str,
    settings: dict[str, Any],
    players: int,
    bots: int,
    address: str,
    port: int,
    save_replay: Path | None,
    speed: float,
) -> None:
    from contextlib import ExitStack
    from urllib.parse import quote

    from bitworld.players.client import play_many
    from bitworld.registry import new_game
    from bitworld.server import GameServer, Match, RealTime

    new_game(game, settings)  # a bad configuration is reported before the file is replaced
    with ExitStack() as stack:
        file = None if save_replay is None else stack.enter_context(save_replay.open("wb"))
        match = Match(lambda: new_game(game, settings), replay_file=file)
        async with GameServer(match, clock=RealTime(speed), host=address, port=port) as server:
            for number in range(players):
                name = quote(f"player_{number}")
                print(f"Player {number + 1}: {server.address}/client/player.html?name={name}")
            print(f"Spectators: {server.address}/client/global.html", flush=True)
            seats = "1 seat is open" if players == 1 else f"{players} seats are open"
            hint(f"{seats}, {bots} scripted players join; press Ctrl-C to stop")
            playing = asyncio.ensure_future(play_many(game, server.address, bots)) if bots else None
            try:
                await server.run()
            finally:
                if playing is not None:
                    playing.cancel()
                    await asyncio.gather(playing, return_exceptions=True)
    if save_replay is not None:
        print(f"Saved {save_replay}")
