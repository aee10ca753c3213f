"""Caves: a cellular automaton."""

import numpy as np

from mettagrid.mapgen.scene import Scene, SceneConfig
from mettagrid.mapgen.scenes.dither import dither_edges
from mettagrid.mapgen.utils.cells import count_neighbours


class BiomeCavesConfig(SceneConfig):
    """Each cell is rock with `fill_prob`. In each of `steps` an open cell with more than `birth_limit` rocks around it
    becomes rock, and rock with fewer than `death_limit` becomes open. Beyond the edge all is rock."""

    fill_prob: float = 0.4
    steps: int = 3
    birth_limit: int = 5
    death_limit: int = 3
    dither_edges: bool = True
    dither_prob: float = 0.15
    dither_depth: int = 5


class BiomeCaves(Scene[BiomeCavesConfig]):
    """Adds rock as walls."""

    def render(self) -> None:
        config = self.config
        rock = self.rng.random(self.grid.shape) < config.fill_prob
        for _ in range(config.steps):
            count = count_neighbours(rock, outside=True)
            rock = np.where(rock, count >= config.death_limit, count > config.birth_limit)
        self.grid[rock] = "wall"
        if config.dither_edges:
            dither_edges(self.grid, config.dither_prob, config.dither_depth, self.rng)
