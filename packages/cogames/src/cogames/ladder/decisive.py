"""Find the measures in which two policies differ most: what decided their duels."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from cogames.ladder.duels import Duel
from cogames.ladder.measures import MEASURES

__all__ = ["DecisiveStat", "Spreads", "decisive_stats", "spreads"]

LISTED = 3
NEGLIGIBLE = 0.05
"""effects below this many standard deviations are not listed"""
SCORE_ITSELF = 0.999
"""correlation with the score from which on a measure restates the score and explains nothing"""


@dataclass(frozen=True)
class Spread:
    """The standard deviation of a measure over all sides of a mission, and its correlation with their scores."""

    deviation: float
    correlation: float


Spreads = Mapping[int, Mapping[str, Spread]]
"""by mission and measure"""


class DecisiveStat(BaseModel):
    """A measure in which the first policy of a pairing differs from the second.

    `first` and `second` are means per duel. `effect` is their difference in standard deviations of the mission;
    `weight` is that times the measure's correlation with the score.
    """

    label: str
    first: float
    second: float
    effect: float
    weight: float


def spreads(duels: Iterable[Duel]) -> Spreads:
    """Return the spread of every measure on every mission."""
    sides: dict[int, list[tuple[float, dict[str, float]]]] = {}
    for duel in duels:
        sides.setdefault(duel.key.mission, []).extend(zip(duel.scores, duel.stats, strict=True))
    result: dict[int, dict[str, Spread]] = {}
    for mission, rows in sorted(sides.items()):
        scores = [score for score, _ in rows]
        names = sorted({name for _, stats in rows for name in stats})
        result[mission] = {name: _spread(scores, [stats.get(name, 0.0) for _, stats in rows]) for name in names}
    return result


def decisive_stats(duels: Sequence[Duel], spreads: Spreads) -> list[DecisiveStat]:
    """Return the measures with the largest weights, best first.

    Measures that favour the loser are left out: they did not decide the pairing. Measures of results come first, then
    those that only restate the score, then those of behaviour; stats without a name for readers are listed only if no
    named measure differs.
    """
    points = math.fsum(duel.result for duel in duels) / len(duels)
    winner = (points > 0.5) - (points < 0.5)
    named = {measure.label: measure for measure in MEASURES}
    names = sorted({name for duel in duels for stats in duel.stats for name in stats})
    found: list[tuple[bool, bool, DecisiveStat]] = []
    for name in names:
        stat, restates = _compare(name, duels, spreads)
        better = named[name].better if name in named else 0
        if stat is not None and winner * better * stat.effect >= 0:
            found.append((name in named and named[name].behaviour, restates, stat))
    listed = [row for row in found if row[2].label in named] or found
    listed.sort(key=lambda row: (row[0], row[1], -abs(row[2].weight), row[2].label))
    return [stat for _, _, stat in listed[:LISTED]]


def _compare(name: str, duels: Sequence[Duel], spreads: Spreads) -> tuple[DecisiveStat | None, bool]:
    """Return the difference in a measure, None if there is none, and whether the measure restates the score."""
    effects, weights, correlations = [], [], []
    for duel in duels:
        spread = spreads[duel.key.mission].get(name)
        if spread is not None and spread.deviation:
            effect = (duel.stats[0].get(name, 0.0) - duel.stats[1].get(name, 0.0)) / spread.deviation
            effects.append(effect)
            weights.append(effect * spread.correlation)
            correlations.append(abs(spread.correlation))
    effect = math.fsum(effects) / len(duels)
    if abs(effect) < NEGLIGIBLE:
        return None, False
    means = [math.fsum(duel.stats[side].get(name, 0.0) for duel in duels) / len(duels) for side in (0, 1)]
    stat = DecisiveStat(
        label=name, first=means[0], second=means[1], effect=effect, weight=math.fsum(weights) / len(duels)
    )
    return stat, min(correlations) > SCORE_ITSELF


def _spread(scores: Sequence[float], values: Sequence[float]) -> Spread:
    deviation, of_scores = statistics.pstdev(values), statistics.pstdev(scores)
    if not deviation or not of_scores:
        return Spread(deviation, 0.0)
    mean, mean_score = math.fsum(values) / len(values), math.fsum(scores) / len(scores)
    pairs = zip(values, scores, strict=True)
    covariance = math.fsum((value - mean) * (score - mean_score) for value, score in pairs) / len(values)
    return Spread(deviation, covariance / (deviation * of_scores))
