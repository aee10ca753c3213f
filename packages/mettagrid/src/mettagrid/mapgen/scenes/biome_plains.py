"""Plains: small rocks with branches, far apart."""

from collections.abc import Iterator

import numpy as np
from pydantic import Field

from mettagrid.mapgen.scene import Scene, SceneConfig
from mettagrid.mapgen.utils.cells import Mask

_STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))  # in this order neighbours are quarter turns
_ARMS = 2  # that start in the middle of a rock
_STUB = 0.55  # chance that a larger rock has a third arm of one step
_DENSITY = 0.9  # of an arm, before `cluster_fill`
_TURN = 0.14  # chance that an arm turns after its second cell, for each further one
_BRANCH = 0.26  # chance of a branch to a side, for each cell but the last
_GROW = 0.5  # chance that an arm of a larger rock continues from its end
_GENERATIONS = 2  # of branches


class BiomePlainsConfig(SceneConfig):
    """A lattice with a rock every `cluster_period` cells, there with `cluster_prob` and moved by up to `jitter`;
    those moved off the map are dropped.

    A rock of radius 0 is one cell; larger ones have arms of about that length, with `cluster_fill` of their cells.
    """

    cluster_period: int = Field(default=7, ge=1)
    cluster_min_radius: int = Field(default=0, ge=0)
    cluster_max_radius: int = Field(default=2, ge=0)
    cluster_fill: float = 0.7
    cluster_prob: float = 0.8
    jitter: int = Field(default=2, ge=0)


class BiomePlains(Scene[BiomePlainsConfig]):
    """Adds rocks as walls."""

    def render(self) -> None:
        config = self.config
        rows = range(0, self.height, config.cluster_period)
        columns = range(0, self.width, config.cluster_period)
        shape = (len(rows), len(columns))
        placed = self.rng.random(shape) < config.cluster_prob
        shift_x = self.rng.integers(-config.jitter, config.jitter + 1, shape).tolist()
        shift_y = self.rng.integers(-config.jitter, config.jitter + 1, shape).tolist()
        min_radius, max_radius = config.cluster_min_radius, max(config.cluster_min_radius, config.cluster_max_radius)
        radii = self.rng.integers(min_radius, max_radius + 1, shape).tolist()
        chance = _endless(self.rng)
        margin = 6 * (max_radius + 1)  # no arm reaches further, so growing needs no bounds checks
        rock = np.zeros((self.height + 2 * margin, self.width + 2 * margin), dtype=bool)
        for row, column in np.argwhere(placed).tolist():
            x, y = columns[column] + shift_x[row][column], rows[row] + shift_y[row][column]
            if not (0 <= x < self.width and 0 <= y < self.height):
                continue
            x, y = x + margin, y + margin
            if radii[row][column] == 0:
                rock[y, x] = True
            else:
                _grow(rock, x, y, radii[row][column], _DENSITY * config.cluster_fill, chance)
        self.grid[rock[margin : margin + self.height, margin : margin + self.width]] = "wall"


def _grow(rock: Mask, x: int, y: int, radius: int, density: float, chance: Iterator[float]) -> None:
    """Draw a rock: arms of `radius + 1` steps from the middle, with branches."""
    arms = [(x, y, int(next(chance) * 4), radius + 1, 0) for _ in range(_ARMS)]
    if radius > 1 and next(chance) < _STUB:
        arms.append((x, y, int(next(chance) * 4), 1, 0))
    while arms:
        x, y, direction, length, generation = arms.pop()
        may_branch = generation < _GENERATIONS
        for step in range(length + 1):
            if (step or not generation) and next(chance) < density:
                rock[y, x] = True
            if step == length:
                if may_branch and radius > 1 and next(chance) < _GROW:
                    onward = direction + (0, 1, 3)[int(next(chance) * 3)]
                    arms.append((x, y, onward % 4, 1 + int(next(chance) * (radius - 1)), generation + 1))
                break
            if may_branch and next(chance) < _BRANCH:
                aside = direction + (1 if next(chance) < 0.5 else 3)
                arms.append((x, y, aside % 4, 1 + int(next(chance) * radius), generation + 1))
            if step > 1 and next(chance) < _TURN:
                direction = (direction + (1 if next(chance) < 0.5 else 3)) % 4
            x += _STEPS[direction][0]
            y += _STEPS[direction][1]


def _endless(rng: np.random.Generator) -> Iterator[float]:
    """Yield random numbers between 0 and 1, drawn many at a time."""
    while True:
        yield from rng.random(1024).tolist()
