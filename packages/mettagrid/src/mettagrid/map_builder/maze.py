"""Mazes: every cell of a lattice is reachable in exactly one way."""

import random
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
    """A maze being drawn: all walls at first. Even sizes lose a column or a row."""

    def __init__(self, config: MazeConfigMapBuilderConfig) -> None:
        from mettagrid.map_builder.utils import create_grid, set_position  # needs numpy

        self.width = config.width - (1 - config.width % 2)
        self.height = config.height - (1 - config.height % 2)
        if self.height < _SMALLEST or self.width < _SMALLEST:
            raise ValueError(
                f"A maze of {config.width} x {config.height} cells has no room; both must be at least {_SMALLEST}."
            )
        checked_size(self.height, self.width)
        self.start = set_position(config.start_pos[0], self.width), set_position(config.start_pos[1], self.height)
        self.end = set_position(config.end_pos[0], self.width), set_position(config.end_pos[1], self.height)
        self.grid = create_grid(self.height, self.width, "wall")

    def is_wall(self, cell: _Cell) -> bool:
        return bool(self.grid[cell[1], cell[0]] == "wall")

    def open(self, cell: _Cell) -> None:
        self.grid[cell[1], cell[0]] = "empty"

    def neighbours(self, cell: _Cell) -> Iterator[tuple[_Cell, _Cell]]:
        """The rooms two cells away, each with the wall between."""
        x, y = cell
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            room = (x + 2 * dx, y + 2 * dy)
            if 0 < room[0] < self.width and 0 < room[1] < self.height:
                yield room, (x + dx, y + dy)

    def finished(self) -> GameMap:
        self.grid[self.start[1], self.start[0]] = "agent.agent"
        self.grid[self.end[1], self.end[0]] = "hub"
        return GameMap(self.grid)


class MazePrimMapBuilder(MapBuilder[MazeConfigMapBuilderConfig]):
    """Grows the maze from the start, always through a random wall at its edge (Prim's algorithm)."""

    def build(self) -> GameMap:
        rng = random.Random(self.config.seed)
        maze = _Maze(self.config)
        maze.open(maze.start)
        edge = list(maze.neighbours(maze.start))
        while edge:
            room, wall = edge.pop(rng.randrange(len(edge)))
            if maze.is_wall(room):
                maze.open(wall)
                maze.open(room)
                edge.extend(step for step in maze.neighbours(room) if maze.is_wall(step[0]))
        return maze.finished()


class MazeKruskalMapBuilder(MapBuilder[MazeConfigMapBuilderConfig]):
    """Opens walls in random order wherever they separate two parts (Kruskal's algorithm)."""

    def build(self) -> GameMap:
        rng = random.Random(self.config.seed)
        maze = _Maze(self.config)
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
        return maze.finished()


def _part_of(part: dict[_Cell, _Cell], room: _Cell) -> _Cell:
    """The representative of the connected part with this room, shortening the way to it."""
    while part[room] != room:
        part[room] = part[part[room]]
        room = part[room]
    return room
