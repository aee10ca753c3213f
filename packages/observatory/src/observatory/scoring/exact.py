"""Exact sums of floats, rounded when read, so that the order does not matter and values can be subtracted again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["ExactSum", "mean"]

_BITS = 1074
"""every finite float is a whole multiple of 2 to the power of minus this"""


class ExactSum:
    """Adds and subtracts floats exactly. `float(total)` is rounded once, as `math.fsum` does."""

    __slots__ = ("_units",)

    def __init__(self, values: Iterable[float] = ()) -> None:
        self._units = sum(map(_units, values))

    def add(self, *values: float) -> None:
        self._units += sum(map(_units, values))

    def __float__(self) -> float:
        return self._units / (1 << _BITS)

    def __sub__(self, other: ExactSum) -> ExactSum:
        difference = ExactSum()
        difference._units = self._units - other._units
        return difference


def mean(values: Sequence[float]) -> float:
    """Return the mean, rounded once: the mean of equal values is that value, so thresholds compare exactly."""
    return sum(map(_units, values)) / (len(values) << _BITS)


def _units(value: float) -> int:
    numerator, denominator = value.as_integer_ratio()  # the denominator is a power of two
    return numerator << (_BITS + 1 - denominator.bit_length())
