"""Convolution chains: change noise cell by cell until its small squares occur as often as in an example.

A Markov chain: a random cell is flipped with a probability that compares how common the squares around it are after
and before. Squares that the example does not have are rare rather than impossible, so a chain never gets stuck. The
grid has no edges here: it wraps around.
"""

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from mettagrid.mapgen.utils.pattern import Pattern, Symmetry, ascii_to_patterns_with_counts

_UNSEEN = 0.1  # the weight of a square that the example does not have; one seen once has 1


class Chain:
    """A model learned from an example of two kinds of cells."""

    def __init__(self, source: str, size: int, periodic: bool, symmetry: Symmetry) -> None:
        patterns = ascii_to_patterns_with_counts(source, size, periodic, symmetry)
        self.size = size
        self._weights = {pattern.index(): math.log(count) for pattern, count in patterns}

    def weight(self, index: int) -> float:
        """Log-frequency of the square with that `Pattern.index()`."""
        return self._weights.get(index, math.log(_UNSEEN))

    def run(
        self, height: int, width: int, iterations: int, temperature: float, rng: np.random.Generator
    ) -> npt.NDArray[np.bool_]:
        """Return a grid after `iterations` flips per cell, `True` for wall. Higher temperatures leave more noise."""
        if min(height, width) < self.size:  # a square may contain a cell twice
            return self.run_slowly(height, width, iterations, temperature, rng)
        field = rng.random((height, width)) < 0.5
        indices = self._all_indices(field)
        bits = [1 << position for position in range(self.size * self.size)]
        for cell, threshold in _flips(field.size * iterations, field.size, temperature, rng):
            places = self._squares_with(cell, height, width)
            gain = 0.0
            for place, bit in zip(places, bits, strict=True):
                gain += self.weight(indices[place] ^ bit) - self.weight(indices[place])
            if gain > threshold:
                field.flat[cell] ^= True
                for place, bit in zip(places, bits, strict=True):
                    indices[place] ^= bit
        return field

    def run_slowly(
        self, height: int, width: int, iterations: int, temperature: float, rng: np.random.Generator
    ) -> npt.NDArray[np.bool_]:
        """Return the same grid as `run`, recomputing every square for every flip."""
        field = rng.random((height, width)) < 0.5
        if not field.size:
            return field
        for cell, threshold in _flips(field.size * iterations, field.size, temperature, rng):
            places = self._squares_with(cell, height, width)
            flipped = field.copy()
            flipped.flat[cell] ^= True
            gain = 0.0
            for place in places:
                y, x = divmod(place, width)
                before, after = (Pattern(grid, x, y, self.size).index() for grid in (field, flipped))
                gain += self.weight(after) - self.weight(before)
            if gain > threshold:
                field = flipped
        return field

    def _all_indices(self, field: npt.NDArray[np.bool_]) -> list[int]:
        """Return the index of the square that starts at each cell, row by row."""
        height, width = field.shape
        return [Pattern(field, x, y, self.size).index() for y in range(height) for x in range(width)]

    def _squares_with(self, cell: int, height: int, width: int) -> list[int]:
        """Return the squares that contain the cell, in the order of its position in them."""
        y, x = divmod(cell, width)
        steps = range(self.size)
        return [(y - down) % height * width + (x - right) % width for down in steps for right in steps]


def _flips(count: int, cells: int, temperature: float, rng: np.random.Generator) -> Iterator[tuple[int, float]]:
    """Return the cells to try and the gain that each must exceed."""
    places = rng.integers(cells, size=count)
    with np.errstate(divide="ignore"):
        thresholds = np.log(rng.random(count)) * temperature
    return zip(places.tolist(), thresholds.tolist(), strict=True)
