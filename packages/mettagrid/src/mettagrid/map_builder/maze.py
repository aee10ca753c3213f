"""Mazes: every cell of a lattice is reachable in exactly one way."""

import random
from abc import ABC, abstractmethod
from collections.abc import Iterator

from mettagrid.map_builder.map_builder import GameMap, MapBuilder, MapBuilderConfig, checked_size

_SMALLEST = 3  # a room with walls around it
_Cell = tuple[int, int]  # (column, row); the rooms of a maze have odd coordinates


class MazeConfigMapBuilderConfig(MapBuilderConfig["MazePrimMapBuilder"]):
    """Size and ends of a maze; positions are (column, row). `branching` is read and has no effect."""

    width: int
    height: int
    start_pos: tuple[int, int]
    end_pos: tuple[int, int]
    branching: float = 0.0
    seed: int | None = None


class _Maze:
    """A maze being drawn: all walls at first."""

    def __init__(self, width: int, height: int) -> None:
        from mettagrid.map_builder.utils import create_grid  # needs numpy

        self.width, self.height = width, height
        self.grid = create_grid(height, width, "wall")

    def is_wall(self, cell: _Cell) -> bool:
        return bool(self.grid[cell[1], cell[0]] == "wall")

    def open(self, cell: _Cell) -> None:
        self.grid[cell[1], cell[0]] = "empty"

    def neighbours(self, cell: _Cell) -> Iterator[tuple[_Cell, _Cell]]:
        """Yield the rooms two cells away, each with the wall between."""
        x, y = cell
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            room = (x + 2 * dx, y + 2 * dy)
            if 0 < room[0] < self.width and 0 < room[1] < self.height:
                yield room, (x + dx, y + dy)


class _DrawsMaze(ABC):
    """Draws a maze of odd size: an even width or height loses a column or a row.

    Both ends move to the nearest room. If they share one, the hub is there and the map has no agent.
    """

    def __init__(self, config: MazeConfigMapBuilderConfig) -> None:
        from mettagrid.map_builder.utils import set_position  # needs numpy

        self.config = config
        self._width = config.width - (1 - config.width % 2)
        self._height = config.height - (1 - config.height % 2)
        if min(self._width, self._height) < _SMALLEST:
            raise ValueError(
                f"A maze of {config.width} x {config.height} cells has no room; both must be at least {_SMALLEST}."
            )
        checked_size(self._height, self._width)
        (start_x, start_y), (end_x, end_y) = config.start_pos, config.end_pos
        self._start_pos = set_position(start_x, self._width), set_position(start_y, self._height)
        self._end_pos = set_position(end_x, self._width), set_position(end_y, self._height)

    def build(self) -> GameMap:
        maze = _Maze(self._width, self._height)
        self._open_paths(maze, random.Random(self.config.seed))
        (start_x, start_y), (end_x, end_y) = self._start_pos, self._end_pos
        maze.grid[start_y, start_x] = "agent.agent"
        maze.grid[end_y, end_x] = "hub"
        return GameMap(maze.grid)

    @abstractmethod
    def _open_paths(self, maze: _Maze, rng: random.Random) -> None:
        """Open rooms and walls until each room is reachable."""


class MazePrimMapBuilder(_DrawsMaze, MapBuilder[MazeConfigMapBuilderConfig]):
    """Grows the maze from the start, always through a random wall at its edge (Prim's algorithm)."""

    def _open_paths(self, maze: _Maze, rng: random.Random) -> None:
        maze.open(self._start_pos)
        edge = list(maze.neighbours(self._start_pos))
        while edge:
            room, wall = edge.pop(rng.randrange(len(edge)))
            if maze.is_wall(room):
                maze.open(wall)
                maze.open(room)
                edge.extend(step for step in maze.neighbours(room) if maze.is_wall(step[0]))


class MazeKruskalMapBuilder(_DrawsMaze, MapBuilder[MazeConfigMapBuilderConfig]):
    """Opens walls in random order wherever they separate two parts (Kruskal's algorithm)."""

    def _open_paths(self, maze: _Maze, rng: random.Random) -> None:
        rooms = [(x, y) for y in range(1, maze.height, 2) for x in range(1, maze.width, 2)]
        walls = [
            (room, other, wall)
            for room in rooms
            for other, wall in maze.neighbours(room)
            if other > room  # each wall once: to the right and below
        ]
        rng.shuffle(walls)
        part = {room: room for room in rooms}
        for room in rooms:
            maze.open(room)
        for room, other, wall in walls:
            first, second = _part_of(part, room), _part_of(part, other)
            if first != second:
                part[second] = first
                maze.open(wall)


def _part_of(part: dict[_Cell, _Cell], room: _Cell) -> _Cell:
    """Return the representative of the connected part with this room, with path compression."""
    while part[room] != room:
        part[room] = part[part[room]]
        room = part[room]
    return room
