"""Play one episode in the browser, from beginning to end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from mettagrid.live._clock import Clock
from mettagrid.live._game import PATIENCE, Goal, LiveGame
from mettagrid.live._server import LiveServer
from mettagrid.viewer._pages import pages_folder

if TYPE_CHECKING:
    from mettagrid.live._renderer import LiveRenderer
    from mettagrid.runner.episode.outcome import EpisodeOutcome
    from mettagrid.runner.episode.plan import EpisodePlan
    from mettagrid.simulator.interface import SimulatorEventHandler

__all__ = ["linger", "play_live", "say", "show"]

_RELOAD_SECONDS = 3.0
"""seconds of grace for a page that is being reloaded"""
_STEP_SECONDS = 1.0
"""seconds to wait for a policy's step; most need less"""


def play_live(
    plan: EpisodePlan,
    *,
    title: str = "",
    goal: Goal | None = None,
    autostart: bool = False,
    host: str = "127.0.0.1",
    port: int = 0,
    browser: bool = True,
    handlers: Callable[[LiveRenderer], Sequence[SimulatorEventHandler]] | None = None,
) -> EpisodeOutcome:
    """Play an episode that people watch and take part in; print the address to stderr.

    It starts when a user is ready or presses play, or at once with `autostart`. `goal` is shown to people who play.
    A keyboard interrupt ends it after one more step.
    If the page is still open after the episode, the server keeps running until it is closed, or until an interrupt.
    Raises what `play_episode` raises, and `PagesMissing`.
    """
    pages_folder()  # fail early with a helpful message
    game = LiveGame(plan, title=title, goal=goal, clock=Clock(paused=not autostart), handlers=handlers)
    with LiveServer(game, host=host, port=port) as server:
        try:
            game.start()
            outcome = _outcome(game, server, browser=browser)
            linger(server)
            return outcome
        finally:
            game.close(PATIENCE)  # before the server, which waits for branches in progress


def show(server: LiveServer, *, browser: bool = True) -> None:
    """Open a browser and print the game's address."""
    if browser and server.open_browser():
        say(f"The game is in your browser: {server.address}")
    else:
        say(f"Open this address in a browser:\n{server.address}")


def linger(server: LiveServer) -> None:
    """Wait until no page is open; an interrupt ends it."""
    if not server.pages_open:
        return
    say("The episode is over; close the page or press Ctrl-C to exit")
    with suppress(KeyboardInterrupt):
        server.wait_for_pages_to_close(_RELOAD_SECONDS)


def say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


def _outcome(game: LiveGame, server: LiveServer, *, browser: bool) -> EpisodeOutcome:
    try:
        show(server, browser=browser)
        outcome = game.wait()
    except KeyboardInterrupt:
        game.end()
        outcome = game.wait(_STEP_SECONDS)
        if outcome is None:
            say("The game ends after the policies' current step; press Ctrl-C again to exit now")
            outcome = game.wait()
    assert outcome is not None
    return outcome
