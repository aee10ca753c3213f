"""Straight ways from the centre."""

import math

import numpy as np
from pydantic import Field

from mettagrid.mapgen.scene import Scene, SceneConfig
from mettagrid.mapgen.utils.cells import around_any
from mettagrid.mapgen.utils.draw import bresenham_line


class RadialMazeConfig(SceneConfig):
    """How many arms, how wide and how long; without a length they nearly reach the nearest side."""

    arms: int = Field(default=4, ge=4, le=12)
    arm_width: int = Field(default=4, ge=1)
    arm_length: int | None = None
    clear_background: bool = Field(default=True, description="Fill the area with walls first.")
    outline_walls: bool = Field(default=True, description="Put walls along the arms.")


class RadialMaze(Scene[RadialMazeConfig]):
    """Clears arms that go from the centre in evenly spread directions. Arms have an even width, rounded up."""

    def render(self) -> None:
        config = self.config
        if config.clear_background:
            self.grid[:] = "wall"
        length = min(self.width, self.height) // 2 - 1 if config.arm_length is None else config.arm_length
        half = (config.arm_width + 1) // 2
        x, y = self.width // 2, self.height // 2
        arms = np.zeros(self.grid.shape, dtype=bool)
        for arm in range(config.arms):
            angle = 2 * math.pi * arm / config.arms
            end_x, end_y = round(x + length * math.cos(angle)), round(y + length * math.sin(angle))
            for column, row in bresenham_line(x, y, end_x, end_y):
                arms[max(0, row - half) : max(0, row + half), max(0, column - half) : max(0, column + half)] = True
        if config.outline_walls:
            self.grid[around_any(arms) & ~arms] = "wall"
        self.grid[arms] = "empty"
