"""Small square patterns of a drawing, the input of wave function collapse and convolution chains."""

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Symmetry = Literal["all", "horizontal", "none"]
"""Which rotated and mirrored copies of a pattern count too: all eight, the mirror image, or none."""

_WALL, _EMPTY = "#", "."
_LARGEST_TABLE = 5  # a table of all patterns of 6 x 6 cells would have 2**36 entries


class Pattern:
    """A square of `size` x `size` cells cut from `field` at column `x`, row `y`; `True` is wall.

    The field wraps around at its right and lower edge.
    """

    def __init__(self, field: np.ndarray, x: int, y: int, size: int) -> None:
        rows = np.arange(y, y + size) % field.shape[0]
        columns = np.arange(x, x + size) % field.shape[1]
        self.data: npt.NDArray[np.bool_] = np.asarray(field[np.ix_(rows, columns)], dtype=bool)

    @classmethod
    def of(cls, data: npt.NDArray[np.bool_]) -> "Pattern":
        """Return the pattern with exactly these cells."""
        return cls(data, 0, 0, len(data))

    def size(self) -> int:
        """Return the number of cells along one side."""
        return len(self.data)

    def rotated(self) -> "Pattern":
        """Return a copy, rotated clockwise by 90 degrees."""
        return Pattern.of(np.rot90(self.data, -1))

    def reflected(self) -> "Pattern":
        """Return a copy with left and right swapped."""
        return Pattern.of(np.fliplr(self.data))

    def variations(self, symmetry: Symmetry) -> list["Pattern"]:
        """Return this pattern and the copies that count with it."""
        if symmetry == "none":
            return [self]
        if symmetry == "horizontal":
            return [self, self.reflected()]
        copies: list[Pattern] = []
        turned = self
        for _ in range(4):
            copies += [turned, turned.reflected()]
            turned = turned.rotated()
        return copies

    def index(self) -> int:
        """Return the pattern as a number: one bit per cell, row by row, the first cell lowest."""
        return int.from_bytes(np.packbits(self.data.ravel(), bitorder="little").tobytes(), "little")

    def is_compatible(self, other: "Pattern", dx: int, dy: int) -> bool:
        """Return whether both agree where they overlap if `other` is offset by `dx` columns and `dy` rows."""
        size = self.size()
        if abs(dx) >= size or abs(dy) >= size:
            return True
        mine = self.data[max(0, dy) : size + min(0, dy), max(0, dx) : size + min(0, dx)]
        theirs = other.data[max(0, -dy) : size + min(0, -dy), max(0, -dx) : size + min(0, -dx)]
        return bool(np.array_equal(mine, theirs))


def parse_ascii_into_grid(ascii_source: str) -> np.ndarray[tuple[Any, ...], np.dtype[np.bool_]]:
    """Return a drawing of `#` and `.` as an array, `True` for `#`; raises `ValueError` for an invalid drawing."""
    lines = [line.strip() for line in ascii_source.strip().splitlines()]
    if not lines or not lines[0]:
        raise ValueError("The pattern is empty; draw it with '#' and '.'.")
    for number, line in enumerate(lines):
        if len(line) != len(lines[0]):
            raise ValueError(
                f"Line {number} of the pattern has {len(line)} characters and line 0 has {len(lines[0])}; "
                "all lines must have the same length."
            )
        unknown = sorted(set(line) - {_WALL, _EMPTY})
        if unknown:
            raise ValueError(
                f"Line {number} of the pattern has the character {unknown[0]!r}; it must be drawn with '#' and '.'."
            )
    return np.array([[char == _WALL for char in line] for line in lines], dtype=bool)


def ascii_to_patterns_with_counts(
    ascii_source: str, n: int, periodic: bool, symmetry: Symmetry
) -> list[tuple[Pattern, int]]:
    """Return the patterns of `n` x `n` cells in a drawing and their counts, in order of first occurrence.

    With `periodic` the drawing wraps around. Without it, a drawing smaller than a pattern has none.
    """
    if n < 1:
        raise ValueError(f"The pattern size is {n}; it must be at least 1.")
    seen: dict[int, Pattern] = {}
    counts: dict[int, int] = {}
    for pattern in _cut(parse_ascii_into_grid(ascii_source), n, periodic):
        for variation in pattern.variations(symmetry):
            index = variation.index()
            seen.setdefault(index, variation)
            counts[index] = counts.get(index, 0) + 1
    return [(pattern, counts[index]) for index, pattern in seen.items()]


def ascii_to_weights_of_all_patterns(
    source: str, n: int, periodic: bool, symmetry: Symmetry
) -> np.ndarray[tuple[Any, ...], np.dtype[np.float64]]:
    """Return how often each pattern of `n` x `n` cells occurs in a drawing, by `Pattern.index()`."""
    if n > _LARGEST_TABLE:
        raise ValueError(f"The pattern size is {n}; a table of all patterns is possible up to {_LARGEST_TABLE}.")
    weights = np.zeros(2 ** (n * n), dtype=np.float64)
    for pattern, count in ascii_to_patterns_with_counts(source, n, periodic, symmetry):
        weights[pattern.index()] = count
    return weights


def _cut(field: npt.NDArray[np.bool_], n: int, periodic: bool) -> Iterator[Pattern]:
    height, width = field.shape
    overhang = 0 if periodic else n - 1
    for y in range(height - overhang):
        for x in range(width - overhang):
            yield Pattern(field, x, y, n)
