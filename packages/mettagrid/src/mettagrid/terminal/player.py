"""Handle keys."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from mettagrid.live.errors import LiveError
from mettagrid.terminal.prompts import TalkPrompt, VibePrompt
from mettagrid.types import Action

if TYPE_CHECKING:
    from mettagrid.live import Clock, Controls
    from mettagrid.terminal.keys import Key
    from mettagrid.terminal.symbols import Symbols
    from mettagrid.terminal.view import Panel, View
    from mettagrid.terminal.world import World

__all__ = ["DRIVER", "Player"]

DRIVER = "terminal"
SLOWEST, FASTEST = 0.01, 600.0

_MOVES = {"w": "move_north", "a": "move_west", "s": "move_south", "d": "move_east"}
_ARROWS = {"up": "w", "left": "a", "down": "s", "right": "d"}
_LOOKS = {"i": (-1, 0), "k": (1, 0), "j": (0, -1), "l": (0, 1)}
_ARROW_LOOKS = {"up": "i", "left": "j", "down": "k", "right": "l"}
_PANELS: dict[str, Panel] = {"1": "agent", "2": "object", "3": "symbols", "4": "output"}


class Player:
    """The user at the keyboard. Every action is a key, and this class handles all keys."""

    def __init__(
        self,
        view: View,
        world: World,
        symbols: Symbols,
        clock: Clock,
        controls: Controls,
        redraw: Callable[[], None],
    ) -> None:
        self._view, self._world, self._clock, self._controls, self._redraw = view, world, clock, controls, redraw
        self._plays_after = False
        self.nudges: dict[int, deque[Action]] = {}
        """actions of cogs without a driver, each for one step"""
        self._keys: dict[str, Callable[[], None]] = {
            " ": self._play_or_pause,
            "n": self._step,
            "m": self._take_or_release,
            "M": self._take_or_release,
            "r": lambda: self._act("noop"),
            "e": self._choose_vibe,
            "enter": self._enter,
            "g": self._go,
            "c": self._cancel,
            "tab": self._change_waiting,
            "[": lambda: self._select(view.selected - 1),
            "]": lambda: self._select(view.selected + 1),
            "f": self._follow,
            "p": self._pan,
            "t": self._look_around,
            "escape": self._back,
            "o": self._show_territory,
            "u": symbols.change,
            "?": self._help,
            "q": self._quit,
            "ctrl-l": redraw,
        }
        for key in "<,":
            self._keys[key] = lambda: self._change_speed(1 / 1.5)
        for key in ">.":
            self._keys[key] = lambda: self._change_speed(1.5)

    @property
    def is_driving(self) -> bool:
        """Whether the user drives the selected cog."""
        return self._controls.seat(self._view.selected).driver == DRIVER

    def press(self, key: Key) -> None:
        """Handle a key; errors appear in the view."""
        view = self._view
        view.notice = ""
        if view.shows_help:
            view.shows_help = False
            return
        if view.is_over and view.lesson is not None and key.name == "enter":
            self._quit()
            return
        try:
            if view.is_over and key.name in ("enter", "escape", " "):
                self._quit()
            elif view.prompt is not None:
                self._type(key)
            elif key.name in _MOVES:
                self._act(_MOVES[key.name])
            elif key.name in _ARROWS:
                self._arrow(key.name)
            elif key.name.lower() in _LOOKS:
                self._look(key.name.lower(), 10 if key.name.isupper() else 1)
            elif key.name.removeprefix("shift-") in _ARROW_LOOKS:
                self._look(_ARROW_LOOKS[key.name.removeprefix("shift-")], 10)
            elif key.name in _PANELS:
                panel = _PANELS[key.name]
                view.panels[panel] = not view.panels[panel]
            elif key.name in self._keys:
                self._keys[key.name]()
        except LiveError as error:
            view.notice = str(error)

    # The clock

    def _play_or_pause(self) -> None:
        if self._clock.paused:
            self._clock.play()
        else:
            self._clock.pause()

    def _step(self) -> None:
        waiting = self._controls.waiting_for()
        if waiting and not self._clock.paused:  # it is the user's turn: their cogs rest
            for slot in waiting:
                self._controls.act(slot, DRIVER, "noop")
        else:
            self._clock.step()

    def _change_speed(self, factor: float) -> None:
        speed = min(max(self._clock.steps_per_second * factor, SLOWEST), FASTEST)
        self._clock.set_speed(speed)
        self._view.notice = f"{speed:.3g} steps per second"

    def _change_waiting(self) -> None:
        if not self.is_driving:
            self._view.notice = "You do not drive this cog; press m to take it over"
        elif self._clock.tick_mode == "fixed":
            self._controls.choose_mode("tick_when_act")
            self._view.notice = "The game waits for you"
        else:
            self._controls.choose_mode("fixed")
            self._view.notice = "The game continues by itself; your cog rests unless you press a key"

    def _quit(self) -> None:
        self._clock.end()

    # The selected cog

    def _take_or_release(self) -> None:
        slot = self._view.selected
        if self.is_driving:
            self._controls.release(slot, DRIVER)
            self._view.notice = f"Cog {slot} was handed back to its policy"
            if any(seat.driver == DRIVER for seat in self._controls.seats):
                return
            self._clock.set_mode("fixed")
            if not self._plays_after:
                self._clock.pause()
            return
        is_first = not any(seat.driver == DRIVER for seat in self._controls.seats)
        self._controls.take(slot, DRIVER)
        if is_first:
            self._plays_after = not self._clock.paused
            self._clock.play()  # and wait for the user
        self._view.notice = f"You drive cog {slot} now; m hands it back"

    def _act(self, name: str) -> None:
        slot = self._view.selected
        if name not in self._world.simulation.action_ids:
            self._view.notice = f"This game has no action {name}"
            return
        if self.is_driving:
            self._controls.act(slot, DRIVER, name)
        else:
            self._nudge(slot, Action(name))
        self._begin_step()

    def _nudge(self, slot: int, action: Action) -> None:
        """Act for a cog without a driver: while the game is paused each key is a step, else the last key wins."""
        waiting = self.nudges.setdefault(slot, deque())
        if not self._clock.paused:
            waiting.clear()
        waiting.append(action)

    def _begin_step(self) -> None:
        if self._clock.paused:
            self._clock.step()

    def _choose_vibe(self) -> None:
        names = [name.removeprefix("change_vibe_") for name in self._world.simulation.vibe_action_names]
        if not names:
            self._view.notice = "This game has no vibes"
            return
        self._view.prompt = VibePrompt(self._title(True), names=names)

    def _enter(self) -> None:
        talk = self._world.simulation.config.game.talk
        if self._view.mode == "select":
            thing = self._world.at(*self._view.cursor)
            if thing is None or "agent_id" not in thing:
                self._view.notice = "There is no cog here"
            else:
                self._select(thing["agent_id"])
        elif not talk.enabled:
            self._view.notice = "There is no talk in this game"
        else:
            self._view.prompt = TalkPrompt(self._title(False), max_length=talk.max_length)

    def _title(self, is_vibe: bool) -> str:
        return f"Vibe of cog {self._view.selected}" if is_vibe else f"Cog {self._view.selected} says"

    def _type(self, key: Key) -> None:
        prompt = self._view.prompt
        assert prompt is not None
        if key.name in ("[", "]") and isinstance(prompt, VibePrompt):
            self._select(self._view.selected + (1 if key.name == "]" else -1))
            prompt.title = self._title(True)
            return
        if not prompt.take(key):
            return
        self._view.prompt = None
        if prompt.answer is None:
            return
        slot, is_vibe = self._view.selected, isinstance(prompt, VibePrompt)
        vibe, talk = (f"change_vibe_{prompt.answer}", None) if is_vibe else (None, prompt.answer)
        if self.is_driving:
            self._controls.act(slot, DRIVER, vibe=vibe, talk=talk)
        elif vibe is not None:
            self._nudge(slot, Action(vibe))
        else:
            self._nudge(slot, Action("noop", talk=talk))
        self._begin_step()

    def _go(self) -> None:
        view = self._view
        if not self.is_driving:
            view.notice = f"Take cog {view.selected} over first, with m"
        elif view.mode != "select":
            self._look_around()
            view.notice = "Choose a cell and press g"
        else:
            row, column = view.cursor
            self._controls.order(view.selected, DRIVER, column, row)
            view.mode = "follow"

    def _cancel(self) -> None:
        self._controls.cancel(self._view.selected, DRIVER)

    def _select(self, agent: int) -> None:
        self._view.selected = agent % self._world.simulation.num_agents

    # The camera

    def _arrow(self, name: str) -> None:
        if self._view.mode == "select" or not self.is_driving:
            self._look(_ARROW_LOOKS[name], 1)
        else:
            self._act(_MOVES[_ARROWS[name]])

    def _look(self, direction: str, distance: int) -> None:
        view, world = self._view, self._world
        rows, columns = (distance * part for part in _LOOKS[direction])
        if view.mode == "select":
            view.cursor = _inside(view.cursor, rows, columns, world)
            return
        view.mode = "pan"
        view.camera = _inside(view.camera, rows, columns, world)

    def _follow(self) -> None:
        self._view.mode = "follow"

    def _pan(self) -> None:
        self._view.mode = "pan"

    def _look_around(self) -> None:
        view, world = self._view, self._world
        if view.mode == "select":
            return
        thing = world.agents.get(view.selected)
        view.cursor = view.camera if thing is None else (thing["r"], thing["c"])
        view.mode = "select"
        view.panels["object"] = True

    def _back(self) -> None:
        self._view.mode = "follow"

    def _show_territory(self) -> None:
        self._view.shows_territory = not self._view.shows_territory

    def _help(self) -> None:
        self._view.shows_help = True


def _inside(cell: tuple[int, int], rows: int, columns: int, world: World) -> tuple[int, int]:
    row = min(max(cell[0] + rows, 0), world.height - 1)
    return row, min(max(cell[1] + columns, 0), world.width - 1)
