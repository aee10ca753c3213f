"""95 % intervals of weighted means of match scores.

`docs/concepts/standings.md` explains the maths. In short: matches on the same map are not independent evidence, so the
variance is measured between maps (within a split of the seats, because each split has its own maps). A policy that has
met its opponents unequally often gets a second part: the variance between opponents.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from softmax.stats import Interval, VariancePart, welch_interval

__all__ = ["Sample", "score_interval", "unequal_company"]

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
    return welch_interval(mean, [*_between_maps(samples, weight), *unequal_company(samples, weight, companies)])


def _between_maps(samples: Sequence[Sample], weight: float) -> list[VariancePart]:
    """For each stratum, how far its maps are from its mean, as parts of the whole."""
    strata = _grouped((sample.stratum, sample) for sample in samples)
    by_map = {
        stratum: list(_grouped((sample.map, sample) for sample in group).values()) for stratum, group in strata.items()
    }
    if any(len(maps) < 2 for maps in by_map.values()):
        # Within a stratum of one map nothing can be seen: all maps are taken as one stratum, which is never too sure.
        by_map = {None: [group for maps in by_map.values() for group in maps]}
    parts = []
    for maps in by_map.values():
        weights = [math.fsum(sample.weight for sample in group) for group in maps]
        totals = [math.fsum(sample.weight * sample.score for sample in group) for group in maps]
        parts.append(_jackknife(weights, totals, weight))
    return parts


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


def unequal_company(samples: Sequence[Sample], weight: float, companies: int) -> list[VariancePart]:
    """Return the error of the mean because some companies have too much weight in it, too little or none yet."""
    by_company = _grouped((sample.company, sample) for sample in samples)
    expected = 1 / max(companies, len(by_company))
    shares = [math.fsum(sample.weight for sample in group) / weight for group in by_company.values()]
    missing = max(companies, len(by_company)) - len(by_company)
    imbalance = math.fsum((share - expected) ** 2 for share in shares) + missing * expected**2
    if imbalance <= _ROUNDING or len(by_company) < 2:
        return []
    means = [
        math.fsum(sample.weight * sample.score for sample in group) / math.fsum(sample.weight for sample in group)
        for group in by_company.values()
    ]
    centre = math.fsum(means) / len(means)
    spread = math.fsum((mean - centre) ** 2 for mean in means) / (len(means) - 1)
    return [VariancePart(spread * imbalance, len(means) - 1)]


def _grouped(pairs: Iterable[tuple[Hashable, Sample]]) -> Mapping[Hashable, list[Sample]]:
    groups: dict[Hashable, list[Sample]] = {}
    for key, sample in pairs:
        groups.setdefault(key, []).append(sample)
    return groups
