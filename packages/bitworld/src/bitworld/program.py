"""The program of a game: `python -m bitworld GAME --key:value ...`."""

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from bitworld.errors import BadConfig, BadReplay, BitWorldError
from bitworld.game import Game
from bitworld.registry import game_names, new_game
from bitworld.replays import ReplayGame, read_replay
from bitworld.server import Clock, GameServer, Match, RealTime, ReplayRoom, Room, Stepped

__all__ = ["main"]

USAGE = """\
usage: python -m bitworld GAME [--KEY:VALUE ...]

  --address:HOST           address to listen at (localhost)
  --port:N                 port to listen at (8080); 0 means a free one
  --config:JSON            configuration of the game
  --config-file:FILE       the same in a file; --config wins
  --map:FILE               map of the game
  --message-cooldown:N     ticks between two chat messages of a player
  --save-replay:FILE       record the match
  --replay-version:N       newest version to write (4); with 3 published readers accept the file, and chat is lost
  --load-replay:FILE       show a recorded match instead; GAME may be left out
  --save-scores:FILE       write the results there when the last game is over
  --mode:MODE              realtime (default) or stepped: a tick begins when every player has answered
  --speed:X                speed in real time (1 is 24 ticks a second)
  --players:N              stepped: players that the first tick waits for (the game's minPlayers)
  --deadline:SECONDS       stepped: longest wait for the answers to a picture (5)
  --admin-token:TOKEN      token that match controls need; without one, this machine may use them

Environment: COGAME_CONFIG_PATH, COGAME_SAVE_REPLAY_PATH and COGAME_SAVE_RESULTS_PATH stand for --config-file,
--save-replay and --save-scores; BITWORLD_ADMIN_TOKEN for --admin-token. Options win.
"""

_OPTIONS = tuple(
    line.split(":")[0].strip().removeprefix("--") for line in USAGE.splitlines() if line.startswith("  --")
)
_ENVIRONMENT = {
    "config-file": "COGAME_CONFIG_PATH",
    "save-replay": "COGAME_SAVE_REPLAY_PATH",
    "save-scores": "COGAME_SAVE_RESULTS_PATH",
    "admin-token": "BITWORLD_ADMIN_TOKEN",
}


class WrongUsage(Exception):
    """The command line is wrong."""


@dataclass(frozen=True)
class Options:
    game: str | None
    values: Mapping[str, str]

    def text(self, name: str) -> str:
        return self.values.get(name, "")

    def number(self, name: str, default: float, *, least: float, most: float = float("inf")) -> float:
        given = self.values.get(name)
        if given is None:
            return default
        with suppress(ValueError):
            if least <= float(given) <= most:
                return float(given)
        limits = f"from {least:g} to {most:g}" if most < float("inf") else f"of at least {least:g}"
        raise WrongUsage(f"--{name} must be a number {limits}, not {given!r}")

    def whole(self, name: str, default: int, *, least: int, most: int) -> int:
        number = self.number(name, default, least=least, most=most)
        if number != int(number):
            raise WrongUsage(f"--{name} must be a whole number, not {self.values[name]!r}")
        return int(number)


