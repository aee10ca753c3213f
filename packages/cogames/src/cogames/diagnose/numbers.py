"""Small arithmetic helpers. All numbers are finite."""

from collections.abc import Sequence
from math import sqrt
from statistics import fmean, stdev


def clamp01(value: float) -> float:
    """Clamp a value to the range 0 to 1."""
    return min(max(value, 0.0), 1.0)


def room_left(value: float, limit: float) -> float:
    """Return the unused fraction of a limit: 1 for a value of 0, 0 for a value at or above the limit."""
    return clamp01(1.0 - value / limit)


def mean(values: Sequence[float]) -> float:
    """Return the mean; 0 if there are no values."""
    return fmean(values) if values else 0.0


def surely(values: Sequence[float]) -> float:
    """Return the mean moved towards 0 by its standard error, so that chance does not look like an effect."""
    middle = mean(values)
    error = stdev(values) / sqrt(len(values)) if len(values) > 1 else 0.0
    return middle - min(error, middle) if middle > 0 else middle + min(error, -middle)


def relative_difference(first: float, second: float) -> float:
    """Return `first - second` divided by the larger absolute value, clamped to -1 to 1; 0 if both are 0."""
    size = max(abs(first), abs(second))
    return min(max((first - second) / size, -1.0), 1.0) if size > 0 else 0.0
