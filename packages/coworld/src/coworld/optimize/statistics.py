"""Whether a change is an improvement: the 95 % interval of the mean of paired differences.

Both versions play the same boards in the same seats, so each pair differs in the version alone. The interval is
Student's; a change is an improvement when all of it lies above zero.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

# 97.5 % quantiles of Student's distribution for 1 to 30 degrees of freedom.
_QUANTILES = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip
_NORMAL = 1.959964
FEWEST_PAIRS = 2


@dataclass(frozen=True)
class Interval:
    """The mean difference and its 95 % interval."""

    pairs: int
    mean: float
    low: float
    high: float

    @property
    def above_zero(self) -> bool:
        return self.low > 0


def paired_interval(differences: Sequence[float]) -> Interval:
    """The interval of new minus old. Equal differences give an interval without width.

    Raises:
        ValueError: fewer than two pairs.
    """
    count = len(differences)
    if count < FEWEST_PAIRS:
        raise ValueError(f"an interval needs at least {FEWEST_PAIRS} pairs, not {count}")
    mean = fmean(differences)
    half = quantile(count - 1) * stdev(differences) / math.sqrt(count)
    return Interval(count, mean, mean - half, mean + half)


def quantile(freedom: int) -> float:
    """The 97.5 % quantile of Student's distribution, to three places."""
    if freedom <= len(_QUANTILES):
        return _QUANTILES[freedom - 1]
    z = _NORMAL
    # Cornish and Fisher: exact to 0.0005 above 30 degrees of freedom.
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
