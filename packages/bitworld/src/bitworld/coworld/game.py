"""The game program: plays one episode or serves a replay, depending on environment variables."""

import asyncio
import io
import os
import sys
from collections.abc import Mapping, Sequence

from bitworld.coworld.config import EpisodeConfig, read_config
from bitworld.coworld.episode import EpisodeMatch, WaitForSeats
from bitworld.coworld.files import read, required, write
from bitworld.coworld.results import results_of
from bitworld.coworld.server import EpisodeServer
from bitworld.errors import BadConfig, BitWorldError
from bitworld.game import TICKS_PER_SECOND
from bitworld.registry import game_class, new_game
from bitworld.replays import ReplayGame, read_replay
from bitworld.server import Clock, GameServer, RealTime, ReplayRoom, Stepped

__all__ = ["main"]

DEFAULT_PORT = "8080"


def main(arguments: Sequence[str] | None = None, environ: Mapping[str, str] = os.environ) -> int:
    """Play or serve; return 0 on success, 1 after an error message on stderr."""
    given = sys.argv[1:] if arguments is None else arguments
    game = given[0] if given else environ.get("BITWORLD_GAME", "")
    try:
        if environ.get("COGAME_LOAD_REPLAY_URI") or environ.get("COGAME_REPLAY_SERVER"):
            asyncio.run(_show(environ))
        else:
            asyncio.run(_play(game, environ))
    except (BitWorldError, OSError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


async def _play(game: str, environ: Mapping[str, str]) -> None:
    """Play the episode that `COGAME_CONFIG_URI` describes; write the results, then the replay."""
    if not game:
        raise BadConfig("Name a game, as an argument or in `BITWORLD_GAME`")
    game_class(game)
    config_uri = required(environ, "COGAME_CONFIG_URI", "the runner sets it to the configuration")
    results_uri = required(environ, "COGAME_RESULTS_URI", "the runner sets it to the destination of the results")
    config = read_config(read(config_uri))
    replay = io.BytesIO()
    match = EpisodeMatch(
        lambda: new_game(game, config.game_config),
        config.names,
        replay_file=replay,
        is_stepped=config.tick_rate is None,
    )
    host, port = _address(environ)
    async with EpisodeServer(match, config.tokens, clock=_clock(config), host=host, port=port) as server:
        _say(f"Waiting for {len(config.tokens)} players on port {server.port}")
        await server.run()
    results = results_of(match, config.names)
    _say(f"Played {results.ticks} ticks")
    document = results.model_dump_json(indent=2).encode() + b"\n"
    write(results_uri, document, method=environ.get("COGAME_RESULTS_METHOD", ""), content_type="application/json")
    replay_uri = environ.get("COGAME_SAVE_REPLAY_URI")
    if replay_uri:
        write(replay_uri, replay.getvalue(), method=environ.get("COGAME_SAVE_REPLAY_METHOD", ""))


async def _show(environ: Mapping[str, str]) -> None:
    """Serve the replay of `COGAME_LOAD_REPLAY_URI`, again and again, until the process ends."""
    uri = required(environ, "COGAME_LOAD_REPLAY_URI", "the runner sets it to the replay")
    room = ReplayRoom(ReplayGame(read_replay(read(uri))))
    room.is_looping = True
    host, port = _address(environ)
    async with GameServer(room, host=host, port=port) as server:
        _say(f"Serving the replay on port {server.port}")
        await server.run()


def _clock(config: EpisodeConfig) -> Clock:
    if config.tick_rate is None:
        clock: Clock = Stepped(players=0, deadline=config.step_timeout_seconds)
    else:
        clock = RealTime(config.tick_rate / TICKS_PER_SECOND)
    return WaitForSeats(clock, seconds=config.player_connect_timeout_seconds)


def _address(environ: Mapping[str, str]) -> tuple[str, int]:
    port = environ.get("COGAME_PORT", DEFAULT_PORT)
    if not (port.isdecimal() and int(port) < 65536):
        raise BadConfig(f"`COGAME_PORT` must be a port number, not {port!r}")
    return environ.get("COGAME_HOST", "0.0.0.0"), int(port)


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
