"""Compute with the neighbours of all cells at once."""

from typing import Any

import numpy as np

Mask = np.ndarray[tuple[Any, ...], np.dtype[np.bool_]]
Counts = np.ndarray[tuple[Any, ...], np.dtype[np.int8]]


def around_any(cells: Mask) -> Mask:
    """Return the cells that are set or have one of their eight neighbours set."""
    rows = cells.copy()
    rows[1:] |= cells[:-1]
    rows[:-1] |= cells[1:]
    result = rows.copy()
    result[:, 1:] |= rows[:, :-1]
    result[:, :-1] |= rows[:, 1:]
    return result


def count_neighbours(cells: Mask, outside: bool = False) -> Counts:
    """Return how many of the eight neighbours of each cell are set; beyond the edge they are `outside`."""
    padded = np.pad(cells, 1, constant_values=outside).astype(np.int8)
    rows = padded[:-2] + padded[1:-1] + padded[2:]
    return rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:] - padded[1:-1, 1:-1]
