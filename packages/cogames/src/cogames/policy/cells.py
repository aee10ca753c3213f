"""Sets of cells, and shortest paths between them.

A set of cells is one Python integer with a bit for each cell, so that a question about the whole map is a few machine
operations: `junctions & ~ours` are the junctions that are not ours, and a flood that grows by one cell in every
direction is four shifts.

    grid = Grid(reach=64)
    free = grid.inside & ~walls
    route = grid.route(start, targets=junctions & ~ours, free=free)     # e.g. [EAST, EAST, NORTH], or None
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isqrt
from typing import NamedTuple

__all__ = ["DIRECTIONS", "MOVES", "Direction", "Grid", "cells_of", "lowest"]


class Direction(NamedTuple):
    """One step: its action, and what it adds to the row and the column."""

    action: str
    row: int
    col: int


DIRECTIONS = (
    Direction("move_north", -1, 0),
    Direction("move_east", 0, 1),
    Direction("move_south", 1, 0),
    Direction("move_west", 0, -1),
)
MOVES = {direction.action: direction for direction in DIRECTIONS}


def lowest(cells: int) -> int:
    """Return the number of the first cell of a non-empty set."""
    return (cells & -cells).bit_length() - 1


def cells_of(cells: int) -> Iterator[int]:
    """Yield the numbers of all cells of a set, in order."""
    while cells:
        cell = lowest(cells)
        yield cell
        cells ^= 1 << cell


class Grid:
    """A square of cells around an origin, numbered row by row.

    `reach` is its distance from the origin to each side. The outermost ring stays empty, so that a shift never carries
    a cell from one end of a row to the other. `inside` is the set of cells without that ring, `origin` the number of
    the cell in the centre.
    """

    def __init__(self, reach: int) -> None:
        self.reach = reach
        self.width = 2 * reach
        self.origin = self.cell(0, 0)
        row = ((1 << (self.width - 2)) - 1) << 1
        self.inside = sum(row << self.width * index for index in range(1, self.width - 1))
        self._steps = tuple(direction.row * self.width + direction.col for direction in DIRECTIONS)
        self._quarters: dict[int, int] = {}
        self._discs: dict[tuple[int, int], int] = {}  # (radius, column) -> disc around that cell of the middle row

    def cell(self, row: int, col: int) -> int:
        """Return the number of the cell at an offset from the origin."""
        return (row + self.reach) * self.width + col + self.reach

    def offset(self, cell: int) -> tuple[int, int]:
        """Return (row, column) of a cell, relative to the origin."""
        row, col = divmod(cell, self.width)
        return row - self.reach, col - self.reach

    def contains(self, row: int, col: int, margin: int = 0) -> bool:
        """Return whether the cell at an offset lies inside, with at least `margin` cells around it."""
        limit = self.reach - 1 - margin
        return -limit <= row < limit and -limit <= col < limit

    def quarter(self, number: int) -> int:
        """Return one of the four quarters around the origin, by `number` modulo 4."""
        number %= 4
        if number not in self._quarters:
            half = ((1 << self.reach) - 1) << (self.reach if number % 2 else 0)
            first = self.reach if number // 2 else 0
            rows = sum(half << self.width * index for index in range(first, first + self.reach))
            self._quarters[number] = rows & self.inside
        return self._quarters[number]

    def grow(self, cells: int) -> int:
        """Return the cells and their four neighbours."""
        width = self.width
        return cells | cells << 1 | cells >> 1 | cells << width | cells >> width

    def disc(self, centre: int, radius: int) -> int:
        """Return the cells within Euclidean distance `radius` of a cell, clipped to the grid."""
        row, col = self.offset(centre)
        key = radius, col
        if key not in self._discs:
            self._discs[key] = sum(self._run(dr, col, isqrt(radius**2 - dr**2)) for dr in range(-radius, radius + 1))
        shift = row * self.width
        disc = self._discs[key]
        return (disc << shift if shift >= 0 else disc >> -shift) & self.inside

    def _run(self, row: int, col: int, length: int) -> int:
        """Return the cells of a row up to `length` to both sides of a column; empty for a row outside the grid."""
        first, last = max(col - length, -self.reach), min(col + length, self.reach - 1)
        return ((1 << (last - first + 1)) - 1) << self.cell(row, first) if -self.reach <= row < self.reach else 0

    def route(self, start: int, targets: int, free: int) -> list[int] | None:
        """Return a shortest path from a cell to the nearest of `targets` over `free` cells; None if there is none.

        The path is a list of indices into `DIRECTIONS`. The last step enters the target, which need not be free. The
        path is empty if the start is a target.
        """
        return self.search(start, targets, free)[0]

    def search(self, start: int, targets: int, free: int) -> tuple[list[int] | None, int]:
        """Return the route, and all cells that the search reached."""
        width, allowed = self.width, (free | targets) & self.inside
        reached = 1 << start
        waves = []
        while not reached & targets:
            waves.append(reached)
            # `grow`, inlined: this line takes most of a policy's time.
            grown = (reached << 1 | reached >> 1 | reached << width | reached >> width) & allowed | reached
            if grown == reached:
                return None, reached
            reached = grown
        return self._walk_back(lowest(reached & targets), waves), reached

    def _walk_back(self, cell: int, waves: list[int]) -> list[int]:
        """Return the steps to a cell that the last wave reached."""
        route = []
        for wave in reversed(waves):
            for number, step in enumerate(self._steps):
                if wave >> (cell - step) & 1:
                    route.append(number)
                    cell -= step
                    break
        route.reverse()
        return route

    def moved_to(self, other: Grid, cells: int) -> int:
        """Return the same cells in a larger grid with the same origin."""
        row_mask = (1 << self.width) - 1
        margin = other.reach - self.reach
        moved, row = 0, 0
        while cells:
            moved |= (cells & row_mask) << ((row + margin) * other.width + margin)
            cells >>= self.width
            row += 1
        return moved

    def step(self, cell: int, direction: int) -> int:
        """Return the neighbour of a cell in one of the `DIRECTIONS`."""
        return cell + self._steps[direction]
