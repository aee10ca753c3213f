"""Objects around the edge of a map."""

import numpy as np
from pydantic import Field

from mettagrid.mapgen.scene import Scene, SceneConfig


class PerimeterPlacementsConfig(SceneConfig):
    """Pairs of an object and its number; all are on the ring `offset` cells inside the edge."""

    placements: list[tuple[str, int]] = Field(default=[])
    offset: int = 2


class PerimeterPlacements(Scene[PerimeterPlacementsConfig]):
    """Puts the objects on random cells of the ring, replacing what is there. Objects that do not fit are skipped."""

    def render(self) -> None:
        offset = self.config.offset
        ring = np.zeros(self.grid.shape, dtype=bool)
        inside = ring[max(0, offset) : self.height - max(0, offset), max(0, offset) : self.width - max(0, offset)]
        if offset < 0 or inside.size == 0:
            raise ValueError(f"The ring {offset} cells inside an area of {self.width} x {self.height} cells is empty.")
        inside[[0, -1], :] = True
        inside[:, [0, -1]] = True
        places = np.argwhere(ring)
        self.rng.shuffle(places)
        names = [name for name, count in self.config.placements for _ in range(count)][: len(places)]
        for name, (y, x) in zip(names, places, strict=False):
            self.grid[y, x] = name
