"""The ragged outline of an asteroid."""

import numpy as np
from pydantic import Field

from mettagrid.mapgen.scene import Scene, SceneConfig
from mettagrid.mapgen.utils.cells import Mask


class AsteroidMaskConfig(SceneConfig):
    """Every `step` cells along each side, with `chunk_prob`, a triangle of wall points inwards. Its depth and half the
    width of its base are random."""

    step: int = Field(default=3, ge=1)
    depth_min: int = 2
    depth_max: int = 8
    width_min: int = 2
    width_max: int = 6
    chunk_prob: float = 0.6


class AsteroidMask(Scene[AsteroidMaskConfig]):
    """Bites triangles out of the map from all four sides."""

    def render(self) -> None:
        rock: Mask = np.zeros(self.grid.shape, dtype=bool)
        # Each side as the first row of a view.
        sides: list[tuple[Mask, Mask]] = [(rock, rock[::-1]), (rock.T, rock.T[::-1])]
        for first, second in sides:
            for position in range(0, first.shape[1], self.config.step):
                self._bite(first, position)
                self._bite(second, position)
        self.grid[rock] = "wall"

    def _bite(self, rock: Mask, position: int) -> None:
        config = self.config
        if self.rng.random() >= config.chunk_prob:
            return
        depth = int(self.rng.integers(config.depth_min, config.depth_max + 1))
        width = int(self.rng.integers(config.width_min, config.width_max + 1))
        for row in range(min(depth, len(rock))):
            half = round(width * (1 - row / depth))
            if half:
                rock[row, max(0, position - half) : position + half + 1] = True
