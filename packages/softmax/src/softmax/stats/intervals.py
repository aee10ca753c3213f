"""Confidence intervals of means and of differences between means."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from softmax.stats.student import t_quantile

__all__ = ["LEVEL", "Interval", "VariancePart", "difference_interval", "mean_interval", "welch_interval"]

LEVEL = 0.95
"""confidence level of every interval unless the caller says otherwise"""


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval of an estimate."""

    low: float
    high: float
    standard_error: float
    degrees: float
    """degrees of freedom of Student's t"""
    level: float = LEVEL

    @property
    def above_zero(self) -> bool:
        """Return whether the whole interval lies above zero."""
        return self.low > 0


@dataclass(frozen=True, slots=True)
class VariancePart:
    """An independent part of an estimate's variance, with the degrees of freedom of its own estimate."""

    variance: float
    degrees: float


def mean_interval(values: Sequence[float], *, level: float = LEVEL) -> Interval | None:
    """Return the interval of the mean of independent values; None for fewer than two values.

    Equal values give an interval of zero width.
    """
    part = _variance_of_mean(values)
    if part is None:
        return None
    mean = math.fsum(values) / len(values)
    return _student(mean, part.variance, part.degrees, level)


def difference_interval(first: Sequence[float], second: Sequence[float], *, level: float = LEVEL) -> Interval | None:
    """Return the interval of the difference between two means of independent values (Welch's t).

    None when either has fewer than two values, or when neither varies.
    """
    parts = _variance_of_mean(first), _variance_of_mean(second)
    if parts[0] is None or parts[1] is None:
        return None
    difference = math.fsum(first) / len(first) - math.fsum(second) / len(second)
    return welch_interval(difference, [parts[0], parts[1]], level=level)


def welch_interval(centre: float, parts: Sequence[VariancePart], *, level: float = LEVEL) -> Interval | None:
    """Return the interval of an estimate whose variance is a sum of independent parts; None when all are zero."""
    variance = math.fsum(part.variance for part in parts)
    if variance <= 0:
        return None
    return _student(centre, variance, _degrees(variance, [part for part in parts if part.variance > 0]), level)


def _student(centre: float, variance: float, degrees: float, level: float) -> Interval:
    error = math.sqrt(variance)
    half = t_quantile(degrees, 0.5 + level / 2) * error
    return Interval(centre - half, centre + half, error, degrees, level)


def _degrees(variance: float, parts: Sequence[VariancePart]) -> float:
    """Return Welch's degrees of freedom for a sum of estimated variances, at most the sum of the parts' own."""
    estimate = variance**2 / math.fsum(part.variance**2 / (part.degrees + 2) for part in parts) - 2
    return max(1.0, min(estimate, math.fsum(part.degrees for part in parts)))


def _variance_of_mean(values: Sequence[float]) -> VariancePart | None:
    count = len(values)
    if count < 2:
        return None
    mean = math.fsum(values) / count
    return VariancePart(math.fsum((value - mean) ** 2 for value in values) / (count - 1) / count, count - 1)
