"""Decide whether a change is an improvement: the 95 % interval of the mean of paired differences.

Both versions play the same boards in the same seats, so each pair differs in the version alone. A change is an
improvement when the whole interval lies above zero.
"""

from __future__ import annotations

from collections.abc import Sequence

from softmax.stats import Interval, mean_interval

__all__ = ["MIN_PAIRS", "paired_interval"]

MIN_PAIRS = 2


def paired_interval(differences: Sequence[float]) -> Interval:
    """Return the interval of the mean of new minus old; equal differences give an interval of zero width.

    Raises:
        ValueError: fewer than two pairs.
    """
    interval = mean_interval(differences)
    if interval is None:
        raise ValueError(f"an interval needs at least {MIN_PAIRS} pairs, not {len(differences)}")
    return interval
