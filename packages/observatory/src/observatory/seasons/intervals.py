"""How sure a score is: 95 % intervals of weighted means of match scores.

The maths is explained in `docs/concepts/standings.md`. In short: matches on the same map are no independent evidence,
so that what counts is how much a policy's results differ from map to map (within a split of the seats, because each
split has maps of its own). A policy that has not met everybody equally often is uncertain besides by how much its
results differ between those it has met.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

__all__ = [
    "T_TABLE",
    "Interval",
    "Sample",
    "VariancePart",
    "mean_difference",
    "mean_interval",
    "score_interval",
    "t_quantile",
    "unequal_company",
]

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Sample:
    """One result of a policy. Results with the same stratum and map are of one game on one map."""

    stratum: Hashable
    """what maps belong to: the split of the seats"""
    map: Hashable
    company: Hashable
    """with whom it played"""
    weight: float
    score: float


@dataclass(frozen=True, slots=True)
class Interval:
    """Holds the true value in 95 of 100 cases. `variance` is that of the estimate, `degrees` those of Student's t."""

    low: float
    high: float
    variance: float
    degrees: float


def score_interval(samples: Sequence[Sample], companies: int) -> Interval | None:
    """For the weighted mean of a policy's scores, in a pool where it is to meet this many companies.

    None where nothing can be said: without results on at least two maps and, where there are several companies, with
    at least two of them; or when all results are equal.
    """
    weight = math.fsum(sample.weight for sample in samples)
    maps = {(sample.stratum, sample.map) for sample in samples}
    met = {sample.company for sample in samples}
    if weight <= 0 or len(maps) < 2 or len(met) < min(2, companies):
        return None
    mean = math.fsum(sample.weight * sample.score for sample in samples) / weight
    return _interval(mean, [*_between_maps(samples, weight), *unequal_company(samples, weight, companies)])


def mean_interval(values: Sequence[float]) -> Interval | None:
    """For the plain mean of independent values."""
    part = _variance_of_mean(values)
    return None if part is None else _interval(math.fsum(values) / len(values), [part])


def mean_difference(first: Sequence[float], second: Sequence[float]) -> Interval | None:
    """For the difference of two means of independent values (Welch)."""
    parts = [_variance_of_mean(values) for values in (first, second)]
    if parts[0] is None or parts[1] is None:
        return None
    difference = math.fsum(first) / len(first) - math.fsum(second) / len(second)
    return _interval(difference, [part for part in parts if part is not None])


@dataclass(frozen=True, slots=True)
class VariancePart:
    """An independent part of a variance, and how many degrees of freedom its estimate has."""

    variance: float
    degrees: float


def _interval(centre: float, parts: Sequence[VariancePart]) -> Interval | None:
    variance = math.fsum(part.variance for part in parts)
    if variance <= 0:
        return None
    degrees = _degrees(variance, [part for part in parts if part.variance > 0])
    half = t_quantile(degrees) * math.sqrt(variance)
    return Interval(centre - half, centre + half, variance, degrees)


def _degrees(variance: float, parts: Sequence[VariancePart]) -> float:
    """One t distribution for a sum of estimated variances: Welch's estimate, and never more than all parts have."""
    estimate = variance**2 / math.fsum(part.variance**2 / (part.degrees + 2) for part in parts) - 2
    return max(1.0, min(estimate, math.fsum(part.degrees for part in parts)))


def _between_maps(samples: Sequence[Sample], weight: float) -> list[VariancePart]:
    """For each stratum, how far its maps are from its mean, as parts of the whole."""
    strata = _grouped((sample.stratum, sample) for sample in samples)
    by_map = {
        stratum: list(_grouped((sample.map, sample) for sample in found).values()) for stratum, found in strata.items()
    }
    if any(len(maps) < 2 for maps in by_map.values()):
        # Within a stratum of one map nothing can be seen: all maps are taken as one stratum, which is never too sure.
        by_map = {None: [found for maps in by_map.values() for found in maps]}
    parts = []
    for maps in by_map.values():
        weights = [math.fsum(sample.weight for sample in found) for found in maps]
        totals = [math.fsum(sample.weight * sample.score for sample in found) for found in maps]
        parts.append(_jackknife(weights, totals, weight))
    return parts


def _jackknife(weights: Sequence[float], totals: Sequence[float], whole: float) -> VariancePart:
    """The variance of a mean of maps by leaving each out in turn, as a part of a whole of this weight.

    Maps of unequal weight are fewer than they seem, which the degrees of freedom say.
    """
    own = math.fsum(weights)
    mean = math.fsum(totals) / own
    shares = [weight / own for weight in weights]
    changes = [
        (total - mean * weight) / (whole * (1 - share))
        for total, weight, share in zip(totals, weights, shares, strict=True)
        if share < 1
    ]
    count = len(weights)
    variance = math.fsum(change**2 for change in changes) * (count - 1) / count
    return VariancePart(variance, max(1.0, 1 / math.fsum(share**2 for share in shares) - 1))


def unequal_company(samples: Sequence[Sample], weight: float, companies: int) -> list[VariancePart]:
    """How much the mean may be off because some companies have more weight in it than they should, or none yet."""
    met = _grouped((sample.company, sample) for sample in samples)
    expected = 1 / max(companies, len(met))
    shares = [math.fsum(sample.weight for sample in found) / weight for found in met.values()]
    missing = max(companies, len(met)) - len(met)
    imbalance = math.fsum((share - expected) ** 2 for share in shares) + missing * expected**2
    if imbalance <= _ROUNDING or len(met) < 2:
        return []
    means = [
        math.fsum(sample.weight * sample.score for sample in found) / math.fsum(sample.weight for sample in found)
        for found in met.values()
    ]
    centre = math.fsum(means) / len(means)
    spread = math.fsum((mean - centre) ** 2 for mean in means) / (len(means) - 1)
    return [VariancePart(spread * imbalance, len(means) - 1)]


def _variance_of_mean(values: Sequence[float]) -> VariancePart | None:
    count = len(values)
    if count < 2:
        return None
    mean = math.fsum(values) / count
    return VariancePart(math.fsum((value - mean) ** 2 for value in values) / (count - 1) / count, count - 1)


def _grouped(pairs: Iterable[tuple[Hashable, Sample]]) -> Mapping[Hashable, list[Sample]]:
    groups: dict[Hashable, list[Sample]] = {}
    for key, sample in pairs:
        groups.setdefault(key, []).append(sample)
    return groups


# The 97.5 % points of Student's t for 1, 2, 3, ... degrees of freedom, and of the normal distribution.
_T = (
    12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281,
    2.2010, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860,
    2.0796, 2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423,
)  # fmt: skip
_NORMAL = 1.95996


T_TABLE = ([0.0, *(1 / degrees for degrees in range(len(_T), 0, -1))], [_NORMAL, *reversed(_T)])
"""(1 / degrees of freedom, quantile), the least first: between them lines are straight enough"""


def t_quantile(degrees: float) -> float:
    """The 97.5 % point of Student's t."""
    inverse = 1 / max(1.0, degrees)
    place = max(1, bisect_left(T_TABLE[0], inverse))
    left, right = T_TABLE[0][place - 1], T_TABLE[0][place]
    below, above = T_TABLE[1][place - 1], T_TABLE[1][place]
    return below + (above - below) * (inverse - left) / (right - left)
