"""Number the connected parts of a grid, without loops over single cells."""

from typing import Any

import numpy as np

from mettagrid.mapgen.utils.cells import Mask

Labels = np.ndarray[tuple[Any, ...], np.dtype[np.intp]]


def label_parts(free: Mask) -> tuple[Labels, list[int]]:
    """Return the number of the connected part (steps to the four sides) of each free cell, and the size of each part.

    Parts are numbered from 1 in reading order; 0 is a cell that is not free and has the size 0.
    """
    height, width = free.shape
    # Runs of free cells in rows: a cell starts a run when its left neighbour is not free.
    starts = free.copy()
    starts[:, 1:] &= ~free[:, :-1]
    run_of = np.cumsum(starts.ravel(), dtype=np.intp).reshape(height, width) * free
    parent = list(range(int(starts.sum()) + 1))

    def root(run: int) -> int:
        while parent[run] != run:
            parent[run] = parent[parent[run]]
            run = parent[run]
        return run

    touching = free[1:] & free[:-1]
    pairs = run_of[:-1][touching] * (len(parent) + 1) + run_of[1:][touching]
    for pair in sorted(set(pairs.tolist())):  # np.unique would import all of numpy.ma at startup
        above, below = root(pair // (len(parent) + 1)), root(pair % (len(parent) + 1))
        if above != below:
            parent[max(above, below)] = min(above, below)
    roots = np.array([root(run) for run in range(len(parent))], dtype=np.intp)
    numbers = np.cumsum(roots == np.arange(len(parent))) - 1
    labels: Labels = numbers[roots][run_of]
    sizes = np.bincount(labels.ravel(), minlength=int(numbers[-1]) + 1)
    sizes[0] = 0
    return labels, sizes.tolist()
