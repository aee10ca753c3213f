"""Obstacles of several kinds with objects and agents between them."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mettagrid.mapgen.scene import Scene, SceneConfig
from mettagrid.mapgen.scenes._placing import agent_names, object_names, shuffled_to_fit
from mettagrid.mapgen.utils.components import largest_component

_Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class _Style:
    """How many obstacles there are on 1000 cells; scattered ones are single walls."""

    rocks: float
    crosses: float
    blocks: float
    scattered: float
    labyrinths: float


_STYLES = {
    "all-sparse": _Style(rocks=2, crosses=1, blocks=1, scattered=4, labyrinths=0.2),
    "balanced": _Style(rocks=6, crosses=3, blocks=3, scattered=10, labyrinths=1),
    "dense": _Style(rocks=15, crosses=6, blocks=6, scattered=25, labyrinths=1.5),
    "maze": _Style(rocks=0, crosses=0, blocks=0, scattered=0, labyrinths=5),
}


class VariedTerrainConfig(SceneConfig):
    """What to place, and how the terrain is: `all-sparse`, `balanced`, `dense` or `maze`."""

    objects: dict[str, int]
    agents: int = 1
    style: str = "balanced"


class VariedTerrain(Scene[VariedTerrainConfig]):
    """Draws obstacles that do not touch, then places objects and agents where all can reach one another.

    Objects that do not fit are skipped.
    """

    def post_init(self) -> None:
        if self.config.style not in _STYLES:
            raise ValueError(f"Unknown style: {self.config.style!r}. Available styles: {list(_STYLES)}")
        self._style = _STYLES[self.config.style]

    def render(self) -> None:
        self.grid[:] = "empty"
        self._occupied = np.zeros((self.height, self.width), dtype=bool)
        for _ in range(self._count(self._style.labyrinths)):
            self._place(_labyrinth(self.rng))
        for _ in range(self._count(self._style.rocks)):
            self._place(_rock(self.rng))
        for _ in range(self._count(self._style.crosses)):
            self._place(_cross(self.rng))
        for _ in range(self._count(self._style.blocks)):
            self._place(np.ones(self.rng.integers(2, 6, size=2), dtype=bool))
        for _ in range(self._count(self._style.scattered)):
            self._place(np.ones((1, 1), dtype=bool))
        self._place_symbols()

    def _count(self, per_1000: float) -> int:
        """Return the number of obstacles on this area; the fractional part is the chance of one more."""
        return int(per_1000 * self.width * self.height / 1000 + self.rng.random())

    def _place(self, shape: _Mask) -> None:
        """Draw a shape at a random place with a free ring around it, if there is one."""
        height, width = shape.shape[0] + 2, shape.shape[1] + 2
        if height > self.height or width > self.width:
            return
        sums = np.pad(self._occupied.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))
        occupied_cells = (
            sums[height:, width:] - sums[:-height, width:] - sums[height:, :-width] + sums[:-height, :-width]
        )
        free = np.argwhere(occupied_cells == 0)
        if not len(free):
            return
        row, column = free[self.rng.integers(len(free))] + 1
        place = np.s_[row : row + shape.shape[0], column : column + shape.shape[1]]
        self.grid[place][shape] = "wall"
        self._occupied[place] = True

    def _place_symbols(self) -> None:
        open_cells = np.argwhere(largest_component(self.grid == "empty"))
        objects, agents = object_names(self.config.objects), agent_names(self.config.agents)
        symbols = shuffled_to_fit(objects, agents, len(open_cells), self.rng)
        for cell, symbol in zip(self.rng.permutation(len(open_cells)), symbols, strict=False):
            self.grid[tuple(open_cells[cell])] = symbol


def _rock(rng: np.random.Generator) -> _Mask:
    """Return 3 to 12 connected cells."""
    cells = {(0, 0)}
    for _ in range(int(rng.integers(2, 12))):
        edge = sorted({(y + dy, x + dx) for y, x in cells for dy, dx in ((0, 1), (1, 0), (0, -1), (-1, 0))} - cells)
        cells.add(edge[int(rng.integers(len(edge)))])
    places = np.array(sorted(cells))
    places -= places.min(axis=0)
    shape = np.zeros(places.max(axis=0) + 1, dtype=bool)
    shape[places[:, 0], places[:, 1]] = True
    return shape


def _cross(rng: np.random.Generator) -> _Mask:
    height, width = (int(number) for number in rng.integers(1, 5, size=2) * 2 + 1)
    shape = np.zeros((height, width), dtype=bool)
    shape[height // 2, :] = True
    shape[:, width // 2] = True
    return shape


def _labyrinth(rng: np.random.Generator) -> _Mask:
    """Return a maze with a wall around it, two openings and a few walls missing."""
    rows, columns = (int(number) for number in rng.integers(3, 8, size=2))
    walls = np.ones((2 * rows + 1, 2 * columns + 1), dtype=bool)
    walls[1::2, 1::2] = False
    seen, path = {(0, 0)}, [(0, 0)]
    while path:
        y, x = path[-1]
        steps = [
            (y + dy, x + dx)
            for dy, dx in ((0, 1), (1, 0), (0, -1), (-1, 0))
            if 0 <= y + dy < rows and 0 <= x + dx < columns and (y + dy, x + dx) not in seen
        ]
        if not steps:
            path.pop()
            continue
        step = steps[int(rng.integers(len(steps)))]
        walls[y + step[0] + 1, x + step[1] + 1] = False
        seen.add(step)
        path.append(step)
    walls[1:-1, 1:-1] &= rng.random((2 * rows - 1, 2 * columns - 1)) >= 0.05
    walls[2 * int(rng.integers(rows)) + 1, 0] = False
    walls[2 * int(rng.integers(rows)) + 1, -1] = False
    return walls
