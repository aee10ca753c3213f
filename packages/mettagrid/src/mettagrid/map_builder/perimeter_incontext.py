"""A room with the agent in the middle, objects along the edge and optional obstacles between."""

from typing import TYPE_CHECKING

from pydantic import Field

from mettagrid.map_builder.map_builder import GameMap, MapBuilder, MapBuilderConfig, checked_seed, checked_size

if TYPE_CHECKING:
    from mettagrid.map_builder.utils import MapGrid

_NO_TERRAIN = "no-terrain"

# Share of the room, without the free lane along its edge, that obstacles should cover.
_COVERAGE = {_NO_TERRAIN: 0.0, "sparse": 0.15, "balanced": 0.3, "dense": 0.45}

_LANE = 2  # cells along the edge that stay free of obstacles

# Obstacles as the (row, column) offsets they cover.
_SHAPES: tuple[tuple[tuple[int, int], ...], ...] = (
    ((0, 0), (0, 1), (1, 0), (1, 1)),  # square
    ((0, 1), (1, 0), (1, 1), (1, 2), (2, 1)),  # cross
    ((0, 0), (1, 0), (1, 1)),  # L
)


class PerimeterInContextMapBuilderConfig(MapBuilderConfig["PerimeterInContextMapBuilder"]):
    """What to place around the agent. `density` is no-terrain, sparse, balanced or dense.

    `agents`, `chain_length`, `num_sinks` and `dir` only describe the task; the map has one agent.
    """

    seed: int | None = None
    width: int = 7
    height: int = 7
    objects: dict[str, int] = Field(default={})
    density: str = _NO_TERRAIN
    agents: int | dict[str, int] = 1
    border_width: int = 0
    border_object: str = "wall"
    chain_length: int = 2
    num_sinks: int = 0
    dir: str | None = None


class PerimeterInContextMapBuilder(MapBuilder[PerimeterInContextMapBuilderConfig]):
    """Builds such rooms, a different one with each `build`."""

    def __init__(self, config: PerimeterInContextMapBuilderConfig) -> None:
        import numpy as np  # configurations do not import numpy

        super().__init__(config)
        if config.density not in _COVERAGE:
            raise ValueError(f"density is {config.density!r}; it must be one of {', '.join(_COVERAGE)}.")
        self._rng = np.random.default_rng(checked_seed(config.seed))

    def build(self) -> GameMap:
        import numpy as np  # configurations do not import numpy

        from mettagrid.map_builder.utils import draw_border  # needs numpy

        config = self.config
        border = max(0, config.border_width)
        grid = np.full(checked_size(config.height, config.width), "empty", dtype="<U50")
        draw_border(grid, border, config.border_object)
        room = grid[border : config.height - border, border : config.width - border]
        self._place_objects(room)
        agent = (config.height // 2, config.width // 2)
        grid[agent] = "agent.agent"
        self._place_obstacles(room, (agent[0] - border, agent[1] - border))
        return GameMap(grid)

    def _place_objects(self, room: "MapGrid") -> None:
        import numpy as np  # configurations do not import numpy

        height, width = room.shape
        for name, count in self.config.objects.items():
            if count > self.config.height * self.config.width:
                raise ValueError(f"The map cannot hold {count} objects {name!r}; it has fewer cells.")
        names = np.array([name for name, count in self.config.objects.items() for _ in range(count)], dtype=room.dtype)
        self._rng.shuffle(names)
        edge = np.array(
            [
                (row, column)
                for row in range(height)
                for column in range(width)
                if (row in (0, height - 1)) != (column in (0, width - 1))  # an edge, but not a corner
            ]
        ).reshape(-1, 2)
        self._rng.shuffle(edge)
        for name, (row, column) in zip(names, edge, strict=False):
            room[row, column] = name

    def _place_obstacles(self, room: "MapGrid", agent: tuple[int, int]) -> None:
        """Draw random shapes until the share is reached, without enclosing the agent."""
        height, width = room.shape[0] - 2 * _LANE, room.shape[1] - 2 * _LANE
        goal = int(_COVERAGE[self.config.density] * max(0, height) * max(0, width))
        covered: set[tuple[int, int]] = set()
        for _ in range(10 * goal):
            if len(covered) >= goal:
                break
            shape = _SHAPES[int(self._rng.integers(len(_SHAPES)))]
            tall, wide = (1 + max(cell[axis] for cell in shape) for axis in (0, 1))
            if tall > height or wide > width:
                continue
            top = _LANE + int(self._rng.integers(height - tall + 1))
            left = _LANE + int(self._rng.integers(width - wide + 1))
            larger = covered | {(top + row, left + column) for row, column in shape}
            if agent not in larger and _reaches_edge(agent, larger, room.shape):
                covered = larger
        for row, column in covered:
            room[row, column] = "wall"


def _reaches_edge(start: tuple[int, int], walls: set[tuple[int, int]], shape: tuple[int, ...]) -> bool:
    """Return whether the edge of a room can be reached from `start` with orthogonal steps."""
    seen = {start}
    waiting = [start]
    while waiting:
        row, column = waiting.pop()
        if row in (0, shape[0] - 1) or column in (0, shape[1] - 1):
            return True
        for cell in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if cell not in seen and cell not in walls:
                seen.add(cell)
                waiting.append(cell)
    return False
