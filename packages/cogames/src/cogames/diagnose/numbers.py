"""Small arithmetic that several parts share. All numbers here are finite."""

from collections.abc import Sequence
from math import sqrt
from statistics import fmean, stdev


def clamp01(value: float) -> float:
    """`value`, but at least 0 and at most 1."""
    return min(max(value, 0.0), 1.0)


def room_left(value: float, limit: float) -> float:
    """1 when nothing of a limit is used, 0 when all of it or more is."""
    return clamp01(1.0 - value / limit)


def mean(values: Sequence[float]) -> float:
    """The mean; 0 of nothing."""
    return fmean(values) if values else 0.0


def surely(values: Sequence[float]) -> float:
    """How much of the mean is more than chance: the mean, moved towards 0 by its standard error."""
    middle = mean(values)
    error = stdev(values) / sqrt(len(values)) if len(values) > 1 else 0.0
    return middle - min(error, middle) if middle > 0 else middle + min(error, -middle)


def relative_difference(first: float, second: float) -> float:
    """How much greater `first` is, by the larger of the two sizes: -1 to 1, and 0 when both are 0."""
    size = max(abs(first), abs(second))
    return min(max((first - second) / size, -1.0), 1.0) if size > 0 else 0.0
