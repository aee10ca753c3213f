"""The observation window: visible cells, their order, and what can hide them (rules, section 11.3)."""

from functools import lru_cache
from typing import NamedTuple

MAX_SIDE = 15
RADII = 8
_NEIGHBOURS = ((-1, 0), (1, 0), (0, 1), (0, -1))  # north, south, east, west


class WindowCell(NamedTuple):
    """A visible cell; masks as in `core/program/program.hpp`."""

    dr: int
    dc: int
    location: int
    radius_mask: int
    neighbours: int


def is_visible(dr: int, dc: int, rows: int, cols: int) -> bool:
    """Return whether a cell offset is in the shape of a window that reaches `rows` up and down and `cols` sideways."""
    if rows == cols:
        d2 = dr * dr + dc * dc
        on_tip = rows >= 2 and d2 == rows * rows + 1 and (abs(dr) == rows or abs(dc) == cols)
        return d2 <= rows * rows or on_tip
    if rows == 0 or cols == 0:
        return abs(dr) <= rows and abs(dc) <= cols
    return dr * dr * cols * cols + dc * dc * rows * rows <= rows * rows * cols * cols


@lru_cache(maxsize=64)
def window_cells(height: int, width: int) -> tuple[WindowCell, ...]:
    """Return the visible cells by increasing Manhattan distance, then by row, west before east."""
    rows, cols = height >> 1, width >> 1
    box = [
        (dr, dc)
        for distance in range(rows + cols + 1)
        for dr in range(-distance, distance + 1)
        for dc in sorted({-(distance - abs(dr)), distance - abs(dr)})
        if abs(dr) <= rows and abs(dc) <= cols
    ]
    # An even side has a box one cell larger than the window; the published engine stops counting at height x width.
    shape = {cell for cell in box[: height * width] if is_visible(*cell, rows, cols)}
    cells = []
    for dr, dc in box:
        if (dr, dc) not in shape:
            continue
        radius_mask = neighbours = 0
        for radius in range(RADII):
            inner = min(rows, radius), min(cols, radius)
            if not is_visible(dr, dc, *inner):
                continue
            radius_mask |= 1 << radius
            for bit, (nr, nc) in enumerate(_NEIGHBOURS):
                there = dr + nr, dc + nc
                in_window = there[0] + rows < height and there[1] + cols < width  # may be false for even sizes
                if in_window and there in shape and is_visible(*there, *inner):
                    neighbours |= 1 << (4 * radius + bit)
        cells.append(WindowCell(dr, dc, (rows + dr) << 4 | (cols + dc), radius_mask, neighbours))
    return tuple(cells)


def sight_target(dr: int, dc: int, rows: int, cols: int, radius: int) -> tuple[int, int]:
    """Return the window cell whose line of sight decides for (dr, dc) when the observation radius is `radius`.

    It should be the cell itself. The published engine indexes the full window with the row length of the smaller one,
    and this function reproduces that.
    """
    index = (dr + rows) * (2 * min(cols, radius) + 1) + dc + cols
    return index // (2 * cols + 1) - rows, index % (2 * cols + 1) - cols


@lru_cache(maxsize=1024)
def touched_cells(dr: int, dc: int) -> tuple[tuple[int, int], ...]:
    """Return the cells whose closed square meets the segment from (0, 0) to (dr, dc), without both ends.

    In doubled coordinates: a square is touched if its corners are not strictly on one side of the line.
    """
    touched = []
    for r in range(min(0, dr), max(0, dr) + 1):
        for c in range(min(0, dc), max(0, dc) + 1):
            sides = [(2 * r + i) * dc - (2 * c + j) * dr for i in (-1, 1) for j in (-1, 1)]
            if (r, c) not in ((0, 0), (dr, dc)) and min(sides) <= 0 <= max(sides):
                touched.append((r, c))
    return tuple(touched)
