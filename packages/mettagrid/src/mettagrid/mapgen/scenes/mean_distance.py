"""One agent with objects around it."""

import math

import numpy as np

from mettagrid.mapgen.scene import Scene, SceneConfig
from mettagrid.mapgen.scenes._placing import object_names

_TRIES = 100


class MeanDistanceConfig(SceneConfig):
    """The objects and how far from the agent they are on average."""

    mean_distance: float
    objects: dict[str, int]


class MeanDistance(Scene[MeanDistanceConfig]):
    """Puts an agent in the middle and each object in a random direction, at a distance with the given mean.

    Distances are Poisson numbers. An object for which no free cell is found goes to the free cell whose distance is
    nearest to the mean.
    """

    def render(self) -> None:
        mean = self.config.mean_distance
        if not 0 <= mean < math.inf:
            raise ValueError(f"The mean distance is {mean}; it must be a number of 0 or more.")
        center = self.height // 2, self.width // 2
        self.grid[center] = "agent.agent"
        for name in object_names(self.config.objects):
            self.grid[self._place(center, mean)] = name

    def _place(self, center: tuple[int, int], mean: float) -> tuple[int, int]:
        for _ in range(_TRIES):
            distance, angle = max(1, self.rng.poisson(mean)), self.rng.uniform(0, 2 * math.pi)
            row = center[0] + round(distance * math.sin(angle))
            column = center[1] + round(distance * math.cos(angle))
            if 0 <= row < self.height and 0 <= column < self.width and self.grid[row, column] == "empty":
                return row, column
        free = np.argwhere(self.grid == "empty")
        if not len(free):
            raise ValueError(
                f"The scene has {self.width} x {self.height} cells; {sum(self.config.objects.values())} objects and "
                "an agent do not fit."
            )
        off = np.abs(np.hypot(free[:, 0] - center[0], free[:, 1] - center[1]) - mean)
        row, column = free[int(off.argmin())].tolist()
        return row, column
