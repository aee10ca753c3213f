"""Check reconnection with a game that waits for its players, in a separate run that disturbs no episode."""

import asyncio
import contextlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from coworld.engines.base import Address, Engine
from coworld.models.requests import CoworldEpisodeJobSpec
from coworld.runner.artifacts import EpisodeArtifacts
from coworld.runner.episode import GRACE_SECONDS, Episode
from coworld.runner.failures import RunnerEpisodeError
from coworld.runner.options import EpisodeOptions
from coworld.runner.pages import socket
from coworld.runner.probes import PAGE_SECONDS, require_first_message, require_pong, violation

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

SETTLED_SECONDS = 0.2
"""a connection that is still open then has been accepted"""


async def check_reconnect(request: CoworldEpisodeJobSpec, engine: Engine, options: EpisodeOptions) -> None:
    """Send `/global` a Ping, which a short episode may be over before it is due; then take every seat, lose the
    connection of slot 0 and come back with the same token.

    Raises RunnerEpisodeError (`game_contract_violation`) when the game does not answer, or does not let it in again.
    """
    with tempfile.TemporaryDirectory(prefix="coworld-reconnect-") as folder:
        episode = Episode(request, EpisodeArtifacts.create(Path(folder)), engine, options)
        try:
            episode.game = episode.start_game(episode.write_config())
            address = episode.game.running.endpoint
            assert address is not None
            await episode.wait_for_game(address)
            await _ping(episode, address)
            await _come_back(episode, address)
        finally:
            await episode.finish()


async def _ping(episode: Episode, address: Address) -> None:
    try:
        await require_first_message(address, "/global", episode.budget, then=require_pong)
    except RunnerEpisodeError:
        if episode.game is None or not await episode.game.exited_within(episode.budget.at_most(GRACE_SECONDS)):
            raise  # a game that does not wait for its players may be over by now


async def _come_back(episode: Episode, address: Address) -> None:
    async with contextlib.AsyncExitStack() as stack:
        first = await _sit_down(episode, stack, address, 0, "first")
        for slot in range(1, len(episode.seats)):
            await _sit_down(episode, stack, address, slot, "first")
        await first.close()
        second = await _sit_down(episode, stack, address, 0, "second")
        closed = asyncio.create_task(second.wait_closed())
        await asyncio.wait({closed}, timeout=episode.budget.at_most(SETTLED_SECONDS))
        if closed.done() and episode.game is not None and not episode.game.has_ended():
            violation("the second connection of slot 0 with its own token was closed at once")
        closed.cancel()


async def _sit_down(
    episode: Episode, stack: contextlib.AsyncExitStack, address: Address, slot: int, which: str
) -> "ClientConnection":
    from websockets.exceptions import InvalidHandshake

    query = {"slot": slot, "token": episode.tokens[slot]}
    try:
        seconds = episode.budget.at_most(PAGE_SECONDS)
        return await stack.enter_async_context(socket(address, "/player", query, timeout=seconds))
    except TimeoutError:
        violation(f"the {which} connection of slot {slot} with its own token did not open within {seconds:g} s")
    except (InvalidHandshake, OSError, EOFError) as error:
        violation(f"the {which} connection of slot {slot} with its own token was refused: {type(error).__name__}")
