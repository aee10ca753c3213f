"""The terminal renderer: it draws and handles keys in the thread that plays."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Mapping
from typing import Any

from mettagrid.live import Clock, Controls
from mettagrid.renderer.renderer import Renderer
from mettagrid.terminal.colours import colour_depth, speaks_unicode
from mettagrid.terminal.errors import NoTerminals, TerminalLost
from mettagrid.terminal.keys import KeyParser
from mettagrid.terminal.panels import Panels
from mettagrid.terminal.picture import Picture, Status
from mettagrid.terminal.player import DRIVER, Player
from mettagrid.terminal.screen import Screen
from mettagrid.terminal.symbols import Symbols
from mettagrid.terminal.view import View
from mettagrid.terminal.world import World

try:
    from mettagrid.terminal.tty import Terminal, is_terminal
except ImportError as error:  # no termios
    raise NoTerminals from error

__all__ = ["TerminalRenderer"]

_IDLE_SECONDS = 0.015
_FRAME_SECONDS = 1 / 30
_ESCAPE_SECONDS = 0.05
"""seconds after which an Escape is a key rather than the start of a sequence"""


class TerminalRenderer(Renderer):
    """A screen with the map, panels and keys, as `docs/guides/terminal.md` describes it.

    The game is paused at its start, unless autostart is set, and after its end the last picture stays until a key is
    pressed. If standard input or output is not a terminal, every step is printed as plain text without waiting.
    """

    def __init__(self, autostart: bool = False, *, steps_per_second: float = 4.0) -> None:
        super().__init__()
        self._autostart = autostart
        self._begin(steps_per_second)
        self.view = View()
        self._terminal = Terminal(self._redraw)
        self._unicode = speaks_unicode(os.environ)
        self._screen = Screen(colour_depth(os.environ))
        self._keys = KeyParser()
        self._key_at = 0.0
        self._drawn_at = 0.0
        self._is_stale = True
        self._waited = False
        self._steps: list[float] = []
        self._size = (0, 0)
        self._printed = ""

    # Events of the game

    def on_episode_start(self) -> None:
        super().on_episode_start()
        simulation = self._sim
        if self.clock.ended:
            self._begin(self.clock.steps_per_second)
        self._world = World(simulation)
        self.controls.follow(simulation)
        symbols = Symbols(simulation.config.game, unicode=self._unicode)
        self._picture = Picture(
            self._world, symbols, Panels(self._world, symbols, self.controls, DRIVER), self.controls
        )
        lesson = self.view.lesson
        self.view = View(camera=(simulation.map_height // 2, simulation.map_width // 2), lesson=lesson)
        self._player = Player(self.view, self._world, symbols, self.clock, self.controls, self._redraw)
        self._steps = []

    def apply_deferred_user_actions(self) -> None:
        """Wait for the next step, then replace the policies' actions by the user's."""
        self._waited = True
        self._wait()
        self._put_in_place()

    def on_step(self) -> None:
        now = time.monotonic()
        self._steps = [*(at for at in self._steps[-600:] if now - at < 2.0), now]
        self._world.note_actions()
        self._is_stale = True

    def render(self) -> None:
        if self._terminal.is_up:
            self._idle()
        else:
            self._show()
        if not self._waited:  # the loop does not call apply_deferred_user_actions
            self._wait()
            self._put_in_place()
        self._waited = False

    def supports_pending_render(self) -> bool:
        return True

    def render_pending(self) -> None:
        self._idle()

    def show_lesson(self, message: Mapping[str, Any]) -> None:
        self.view.lesson = dict(message)
        self._is_stale = True

    def driven_agents(self) -> set[int]:
        return {seat.slot for seat in self.controls.seats if seat.driver is not None}

    def on_episode_end(self) -> None:
        """Show the last picture until a key is pressed."""
        if self._terminal.is_up and not self.clock.ended and not self._autostart:
            self.view.is_over = True
            self._is_stale = True
            while not self.clock.ended:
                self._idle()
                time.sleep(_IDLE_SECONDS)
        elif not self._terminal.is_up and not self.clock.ended:
            self._show()
        self._leave()

    def on_close(self) -> None:
        self._leave()
        if hasattr(self, "_world"):
            self._world.close()

    # Internal

    def _begin(self, steps_per_second: float) -> None:
        """Create a clock and controls for an episode; an ended clock cannot be reused."""
        paused, patience = not self._autostart, float("inf")
        self.clock = Clock(paused=paused, steps_per_second=steps_per_second, human_action_timeout_seconds=patience)
        self.controls = Controls(self.clock, self._refused)

    def _leave(self) -> None:
        self._terminal.leave()

    def _refused(self, driver: str, sentence: str) -> None:
        self.view.notice = sentence
        self._is_stale = True

    def _redraw(self) -> None:
        self._screen.forget()
        self._is_stale = True

    def _wait(self) -> None:
        """Wait until the next step may begin."""
        if self.clock.ended:
            return
        if not is_terminal() and not self._terminal.is_up:
            if self._sim.current_step == 0:
                self._show()
            return
        self._terminal.enter()
        self.clock.wait(self.controls, self._idle, _IDLE_SECONDS)

    def _put_in_place(self) -> None:
        simulation = self._sim
        super().apply_deferred_user_actions()
        self.controls.put_in_place(simulation)
        nudges = {slot: waiting.popleft() for slot, waiting in self._player.nudges.items() if waiting}
        for slot, action in nudges.items():
            agent = simulation.agent(slot)
            agent.set_action(action)
            if action.talk is not None:
                try:
                    agent.set_talk(action.talk)
                except ValueError as error:
                    self._refused(DRIVER, f"The text was not sent: {error}")
        if self.clock.ended:
            simulation.end_episode()

    def _idle(self) -> None:
        """Handle keys and draw changes."""
        if not self._terminal.is_up:
            return
        try:
            self._take_keys()
            printed = self._terminal.printed()
            size = self._terminal.size()
            if printed != self._printed or size != self._size:
                self._printed, self._size, self._is_stale = printed, size, True
            if self._is_stale and time.monotonic() - self._drawn_at >= _FRAME_SECONDS:
                self._show()
        except TerminalLost:
            self.clock.end()
        if self.clock.ended:
            self._leave()

    def _take_keys(self) -> None:
        data, now = self._terminal.read(), time.monotonic()
        if data:
            self._key_at = now
            keys = self._keys.feed(data)
        elif self._keys.is_waiting and now - self._key_at > _ESCAPE_SECONDS:
            keys = self._keys.flush()
        else:
            return
        for key in keys:
            if self.clock.ended:
                return
            self._player.press(key)
            self._is_stale = True
        if keys:
            self._drawn_at = 0.0  # redraw at once

    def _show(self) -> None:
        self._is_stale = False
        self._drawn_at = time.monotonic()
        if not self._terminal.is_up:
            if not self.clock.ended and not is_terminal():
                self._print()
            return
        try:
            width, height = self._size = self._terminal.size()
            canvas = self._picture.draw(self.view, self._status(), width, height, self._printed)
            self._terminal.write(self._screen.update(canvas), "utf-8" if self._unicode else "ascii")
        except TerminalLost:
            self.clock.end()
            self._leave()

    def _print(self) -> None:
        """Print a plain picture, for logs."""
        width, height = shutil.get_terminal_size()
        canvas = self._picture.draw(self.view, self._status(), width, height)
        text = "\n".join(canvas.lines()) + "\n\n"
        encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        sys.stdout.write(text.encode(encoding, "replace").decode(encoding))
        sys.stdout.flush()

    def _status(self) -> Status:
        clock, since = self.clock, time.monotonic() - 1.0
        rate = sum(at > since for at in self._steps)
        if self.view.is_over:
            state = "OVER"
        elif clock.paused and self._terminal.is_up:
            state = "PAUSED"
        elif not any(seat.driver == DRIVER for seat in self.controls.seats):
            state = "PLAYING"
        else:
            state = "YOUR TURN" if clock.tick_mode == "tick_when_act" else "YOU DRIVE"
        return Status(clock.steps_per_second, float(rate), state)
