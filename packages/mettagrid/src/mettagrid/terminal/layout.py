"""Lay out the screen for a given size."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Box", "Layout", "layout"]

WIDE_SIDEBAR, NARROW_SIDEBAR = 46, 30


class Box(NamedTuple):
    x: int
    y: int
    width: int
    height: int


class Layout(NamedTuple):
    """Boxes without overlap. Header and footer have as many rows as there is room for, down to none."""

    header: Box
    map: Box
    panels: Box | None
    footer: Box

    @property
    def map_cells(self) -> tuple[int, int]:
        """(rows, columns) of the map that fit; a cell is two columns wide."""
        return self.map.height, self.map.width // 2


def layout(width: int, height: int, *, has_panels: bool) -> Layout:
    """Place the panels next to the map, below it on a narrow screen, and nowhere on a tiny one."""
    head = 2 if height >= 10 else 1 if height >= 3 else 0
    foot = 2 if height >= 16 else 1 if height >= 6 else 0
    middle = max(height - head - foot, 0)
    header, footer = Box(0, 0, width, head), Box(0, height - foot, width, foot)
    if has_panels and width >= 60 and middle >= 4:
        side = WIDE_SIDEBAR if width >= 120 else NARROW_SIDEBAR
        return Layout(header, Box(0, head, width - side, middle), Box(width - side, head, side, middle), footer)
    if has_panels and middle >= 14:
        below = middle // 2
        above = middle - below
        return Layout(header, Box(0, head, width, above), Box(0, head + above, width, below), footer)
    return Layout(header, Box(0, head, width, middle), None, footer)
