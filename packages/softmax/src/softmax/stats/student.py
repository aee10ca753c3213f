"""Quantiles of Student's t distribution."""

from __future__ import annotations

import math
from functools import cache, lru_cache
from statistics import NormalDist

__all__ = ["t_quantile", "t_table"]

_NEARLY_NORMAL = 1000.0
"""degrees of freedom above which four terms of the expansion around the normal distribution are exact to 1e-12"""

_CACHE_SIZE = 4096
_KNOTS = 400


@lru_cache(_CACHE_SIZE)
def t_quantile(degrees: float, probability: float = 0.975) -> float:
    """Return the value that Student's t exceeds with probability `1 - probability`, to at least ten digits.

    Args:
        degrees: degrees of freedom, also fractional; fewer than one count as one.
        probability: from 0.5 up to, but not including, 1.
    """
    if not 0.5 <= probability < 1:
        raise ValueError(f"probability is {probability}; expected 0.5 <= probability < 1")
    degrees = max(1.0, degrees)
    guess = _expansion(degrees, probability)
    if degrees >= _NEARLY_NORMAL or probability == 0.5:
        return guess
    return _root(degrees, probability, guess)


@cache
def t_table(probability: float = 0.975) -> tuple[list[float], list[float]]:
    """Return ascending values of 1 / degrees and their quantiles, for linear interpolation over whole arrays.

    Interpolated quantiles are at most 0.001 % too large.
    """
    inverses = [knot / _KNOTS for knot in range(_KNOTS + 1)]
    quantiles = [t_quantile(1 / inverse if inverse else math.inf, probability) for inverse in inverses]
    return inverses, quantiles


def _expansion(degrees: float, probability: float) -> float:
    """Expand the quantile around the normal distribution's (Abramowitz and Stegun, 26.7.5)."""
    z = NormalDist().inv_cdf(probability)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / degrees**power for power, term in enumerate(terms, start=1))


def _root(degrees: float, probability: float, guess: float) -> float:
    """Solve cdf(t) = probability by Newton's method, kept inside a bracket."""
    low, high = 0.0, max(guess, 1.0)
    while _cdf(high, degrees) < probability:
        low, high = high, 2 * high
    value = min(max(guess, low), high)
    for _ in range(100):
        error = _cdf(value, degrees) - probability
        low, high = (low, value) if error > 0 else (value, high)
        step = error / _density(value, degrees)
        following = value - step if low < value - step < high else (low + high) / 2
        if abs(following - value) <= 1e-14 * following:
            break
        value = following
    return value


def _density(value: float, degrees: float) -> float:
    log_scale = math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2) - math.log(degrees * math.pi) / 2
    return math.exp(log_scale - (degrees + 1) / 2 * math.log1p(value * value / degrees))


def _cdf(value: float, degrees: float) -> float:
    """Return the probability of at most `value`, which must not be negative."""
    return 1 - _incomplete_beta(degrees / 2, 0.5, degrees / (degrees + value * value)) / 2


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """Return the regularized incomplete beta function, by its continued fraction (Abramowitz and Stegun, 26.5.8)."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):  # the fraction converges slowly here
        return 1 - _incomplete_beta(b, a, 1 - x)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)) / a
    return front / _fraction(a, b, x)


def _fraction(a: float, b: float, x: float) -> float:
    """Evaluate the continued fraction by Lentz's method, until a step no longer changes it."""
    tiny = 1e-300
    fraction, numerator, denominator = 1.0, 1.0, 0.0
    for step in range(1, 10_000):
        half = step // 2
        if step % 2:
            term = -(a + half) * (a + b + half) * x / ((a + step - 1) * (a + step))
        else:
            term = half * (b - half) * x / ((a + step - 1) * (a + step))
        denominator = 1 / (1 + term * denominator or tiny)
        numerator = 1 + term / numerator or tiny
        change = numerator * denominator
        fraction *= change
        if abs(change - 1) < 1e-15:
            break
    return fraction
