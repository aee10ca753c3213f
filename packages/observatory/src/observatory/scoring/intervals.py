"""95 % intervals of weighted means of match scores.

`docs/concepts/standings.md` explains the maths. In short: matches on the same map are not independent evidence, so the
variance is measured between maps (within a split of the seats, because each split has its own maps). A policy that has
met its opponents unequally often gets a second part: the variance between opponents.

All that an interval depends on are sums over maps and over companies (`Groups`). They are exact, so that the order of
the results does not matter. Few results come as a list of `Sample`, and many as arrays.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from softmax.stats import Interval, VariancePart, welch_interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "Groups",
    "Sample",
    "exact_sums",
    "group_arrays",
    "interval_of",
    "score_interval",
    "sorted_groups",
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
    """the other policies in the match"""
    weight: float
    score: float


@dataclass(frozen=True, slots=True)
class Groups:
    """The results of a policy, added up: sums of weight, and of weight times score."""

    weight: float
    total: float
    strata: Sequence[tuple[Sequence[float], Sequence[float]]]
    """by stratum: the sums of each of its maps"""
    companies: tuple[Sequence[float], Sequence[float]]
    """the sums with each company"""


def score_interval(samples: Sequence[Sample], companies: int) -> Interval | None:
    """For the weighted mean of a policy's scores, in a pool where it is to meet this many companies.

    None where nothing can be said: without results on at least two maps and, where there are several companies, with
    at least two of them; or when all results are equal.
    """
    by_stratum = _grouped((sample.stratum, sample) for sample in samples)
    strata = [_sums(_grouped((sample.map, sample) for sample in group).values()) for group in by_stratum.values()]
    by_company = _sums(_grouped((sample.company, sample) for sample in samples).values())
    weight = math.fsum(sample.weight for sample in samples)
    total = math.fsum(sample.weight * sample.score for sample in samples)
    groups = Groups(weight, total, strata, by_company)
    return interval_of(groups, companies, unequal_company(groups, companies))


def interval_of(groups: Groups, companies: int, unequal: Sequence[VariancePart]) -> Interval | None:
    """Return what `score_interval` returns for results that are added up; `unequal` is their `unequal_company`."""
    maps = sum(len(weights) for weights, _ in groups.strata)
    if groups.weight <= 0 or maps < 2 or len(groups.companies[0]) < min(2, companies):
        return None
    return welch_interval(groups.total / groups.weight, [*_between_maps(groups), *unequal])


def group_arrays(
    strata: NDArray[np.int64],
    maps: NDArray[np.int64],
    companies: NDArray[np.int64],
    weights: NDArray[np.float64],
    scores: NDArray[np.float64],
) -> Groups:
    """Add up results given as arrays. Each map belongs to one stratum."""
    import numpy as np

    totals = weights * scores
    by_map, starts = sorted_groups(maps)
    map_weights, map_totals = exact_sums(weights[by_map], starts), exact_sums(totals[by_map], starts)
    stratum_of_map = strata[by_map][starts]
    in_strata = [np.flatnonzero(stratum_of_map == stratum) for stratum in np.unique(stratum_of_map)]
    by_company, starts = sorted_groups(companies)
    return Groups(
        weight=math.fsum(weights.tolist()),
        total=math.fsum(totals.tolist()),
        strata=[(map_weights[chosen].tolist(), map_totals[chosen].tolist()) for chosen in in_strata],
        companies=(
            exact_sums(weights[by_company], starts).tolist(),
            exact_sums(totals[by_company], starts).tolist(),
        ),
    )


def sorted_groups(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return an order in which equal keys are neighbours, and where each of these groups starts in it."""
    import numpy as np

    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    return order, np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])[: len(keys)])


def exact_sums(values: NDArray[np.float64], starts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the sum of each group of neighbours, rounded once: the order within a group does not matter."""
    import numpy as np

    if not len(starts):
        return np.zeros(0)
    sums: NDArray[np.float64] = np.add.reduceat(values, starts) + 0.0  # one or two values are rounded once
    ends = np.concatenate([starts[1:], [len(values)]])
    for group in np.flatnonzero(ends - starts > 2).tolist():
        sums[group] = math.fsum(values[starts[group] : ends[group]].tolist())
    return sums


def _between_maps(groups: Groups) -> list[VariancePart]:
    """For each stratum, how far its maps are from its mean, as parts of the whole."""
    strata = groups.strata
    if any(len(weights) < 2 for weights, _ in strata):
        # Within a stratum of one map nothing can be seen: all maps are taken as one stratum, which is never too sure.
        strata = [([w for weights, _ in strata for w in weights], [t for _, totals in strata for t in totals])]
    return [_jackknife(weights, totals, groups.weight) for weights, totals in strata]


def _jackknife(weights: Sequence[float], totals: Sequence[float], total_weight: float) -> VariancePart:
    """Return the variance of a mean of maps by leaving each out in turn, as a part of a whole of this weight.

    Maps of unequal weight are fewer than they seem, which the degrees of freedom say.
    """
    map_weight = math.fsum(weights)
    mean = math.fsum(totals) / map_weight
    shares = [weight / map_weight for weight in weights]
    changes = [
        (total - mean * weight) / (total_weight * (1 - share))
        for total, weight, share in zip(totals, weights, shares, strict=True)
        if share < 1
    ]
    count = len(weights)
    variance = math.fsum(change**2 for change in changes) * (count - 1) / count
    return VariancePart(variance, max(1.0, 1 / math.fsum(share**2 for share in shares) - 1))


def unequal_company(groups: Groups, companies: int) -> list[VariancePart]:
    """Return the error of the mean because some companies have too much weight in it, too little or none yet."""
    weights, totals = groups.companies
    count = len(weights)
    if count < 2 or groups.weight <= 0:
        return []
    expected = 1 / max(companies, count)
    missing = max(companies, count) - count
    imbalance = math.fsum((weight / groups.weight - expected) ** 2 for weight in weights) + missing * expected**2
    if imbalance <= _ROUNDING:
        return []
    means = [total / weight for total, weight in zip(totals, weights, strict=True)]
    centre = math.fsum(means) / count
    spread = math.fsum((mean - centre) ** 2 for mean in means) / (count - 1)
    return [VariancePart(spread * imbalance, count - 1)]


def _sums(groups: Iterable[Sequence[Sample]]) -> tuple[list[float], list[float]]:
    """Return the sums of weight, and of weight times score, of each group."""
    weights, totals = [], []
    for group in groups:
        weights.append(math.fsum(sample.weight for sample in group))
        totals.append(math.fsum(sample.weight * sample.score for sample in group))
    return weights, totals


def _grouped(pairs: Iterable[tuple[Hashable, Sample]]) -> Mapping[Hashable, list[Sample]]:
    groups: dict[Hashable, list[Sample]] = {}
    for key, sample in pairs:
        groups.setdefault(key, []).append(sample)
    return groups
