"""Draw the whole screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mettagrid.terminal import looks
from mettagrid.terminal.board import draw_board
from mettagrid.terminal.cells import Canvas, Style, fit, text_width
from mettagrid.terminal.layout import Box, Layout, layout
from mettagrid.terminal.panels import draw_blocks

if TYPE_CHECKING:
    from mettagrid.live import Controls
    from mettagrid.terminal.panels import Panels
    from mettagrid.terminal.symbols import Symbols
    from mettagrid.terminal.view import View
    from mettagrid.terminal.world import World

__all__ = ["Picture", "Status"]

_KEYS = (
    *(("space", "play"), ("m", "take over"), ("wasd", "move"), ("?", "help"), ("q", "quit")),
    *(("n", "step"), ("< >", "speed"), ("[ ]", "cog"), ("e", "vibe"), ("f p t", "camera"), ("o", "territory")),
)


class Status(NamedTuple):
    """The status line of the game."""

    speed: float
    rate: float
    state: str
    """PAUSED, PLAYING, YOUR TURN, OVER"""


class Picture:
    """Draws a view of a world."""

    def __init__(self, world: World, symbols: Symbols, panels: Panels, controls: Controls) -> None:
        self._world, self._symbols, self._panels, self._controls = world, symbols, panels, controls

    def layout(self, view: View, width: int, height: int) -> Layout:
        is_open = any(view.panels[name] for name in ("agent", "object", "symbols"))
        has_panels = is_open or view.shows_help or view.prompt is not None or view.lesson is not None
        return layout(width, height, has_panels=has_panels)

    def draw(self, view: View, status: Status, width: int, height: int, printed: str = "") -> Canvas:
        canvas = Canvas(width, height)
        places = self.layout(view, width, height)
        plan = self._controls.seat(view.selected).orders.plan()
        draw_board(canvas, places.map, view, self._world, self._symbols, plan)
        self._draw_header(canvas, view, status, places)
        self._draw_footer(canvas, view, status, places, printed)
        box = places.panels
        if view.shows_help or (box is None and view.prompt is not None):  # more important than the map
            box = Box(0, places.map.y, width, places.footer.y - places.map.y)
            canvas.fill(*box)
        if box is not None:
            blocks = self._panels.blocks(view, box.width - 2, printed)
            draw_blocks(canvas, box, blocks, self._symbols.glyphs.line)
        return canvas

    def _draw_header(self, canvas: Canvas, view: View, status: Status, places: Layout) -> None:
        box, simulation = places.header, self._world.simulation
        row, column = view.camera
        step = f"Step {simulation.current_step}/{simulation.config.game.max_steps}"
        reward = float(simulation.agent(view.selected).episode_reward)
        texts = [
            (step, looks.BAR_STRONG),
            (status.state, _state_style(status.state)),
            (f"{status.speed:.3g}/s ({status.rate:.3g})", looks.BAR),
            (f"Cog {view.selected} reward {reward:.2f}", looks.BAR),
            (view.mode, looks.BAR),
            (f"camera {row},{column}", looks.BAR),
        ]
        if box.height >= 1:
            y = box.height - 1
            canvas.fill(0, y, box.width, 1, looks.BAR)
            x = 1
            for number, (text, style) in enumerate(texts):
                before = f" {self._symbols.glyphs.upright} " if number else ""
                if x + text_width(before + text) > box.width:
                    break
                x = canvas.put(x, y, before, looks.BAR)
                x = canvas.put(x, y, text, style)
        if box.height >= 2:
            numbers = enumerate(view.panels.values(), 1)
            flags = " ".join(f"{number}[{'x' if is_open else ' '}]" for number, is_open in numbers)
            room = box.width - text_width(flags) - 2
            canvas.fill(0, 0, box.width, 1, looks.BAR)
            x = 1
            for key, meaning in _KEYS:
                if x + text_width(key) + text_width(meaning) + 1 > room:
                    break
                x = canvas.put(x, 0, key, looks.BAR_KEY)
                x = canvas.put(x, 0, f" {meaning}  ", looks.BAR)
            canvas.put(box.width - text_width(flags) - 1, 0, flags, looks.BAR)

    def _draw_footer(self, canvas: Canvas, view: View, status: Status, places: Layout, printed: str) -> None:
        box = places.footer
        if not box.height:
            return
        notice, style = view.notice, looks.WARNING
        if not notice and printed and places.panels is None:
            notice, style = printed.strip().splitlines()[-1], looks.FAINT
        lines = [(notice, style), (self._hint(view, status), looks.FAINT)]
        if box.height == 1:
            lines = [lines[0] if notice else lines[1]]
        for number, (text, look) in enumerate(lines):
            canvas.put(1, box.y + number, fit(text, box.width - 2), look)

    def _hint(self, view: View, status: Status) -> str:
        """Return a hint at the keys that are useful now."""
        talks = self._world.simulation.config.game.talk.enabled
        say = "enter say, " if talks else ""
        if view.is_over and view.lesson is not None:
            return "Press enter to continue"
        if view.is_over:
            return "The episode is over: enter or q quits, [ ] and f p t still look around"
        if view.prompt is not None:
            return "type, then enter; esc goes back"
        if status.state == "YOUR TURN":
            return f"wasd or arrows move, r rest, e vibe, {say}g go, tab real time, m hand back"
        if status.state == "YOU DRIVE":
            return f"wasd or arrows move, e vibe, {say}g go, tab wait for me, m hand back"
        if view.mode == "select":
            return "ijkl or arrows look around, enter selects a cog, g sends the one you drive, f back"
        if status.state == "PAUSED":
            return f"space plays, n steps, m takes cog {view.selected} over, ? helps"
        return f"space pauses, m takes cog {view.selected} over, ? helps"


def _state_style(state: str) -> Style:
    return looks.BAR_STRONG if state == "PLAYING" else looks.BAR_KEY
