"""Bayesian ratings of games with any number of sides: the Plackett-Luce model of Weng and Lin (2011).

A player has a mean `mu` and an uncertainty `sigma`. The strength of a side is the sum of its members. Sides with equal
ranks have drawn. The formulas are those of the package `openskill`; the tests compare numbers with it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Belief", "updated"]

MIN_EXPONENT = -600.0
"""of the strength of a side beside the best one; less would underflow"""
MIN_SHRINKING = 1e-4
"""a game never reduces a variance below this share"""


@dataclass(frozen=True, slots=True)
class Belief:
    """Estimate of a player's strength."""

    mu: float
    sigma: float


@dataclass(frozen=True, slots=True)
class _Side:
    mu: float
    variance: float


def updated(
    sides: Sequence[Sequence[Belief]], ranks: Sequence[int], *, noise: float, result: float | None = None
) -> list[list[Belief]]:
    """Return the beliefs after a game. The lowest rank is the best; `noise` is the variance of a performance.

    `result` is the share of the first of two sides in place of a win, a draw or a loss.
    """
    totals = [
        _Side(math.fsum(member.mu for member in side), math.fsum(member.sigma**2 for member in side)) for side in sides
    ]
    scale = math.sqrt(math.fsum(side.variance + noise for side in totals))
    best = max(side.mu for side in totals)
    strengths = [math.exp(max((side.mu - best) / scale, MIN_EXPONENT)) for side in totals]
    after = []
    for number, side in enumerate(sides):
        total = totals[number]
        gain, information = _step(number, strengths, ranks)
        if result is not None:
            share = strengths[number] / math.fsum(strengths)
            gain = (result if number == 0 else 1 - result) - share
            information = share * (1 - share)
        gain *= total.variance / scale
        information *= total.variance / scale**2 * (math.sqrt(total.variance) / scale)
        after.append([_moved(member, total, gain, information) for member in side])
    return after


def _step(number: int, strengths: Sequence[float], ranks: Sequence[int]) -> tuple[float, float]:
    """Return the derivative of the log-likelihood of the ranks by a side's strength, and its curvature."""
    gains, information = [], []
    for other, rank in enumerate(ranks):
        if rank > ranks[number]:
            continue
        rivals = math.fsum(strengths[side] for side in range(len(ranks)) if ranks[side] >= rank)
        share, tied = strengths[number] / rivals, ranks.count(rank)
        gains.append(((1 - share) if other == number else -share) / tied)
        information.append(share * (1 - share) / tied)
    return math.fsum(gains), math.fsum(information)


def _moved(member: Belief, side: _Side, gain: float, information: float) -> Belief:
    part = member.sigma**2 / side.variance
    shrinking = max(1 - part * information, MIN_SHRINKING)
    return Belief(member.mu + part * gain, member.sigma * math.sqrt(shrinking))
