"""Mazes of rooms: each is reachable in exactly one way."""

from collections.abc import Iterator
from typing import Literal

import numpy as np

from mettagrid.mapgen.random.int import IntConstantDistribution, IntDistribution
from mettagrid.mapgen.scene import Scene, SceneConfig

Direction = tuple[int, int]
"""Steps in columns and rows."""
ALL_DIRECTIONS: list[Direction] = [(0, -1), (0, 1), (1, 0), (-1, 0)]
Anchor = Literal["top-left", "top-right", "bottom-left", "bottom-right"]
ALL_ANCHORS: list[Anchor] = ["top-left", "top-right", "bottom-left", "bottom-right"]

_Room = tuple[int, int]  # (row, column) in the lattice of rooms
_ONE = IntConstantDistribution(value=1)


def anchor_to_position(anchor: Anchor, width: int, height: int) -> tuple[int, int]:
    """Return the (column, row) of a corner of an area of `width` x `height` cells."""
    return (width - 1 if anchor.endswith("right") else 0, height - 1 if anchor.startswith("bottom") else 0)


class MazeConfig(SceneConfig):
    """The algorithm: `kruskal` gives many short dead ends, `dfs` long winding paths."""

    algorithm: Literal["kruskal", "dfs"] = "kruskal"
    room_size: IntDistribution = _ONE
    wall_size: IntDistribution = _ONE


class Maze(Scene[MazeConfig]):
    """Fills its area with a maze without an outer wall.

    Rooms that do not fit completely are cut off at the edge by `kruskal` and left as wall by `dfs`.
    """

    def render(self) -> None:
        room = max(1, self.config.room_size.sample(self.rng))
        wall = max(1, self.config.wall_size.sample(self.rng))
        step = room + wall
        if self.config.algorithm == "kruskal":
            rows, columns = -(-self.height // step), -(-self.width // step)
            doors = _kruskal(rows, columns, self.rng)
        else:
            rows, columns = (self.height + wall) // step, (self.width + wall) // step
            doors = _depth_first(rows, columns, self.rng)
        self.grid[:] = "wall"
        open_cells = np.zeros(self.grid.shape, dtype=bool)
        in_rows, in_columns = np.arange(self.height), np.arange(self.width)
        in_rows = (in_rows % step < room) & (in_rows < rows * step)
        in_columns = (in_columns % step < room) & (in_columns < columns * step)
        open_cells[np.ix_(in_rows, in_columns)] = True
        for (row, column), (next_row, next_column) in doors:
            open_cells[row * step : next_row * step + room, column * step : next_column * step + room] = True
        self.grid[open_cells] = "empty"


def _kruskal(rows: int, columns: int, rng: np.random.Generator) -> Iterator[tuple[_Room, _Room]]:
    """Yield doors in random order wherever they join two parts of the maze; the first room is the upper or left one."""
    doors = [((row, column), (row, column + 1)) for row in range(rows) for column in range(columns - 1)]
    doors += [((row, column), (row + 1, column)) for row in range(rows - 1) for column in range(columns)]
    parts = list(range(rows * columns))

    def part_of(room: _Room) -> int:
        number = room[0] * columns + room[1]
        while parts[number] != number:
            parts[number] = parts[parts[number]]
            number = parts[number]
        return number

    for index in rng.permutation(len(doors)):
        first, second = part_of(doors[index][0]), part_of(doors[index][1])
        if first != second:
            parts[second] = first
            yield doors[index]


def _depth_first(rows: int, columns: int, rng: np.random.Generator) -> Iterator[tuple[_Room, _Room]]:
    """Yield doors along a random walk to new rooms that backtracks where there are none."""
    if not rows or not columns:
        return
    path = [(int(rng.integers(rows)), int(rng.integers(columns)))]
    seen = {path[0]}
    while path:
        row, column = path[-1]
        around = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
        fresh = [room for room in around if 0 <= room[0] < rows and 0 <= room[1] < columns and room not in seen]
        if not fresh:
            path.pop()
            continue
        room = fresh[rng.integers(len(fresh))]
        seen.add(room)
        path.append(room)
        yield min((row, column), room), max((row, column), room)
