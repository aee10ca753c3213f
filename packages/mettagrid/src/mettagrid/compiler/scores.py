"""Compute the scores of territory claims in advance, so that the engine needs no roots."""

from math import isqrt

from mettagrid.compiler.context import Context

UNIT = 1024
MAX_REACH = 64
MAX_STRENGTH = 2**20


def add_scores(c: Context, strength: int, decay: int) -> int:
    """Append the scores of a claim to `lists`, once per kind; return where they begin, or -1 if it has none.

    They are a row for each distance in rows, 0 to the reach, with an entry for each distance in columns, from minus the
    reach to the reach. Beyond the limits the engine computes them.
    """
    if strength > MAX_STRENGTH or strength // decay > MAX_REACH:
        return -1
    if (strength, decay) not in c.scores:
        c.scores[strength, decay] = c.tables.add_list(_scores(strength, decay))[0]
    return c.scores[strength, decay]


def _scores(strength: int, decay: int) -> list[int]:
    reach = strength // decay
    squares = (rows * rows + cols * cols for rows in range(reach + 1) for cols in range(-reach, reach + 1))
    return [
        max(0, strength * UNIT - decay * isqrt(square * UNIT * UNIT)) if square <= reach * reach else 0
        for square in squares
    ]
