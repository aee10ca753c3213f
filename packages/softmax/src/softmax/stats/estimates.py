"""Estimates as documents: a number with the bounds that its sample supports.

    estimate_mean([3.1, 2.4, 2.9])                  # Student's t, for the mean of a few episodes
    bootstrap_estimate(rows, lambda rows: ...)      # for any other statistic of episodes

Episodes are independent; agents of one episode are not, so their mean counts as one value. Results depend on the values
alone: the bootstrap has a fixed seed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal, TypeVar

from pydantic import BaseModel

from softmax.stats.intervals import LEVEL, mean_interval

__all__ = ["Estimate", "bootstrap_estimate", "estimate_mean"]

Row = TypeVar("Row")

RESAMPLES = 2000
BOOTSTRAP_SEED = 20260101


class Estimate(BaseModel):
    """A mean, or another statistic, of `count` values with its confidence interval.

    A single value has no bounds: it says nothing about the spread.
    """

    mean: float | None
    low: float | None = None
    high: float | None = None
    standard_error: float | None = None
    count: int
    level: float = LEVEL
    method: Literal["student", "bootstrap"] = "student"


def estimate_mean(values: Sequence[float], *, level: float = LEVEL) -> Estimate:
    """Estimate the mean of independent values, with Student's interval."""
    count = len(values)
    mean = math.fsum(values) / count if count else None
    interval = mean_interval(values, level=level)
    if interval is None:
        return Estimate(mean=mean, count=count, level=level)
    return Estimate(
        mean=mean,
        low=interval.low,
        high=interval.high,
        standard_error=interval.standard_error,
        count=count,
        level=level,
    )


def bootstrap_estimate(
    rows: Sequence[Row], statistic: Callable[[Sequence[Row]], float | None], *, level: float = LEVEL
) -> Estimate:
    """Estimate a statistic of episodes, with the percentile interval of 2,000 resamples.

    Resamples for which `statistic` is None are skipped; if it is None for all of them, the estimate has no bounds.
    """
    import numpy as np

    value = statistic(rows)
    without_bounds = Estimate(mean=value, count=len(rows), level=level, method="bootstrap")
    if len(rows) < 2:
        return without_bounds
    generator = np.random.Generator(np.random.PCG64(BOOTSTRAP_SEED))
    draws = generator.integers(len(rows), size=(RESAMPLES, len(rows)))
    resampled = [statistic([rows[number] for number in draw]) for draw in draws.tolist()]
    numbers = np.array([number for number in resampled if number is not None])
    if not len(numbers):
        return without_bounds
    low, high = np.quantile(numbers, [0.5 - level / 2, 0.5 + level / 2]).tolist()
    error = float(numbers.std(ddof=1)) if len(numbers) > 1 else None
    return without_bounds.model_copy(update={"low": low, "high": high, "standard_error": error})
