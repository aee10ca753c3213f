"""Helpers for drawing maps."""

from typing import Any

import numpy as np

MapGrid = np.ndarray[tuple[Any, ...], np.dtype[np.str_]]
"""A two-dimensional array of cell names."""

map_grid_dtype = np.dtype("<U20")


def create_grid(height: int, width: int, fill_value: str = "empty") -> MapGrid:
    """Return a grid with the same name in every cell."""
    return np.full((height, width), fill_value, dtype=map_grid_dtype)


def draw_border(grid: MapGrid, border_width: int, border_object: str) -> None:
    """Draw a frame of that many cells inside the edges of the grid; a width of 0 draws nothing."""
    if border_width <= 0:
        return
    grid[:border_width, :] = border_object
    grid[-border_width:, :] = border_object
    grid[:, :border_width] = border_object
    grid[:, -border_width:] = border_object


def make_odd(x: int) -> int:
    """Return `x` if it is odd, else the next number."""
    return x if x % 2 == 1 else x + 1


def set_position(x: int, upper_bound: int) -> int:
    """Return the odd coordinate at or after `x`, limited to `upper_bound`; 1 for negative ones."""
    odd = make_odd(x)
    if odd >= upper_bound:
        return upper_bound - 2
    return 1 if odd < 0 else odd


def compute_positions(start: int, end: int, blocks: list[tuple[str, int]]) -> dict[str, int]:
    """Return the start of each named block so that they fill `start` to `end` with even gaps, larger ones first."""
    gaps = max(len(blocks) - 1, 1)
    gap, spare = divmod(end - start - sum(length for _, length in blocks), gaps)
    positions = {}
    here = start
    for number, (name, length) in enumerate(blocks):
        positions[name] = here
        here += length + gap + (1 if number < spare else 0)
    return positions


def sample_position(
    x_min: int,
    x_max: int,
    y_min: int,
    y_max: int,
    min_distance: int,
    existing: list[tuple[int, int]],
    forbidden: set[tuple[int, int]] | None = None,
    rng: np.random.Generator | None = None,
    attempts: int = 100,
) -> tuple[int, int]:
    """Return a random cell, bounds included, at least `min_distance` (Manhattan) from all existing ones.

    After `attempts` failed tries it returns the corner `(x_min, y_min)`.
    """
    generator = np.random.default_rng() if rng is None else rng
    for _ in range(attempts):
        x = int(generator.integers(x_min, x_max + 1))
        y = int(generator.integers(y_min, y_max + 1))
        if forbidden and (x, y) in forbidden:
            continue
        if all(abs(x - other_x) + abs(y - other_y) >= min_distance for other_x, other_y in existing):
            return x, y
    return x_min, y_min
