"""Draw the map, two columns for each cell."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from mettagrid.terminal import looks
from mettagrid.terminal.cells import Canvas, Colour, Style, cells_of
from mettagrid.terminal.colours import mixed

if TYPE_CHECKING:
    from mettagrid.terminal.layout import Box
    from mettagrid.terminal.symbols import Symbols
    from mettagrid.terminal.view import View
    from mettagrid.terminal.world import Thing, World

__all__ = ["corner", "draw_board"]


def corner(view: View, world: World, rows: int, columns: int) -> tuple[int, int]:
    """Return (row, column) of the map at the upper left of a window of this size; a small map is centred."""
    if view.mode == "follow" and view.selected in world.agents:
        thing = world.agents[view.selected]
        view.camera = (thing["r"], thing["c"])
    if view.mode == "select":
        view.camera = _seen(view.camera, view.cursor, rows, columns)
    return _edge(view.camera[0], rows, world.height), _edge(view.camera[1], columns, world.width)


def draw_board(canvas: Canvas, box: Box, view: View, world: World, symbols: Symbols, plan: list[list[int]]) -> None:
    """Draw the objects in the window, then the selected cog's path, the cursor and the targets of a lesson."""
    rows, columns = box.height, box.width // 2
    top, left = corner(view, world, rows, columns)
    things = world.within(top, left, rows, columns)
    owners = world.owners() if view.shows_territory else None
    pointed = _pointed(view, things)
    way = {(row, column) for column, row in plan}
    goal = (plan[-1][1], plan[-1][0]) if plan else None
    grounds = {tag: mixed(looks.GROUND, colour, 0.25) for tag, colour in world.owner_colours.items()}
    glyphs = symbols.glyphs
    first, last = max(left, 0), min(left + columns, world.width)
    for row in range(max(top, 0), min(top + rows, world.height)):
        y = box.y + row - top
        owned = [-1] * (last - first) if owners is None else owners[row, first:last].tolist()
        for column, owner in enumerate(owned, first):
            cell = (row, column)
            back = grounds.get(owner)
            thing = things.get(cell)
            if thing is not None:
                text, style = symbols.of(thing), _style(thing, view, world, back)
            elif cell in way:
                text, style = (glyphs.goal if cell == goal else glyphs.path), on(looks.PATH, back)
            else:
                text, style = glyphs.ground, on(looks.EMPTY_GROUND, back)
            if cell in pointed:
                text = glyphs.goal if thing is None else text
                style = Style(fore=(255, 255, 255), back=looks.HIGHLIGHT, bold=True)
            if view.mode == "select" and cell == view.cursor:
                style = looks.CURSOR
            canvas.stamp(box.x + 2 * (column - left), y, cells_of(text, style))


@lru_cache(256)
def on(style: Style, back: Colour | None) -> Style:
    """Return a style with a background colour."""
    return style._replace(back=back)


def _style(thing: Thing, view: View, world: World, back: Colour | None) -> Style:
    if "agent_id" in thing:
        colour = world.colour(thing)
        if thing["agent_id"] == view.selected:
            return Style(fore=mixed(colour, (0, 0, 0), 0.45), back=(255, 255, 255), bold=True, underline=True)
        return Style(fore=(0, 0, 0), back=colour, bold=True)
    if thing["type_name"] == "wall":
        return on(looks.WALL, back)
    team = world.team(thing)
    if team is not None:
        colour = world.team_colours[team]
        return Style(fore=colour, back=back or mixed(looks.GROUND, colour, 0.5), bold=True)
    return Style(fore=(220, 220, 220), back=back, bold=True)


def _pointed(view: View, things: dict[tuple[int, int], Thing]) -> set[tuple[int, int]]:
    """Return the cells that a lesson points at, given as cells or as objects."""
    highlight = (view.lesson or {}).get("highlight") or {}
    cells = {(row, column) for column, row in highlight.get("cells") or ()}
    targets = set(highlight.get("objects") or ())
    return cells | {cell for cell, thing in things.items() if thing["id"] in targets}


def _edge(middle: int, window: int, size: int) -> int:
    if size <= window:
        return -((window - size) // 2)
    return min(max(middle - window // 2, 0), size - window)


def _seen(camera: tuple[int, int], cursor: tuple[int, int], rows: int, columns: int) -> tuple[int, int]:
    """Return the camera, moved as little as needed to show the cursor."""
    row = min(max(camera[0], cursor[0] - max(rows // 2 - 2, 0)), cursor[0] + max(rows // 2 - 1, 0))
    column = min(max(camera[1], cursor[1] - max(columns // 2 - 2, 0)), cursor[1] + max(columns // 2 - 1, 0))
    return row, column
