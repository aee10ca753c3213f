"""The program: play one match and write its results and replay, or show a replay until stopped.

Exit status 0 after a match that was played and saved; 1 with one sentence on stderr otherwise. What it prints is
public and never holds a token.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from websockets.asyncio.server import Server, serve

from coworld.examples.paintarena.game.match import Match
from coworld.examples.paintarena.game.replay_mode import ReplayRoutes, ReplayUnreadable
from coworld.examples.paintarena.game.routes import MatchRoutes, Routes
from coworld.examples.paintarena.game.settings import Settings, SettingsError
from coworld.examples.paintarena.rules import Config, ConfigError
from coworld.uris.transfer import UriError, read_uri, write_uri

LARGEST_MESSAGE = 64 * 1024
FAREWELL_SECONDS = 2.0
"""how long clients have to read the last message before the game exits"""


def main() -> int:
    logging.getLogger("websockets").setLevel(logging.CRITICAL)  # its messages may hold addresses with tokens
    try:
        settings = Settings.read(os.environ)
        asyncio.run(_show(settings) if settings.replay_mode else _play(settings))
    except (SettingsError, ConfigError, UriError, ReplayUnreadable, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


async def _play(settings: Settings) -> None:
    match, tokens = _read_match(settings.config_uri or "")
    routes = MatchRoutes(match, tokens, admin_token=settings.admin_token)
    async with _serving(settings, routes) as server:
        print(f"Paint Arena listens on port {_port(server)}", flush=True)
        await match.run()
        print(f"finished after {match.arena.tick} ticks with {match.arena.scores}", flush=True)
        await asyncio.to_thread(_save, settings, match)
        await _farewell(server)


async def _show(settings: Settings) -> None:
    async with _serving(settings, ReplayRoutes(settings.load_replay_uri)) as server:
        print(f"Paint Arena shows replays on port {_port(server)}", flush=True)
        await server.serve_forever()


@asynccontextmanager
async def _serving(settings: Settings, routes: Routes) -> AsyncIterator[Server]:
    async with serve(
        routes,
        settings.host,
        settings.port,
        process_request=routes.process_request,
        max_size=LARGEST_MESSAGE,
        compression=None,
        server_header=None,
        ping_interval=20,
        ping_timeout=None,  # programs that never answer a ping may play
        close_timeout=1,
    ) as server:
        yield server


def _port(server: Server) -> int:
    return int(next(iter(server.sockets)).getsockname()[1])


def _read_match(uri: str) -> tuple[Match, list[str]]:
    try:
        document = json.loads(read_uri(uri))
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"The game's configuration is not JSON: {error}") from None
    config = Config.read(document)
    tokens = document.get("tokens")
    if not isinstance(tokens, list) or not tokens or not all(isinstance(token, str) and token for token in tokens):
        raise ConfigError("`tokens` must be a list of one text per seat")
    if len(tokens) != len(config.player_names):
        raise ConfigError(f"`players` has {len(config.player_names)} entries and `tokens` {len(tokens)}")
    public = {key: value for key, value in document.items() if key != "tokens"}
    return Match(config, public, lockstep=document.get("lockstep") is True), tokens


def _save(settings: Settings, match: Match) -> None:
    """Write everything else first, then the results, then the replay."""
    if settings.events_uri:
        write_uri(settings.events_uri, json.dumps(match.events).encode(), content_type="application/json")
    if settings.trajectory_uri:
        write_uri(settings.trajectory_uri, "".join(f"{line}\n" for line in match.trajectory).encode())
    results = json.dumps(match.results()).encode()
    write_uri(settings.results_uri or "", results, method=settings.results_method, content_type="application/json")
    write_uri(
        settings.replay_uri or "",
        match.replay_text().encode(),
        method=settings.replay_method,
        content_type="application/json",
    )


async def _farewell(server: Server) -> None:
    """Wait for the handlers, which end once the match is over; do not wait for a client that does not read."""
    server.close(close_connections=False)
    leaving = [asyncio.create_task(connection.wait_closed()) for connection in server.connections]
    if leaving:
        _, pending = await asyncio.wait(leaving, timeout=FAREWELL_SECONDS)
        for task in pending:
            task.cancel()
        for connection in server.connections:
            connection.transport.abort()


if __name__ == "__main__":
    sys.exit(main())
