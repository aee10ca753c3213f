"""Roughen the borders between rock and open ground."""

import numpy as np

from mettagrid.mapgen.types import MapGrid
from mettagrid.mapgen.utils.cells import around_any


def dither_edges(grid: MapGrid, prob: float, depth: int, rng: np.random.Generator) -> None:
    """Swap wall and empty near the borders between them, in place.

    Cells at a border and next to such cells change with probability `prob`; it falls to 0 over `depth` further cells.
    A frame of `depth` cells inside the edges of the grid does not change, and neither do other objects.
    """
    height, width = grid.shape
    if depth <= 0 or prob <= 0 or height <= 2 * depth or width <= 2 * depth:
        return
    wall = grid == "wall"
    near = around_any(wall) & around_any(~wall)
    chance = np.where(near, prob, 0.0)
    for step in range(depth):
        wider = around_any(near)
        chance[wider & ~near] = prob * (1 - step / depth)
        near = wider
    inner = (slice(depth, height - depth), slice(depth, width - depth))
    flip = rng.random(grid.shape)[inner] < chance[inner]
    cells, wall = grid[inner], wall[inner]
    empty = cells == "empty"
    cells[flip & wall] = "empty"
    cells[flip & empty] = "wall"
