"""Connected parts of a grid."""

import numpy as np
import numpy.typing as npt

_Mask = npt.NDArray[np.bool_]


def reachable_from(start: _Mask, free: _Mask) -> _Mask:
    """Return all cells that can be reached from the start cells over free ones, in steps to the four sides."""
    reached = start & free
    frontier = np.flatnonzero(reached)
    height, width = free.shape
    flat_free, flat_reached = free.ravel(), reached.ravel()
    while len(frontier):
        columns = frontier % width
        steps = np.concatenate(
            [
                frontier[frontier >= width] - width,
                frontier[frontier < (height - 1) * width] + width,
                frontier[columns > 0] - 1,
                frontier[columns < width - 1] + 1,
            ]
        )
        frontier = np.unique(steps[flat_free[steps] & ~flat_reached[steps]])
        flat_reached[frontier] = True
    return flat_reached.reshape(free.shape)


def largest_component(free: _Mask) -> _Mask:
    """Return the largest connected part of the free cells; the first one of several."""
    rest, best = free.copy(), np.zeros_like(free)
    while rest.sum() > best.sum():
        start = np.zeros_like(free)
        start.flat[int(rest.argmax())] = True
        part = reachable_from(start, rest)
        if part.sum() > best.sum():
            best = part
        rest &= ~part
    return best
