"""Value over replacement: how much better a pool's matches go with a policy's agents in them.

As for `cogames pickup`: the mean score of a policy's agents, weighted by their number, minus the mean score of all
agents in matches without the policy, where other policies of the pool have its seats. In team seasons: the mean score
of the teams with a policy minus that of the teams without it.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from softmax.stats import difference_interval, t_table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["PoolTotals", "Value", "team_values", "values_over_replacement"]


@dataclass(frozen=True, slots=True)
class Value:
    """A value over replacement. The interval is None if there is too little data."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class PoolTotals:
    """The totals of a pool: columns are maps, rows policies; sums of weight times score, and of weight."""

    strata: Sequence[int]
    """of each map"""
    own_scores: NDArray[np.float64]
    own_weights: NDArray[np.float64]
    """[policies, maps]: the policy's own agents"""
    present_scores: NDArray[np.float64]
    present_weights: NDArray[np.float64]
    """[policies, maps]: all agents of the matches in which the policy plays"""
    all_scores: NDArray[np.float64]
    all_weights: NDArray[np.float64]
    """[maps]: all agents of all matches"""
    company_variance: NDArray[np.float64]
    company_degrees: NDArray[np.float64]
    """[policies]: what unequal company adds, see `intervals`"""


def values_over_replacement(totals: PoolTotals) -> list[Value | None]:
    """For each policy; None where every match has the policy in it.

    Both means are of the same maps, so that the effect of a map on all policies cancels out in their difference.
    """
    import numpy as np

    strata = np.equal.outer(np.asarray(totals.strata), np.unique(totals.strata)).astype(float)
    rest_weights = totals.all_weights - totals.present_weights
    rest_weights[rest_weights < 1e-9 * np.maximum(1.0, totals.all_weights)] = 0.0
    rest_scores = np.where(rest_weights > 0, totals.all_scores - totals.present_scores, 0.0)
    own_weight, rest_weight = totals.own_weights.sum(1), rest_weights.sum(1)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = totals.own_scores.sum(1) / own_weight - rest_scores.sum(1) / rest_weight
        # Where a split has one map, nothing is seen within it: all maps are then taken as one split.
        maps = ((totals.own_weights + rest_weights) > 0) @ strata
        stratified, pooled = (
            _changes(totals.own_scores, totals.own_weights, groups) - _changes(rest_scores, rest_weights, groups)
            for groups in (strata, np.ones((len(strata), 1)))
        )
        has_single_map = (maps == 1).any(1)
        half = np.where(
            has_single_map,
            _half_widths(pooled, maps.sum(1, keepdims=True), np.ones((len(strata), 1)), totals),
            _half_widths(stratified, maps, strata, totals),
        )
    return [
        None if not math.isfinite(v) else Value(v, v - h, v + h) if math.isfinite(h) and h > 0 else Value(v, None, None)
        for v, h in zip(value.tolist(), half.tolist(), strict=True)
    ]


def team_values(
    teams: Mapping[uuid.UUID, Sequence[uuid.UUID]], scores: Mapping[uuid.UUID, float]
) -> dict[uuid.UUID, Value]:
    """For each member of a scored team, where there are teams without it; teams are the independent draws."""
    members = {member for team, members_of_team in teams.items() if team in scores for member in members_of_team}
    values = {}
    for member in members:
        with_member = [score for team, score in scores.items() if member in teams.get(team, ())]
        without = [score for team, score in scores.items() if team in teams and member not in teams[team]]
        if with_member and without:
            value = math.fsum(with_member) / len(with_member) - math.fsum(without) / len(without)
            interval = difference_interval(with_member, without)
            values[member] = Value(value, *((None, None) if interval is None else (interval.low, interval.high)))
    return values


def _changes(
    scores: NDArray[np.float64], weights: NDArray[np.float64], strata: NDArray[np.float64]
) -> NDArray[np.float64]:
    """By how much a mean changes when a map is left out of its stratum, as `intervals` has it."""
    import numpy as np

    weight = weights @ strata
    means = np.divide(scores @ strata, weight, out=np.zeros_like(weight), where=weight > 0)
    of_map = weight @ strata.T
    share = np.divide(weights, of_map, out=np.zeros_like(weights), where=of_map > 0)
    changes = (scores - weights * (means @ strata.T)) / weights.sum(1, keepdims=True)
    return np.divide(changes, 1 - share, out=np.zeros_like(changes), where=share < 1)


def _half_widths(
    changes: NDArray[np.float64], maps: NDArray[np.float64], strata: NDArray[np.float64], totals: PoolTotals
) -> NDArray[np.float64]:
    """Return the half-widths of the intervals; not finite where there is too little data."""
    import numpy as np

    has_spread = maps > 1
    parts = np.where(has_spread, (changes**2) @ strata * (maps - 1) / np.maximum(1, maps), 0.0)
    degrees = np.where(has_spread, maps - 1, 0.0)
    parts = np.concatenate([parts, totals.company_variance[:, None]], axis=1)
    degrees = np.concatenate(
        [degrees, np.where(totals.company_variance > 0, totals.company_degrees, 0.0)[:, None]], axis=1
    )
    variance = parts.sum(1)
    estimate = variance**2 / (parts**2 / (degrees + 2)).sum(1) - 2
    all_degrees = np.maximum(1.0, np.minimum(estimate, degrees.sum(1)))
    half = np.interp(1 / all_degrees, *t_table()) * np.sqrt(variance)
    return np.where(has_spread.any(1), half, np.nan)