def main(arguments: Sequence[str] | None = None, environ: Mapping[str, str] = os.environ) -> int:
    """Run the program; return 0 when the last game is over, 1 after an error, 2 for wrong usage."""
    given = sys.argv[1:] if arguments is None else arguments
    if any(argument in ("-h", "--help") for argument in given):
        print(USAGE, end="")
        print(f"\nGames: {', '.join(game_names())}")
        return 0
    try:
        options = _parse(given, environ)
        return asyncio.run(_run(options))
    except WrongUsage as error:
        print(f"Error: {error}\nhint: python -m bitworld --help", file=sys.stderr)
        return 2
    except (BitWorldError, OSError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _parse(arguments: Sequence[str], environ: Mapping[str, str]) -> Options:
    game, values = None, {}
    for argument in arguments:
        if not argument.startswith("--"):
            if game is not None:
                raise WrongUsage(f"There is one game at a time, but two names: {game!r} and {argument!r}")
            game = argument
            continue
        end = min((argument.find(sign) for sign in ":=" if sign in argument), default=-1)
        name = argument[2 : end if end >= 0 else None]
        if name not in _OPTIONS:
            raise WrongUsage(f"Unknown option --{name}; the options are --{', --'.join(_OPTIONS)}")
        if end < 0:
            raise WrongUsage(f"--{name} needs a value: --{name}:VALUE")
        values[name] = argument[end + 1 :]
    if "load-replay" in values and "save-replay" in values:
        raise WrongUsage("--save-replay and --load-replay exclude each other")
    for name, variable in _ENVIRONMENT.items():
        if environ.get(variable):
            values.setdefault(name, environ[variable])
    if game is None and "load-replay" not in values:
        raise WrongUsage(f"Name a game: {', '.join(game_names())}")
    return Options(game, values)


async def _run(options: Options) -> int:
    host, port = options.text("address") or "localhost", options.whole("port", 8080, least=0, most=65535)
    if options.text("load-replay"):
        room: Room = ReplayRoom(_playback(options))
        return await _serve(room, RealTime(_speed(options)), host, port, options)
    config = _config(options)
    assert options.game is not None
    name, is_stepped = options.game, _is_stepped(options)
    first: Game = new_game(name, config)
    clock: Clock
    if is_stepped:
        players = options.whole("players", int(first.config.get("minPlayers", 1)), least=1, most=first.max_players)
        clock = Stepped(players=players, deadline=options.number("deadline", 5.0, least=0.01))
    else:
        clock = RealTime(_speed(options))
    games = [first]
    replay = _replay_file(options)
    try:
        match = Match(
            lambda: games.pop() if games else new_game(name, config),
            replay_file=replay,
            start_ms=time.time_ns() // 1_000_000,
            is_published_replay=options.whole("replay-version", 4, least=3, most=4) == 3,
            is_stepped=is_stepped,
        )
        return await _serve(match, clock, host, port, options)
    finally:
        if replay is not None:
            replay.close()


async def _serve(room: Room, clock: Clock, host: str, port: int, options: Options) -> int:
    """Serve until the last game is over, or until the process gets a signal to end."""
    async with GameServer(room, clock=clock, host=host, port=port, admin_token=options.text("admin-token")) as server:
        running = asyncio.ensure_future(server.run())
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, running.cancel)
        print(f"{room.game.title}: {server.address}", file=sys.stderr, flush=True)
        try:
            await running
        except asyncio.CancelledError:
            if not running.cancelled():
                raise
            return 0
        if options.text("save-scores"):
            text = json.dumps(room.game.results(), separators=(",", ":"))
            Path(options.text("save-scores")).write_text(text)
    return 0


def _playback(options: Options) -> ReplayGame:
    path = Path(options.text("load-replay"))
    replay = read_replay(path.read_bytes())
    if options.game is not None and options.game != replay.game:
        raise BadReplay(f"{path} is of the game {replay.game!r}, not {options.game!r}")
    more = {"mapPath": options.text("map")} if options.text("map") else {}
    return ReplayGame(replay, more_config=more)


def _config(options: Options) -> dict[str, Any]:
    """Return the configuration: the file, then the JSON, then the options for single values."""
    config: dict[str, Any] = {}
    path = options.text("config-file")
    if path:
        config |= _json(Path(path).read_text(), path)
    if options.text("config"):
        config |= _json(options.text("config"), "--config")
    if options.text("map"):
        config.pop("map", None)
        config["mapPath"] = options.text("map")
    if options.text("message-cooldown"):
        config["messageCooldownTicks"] = options.whole("message-cooldown", 0, least=0, most=1 << 30)
    return config


def _json(text: str, origin: str) -> dict[str, Any]:
    try:
        config = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadConfig(f"The configuration in {origin} is not JSON: {error}") from None
    if not isinstance(config, dict):
        raise BadConfig(f"The configuration in {origin} must be a JSON object")
    return config


def _replay_file(options: Options) -> BinaryIO | None:
    path = options.text("save-replay")
    return open(path, "wb") if path else None


def _speed(options: Options) -> float:
    return options.number("speed", 1.0, least=0.01, most=1000)


def _is_stepped(options: Options) -> bool:
    mode = options.text("mode") or "realtime"
    if mode not in ("realtime", "stepped"):
        raise WrongUsage(f"--mode must be realtime or stepped, not {mode!r}")
    return mode == "stepped"
