"""Desert: parallel dunes."""

import math

import numpy as np
from pydantic import Field

from mettagrid.mapgen.scene import Scene, SceneConfig
from mettagrid.mapgen.scenes.dither import dither_edges


class BiomeDesertConfig(SceneConfig):
    """Dunes of `ridge_width` every `dune_period` cells along `angle` (radians); `noise_prob` of their cells is open."""

    dune_period: int = Field(default=8, ge=1)
    ridge_width: int = 1
    angle: float = math.pi / 4
    noise_prob: float = 0.1
    dither_edges: bool = True
    dither_prob: float = 0.15
    dither_depth: int = 5


class BiomeDesert(Scene[BiomeDesertConfig]):
    """Adds dunes as walls."""

    def render(self) -> None:
        config = self.config
        rows, columns = np.mgrid[: self.height, : self.width]
        along = columns * math.cos(config.angle) + rows * math.sin(config.angle)
        dunes = along % config.dune_period < config.ridge_width
        self.grid[dunes & (self.rng.random(self.grid.shape) >= config.noise_prob)] = "wall"
        if config.dither_edges:
            dither_edges(self.grid, config.dither_prob, config.dither_depth, self.rng)
