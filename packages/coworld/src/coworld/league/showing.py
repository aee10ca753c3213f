"""Let people reach the pages of a game that runs on a worker: those who play it, and those who watch an episode."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from coworld.engines.base import Address, Engine
from coworld.models.requests import CoworldEpisodeJobSpec
from coworld.runner.options import EpisodeOptions, LiveEpisode
from coworld.runner.pages import page_status
from coworld.runner.runner import EpisodeOutcome, run_episode_async

__all__ = ["GameDoor", "LiveGame", "pages_folder", "play_shown"]

PAGE_SECONDS = 10.0
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 30.0
"""between two attempts to reach the server"""


@dataclass(frozen=True)
class LiveGame:
    """A game that can be reached from this machine, and what its pages need. Holds tokens, which stay here."""

    address: Address
    pages: str
    """the folder of its pages, which differs between generations"""
    tokens: Sequence[str] = ()
    """of the seats"""
    replay_uri: str | None = None
    """for a game that shows a replay"""


class GameDoor(Protocol):
    """The way from the server to a game."""

    async def serve(self, game: LiveGame) -> str:
        """Let people in until the server ends the game; return why it did."""

    async def close(self, reason: str) -> None:
        """Tell the server that the game has ended by itself."""


async def pages_folder(address: Address, page: str, query: dict[str, str] | None = None) -> str:
    """Return the folder of a game's pages."""
    try:
        _, path = await page_status(address, page, query or {}, timeout=PAGE_SECONDS, redirects=True)
    except (OSError, TimeoutError):
        return "/client"
    return path.removesuffix(f"/{page}")


async def play_shown(
    request: CoworldEpisodeJobSpec, engine: Engine, workspace: Path, options: EpisodeOptions, door: GameDoor
) -> EpisodeOutcome:
    """Play an episode that people may watch. What goes wrong on their side never reaches the episode."""
    ready: asyncio.Future[LiveEpisode] = asyncio.get_running_loop().create_future()
    options = replace(options, on_ready=ready.set_result)
    episode = asyncio.create_task(run_episode_async(None, request, engine=engine, workspace=workspace, options=options))
    showing = asyncio.create_task(_show(ready, door))
    try:
        return await episode
    finally:
        with contextlib.suppress(Exception):
            await door.close("The game has ended")
        showing.cancel()
        await asyncio.gather(showing, return_exceptions=True)


async def _show(ready: asyncio.Future[Any], door: GameDoor) -> None:
    live: LiveEpisode = await ready
    # Without the tokens of the seats: people watch, and the players play.
    game = LiveGame(live.address, await pages_folder(live.address, "global"))
    pause = FIRST_PAUSE
    while True:
        with contextlib.suppress(Exception):
            await door.serve(game)
        await asyncio.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)
