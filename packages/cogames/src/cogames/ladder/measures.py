"""Measures of play that readers know: sums and rates of an episode's stats."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from cogames.ladder.records import TEAM

__all__ = ["MEASURES", "Measure", "measured"]

ELEMENTS = ("oxygen", "carbon", "germanium", "silicon")
GEAR = ("aligner", "scrambler", "miner", "scout")


@dataclass(frozen=True)
class Measure:
    """The sum of some stats, divided by the steps where `per_step`.

    `better` is 1 if more is better, -1 if less is, otherwise 0. A measure of `behaviour` explains a result,
    but is not one.
    """

    label: str
    stats: tuple[str, ...]
    better: int
    per_step: bool = False
    behaviour: bool = False


MEASURES = (
    Measure("junctions held", (f"{TEAM}aligned.junction.held",), 1, per_step=True),
    Measure("junctions captured", (f"{TEAM}aligned.junction.gained",), 1),
    Measure("junctions lost", (f"{TEAM}aligned.junction.lost",), -1),
    Measure("junctions scrambled", ("junction.scrambled_by_agent",), 1),
    Measure("hearts taken", (f"{TEAM}heart.withdrawn",), 1),
    Measure("elements deposited", tuple(f"{TEAM}{element}.deposited" for element in ELEMENTS), 1),
    Measure("gear lost", tuple(f"{gear}.lost" for gear in GEAR), -1),
    Measure("deaths", ("deaths", "death", "status.deaths"), -1),
    Measure("hit points lost", ("hp.lost",), -1),
    Measure("failed moves", ("action.move.failed",), -1, behaviour=True),
    Measure("idle steps", ("action.noop.success",), -1, behaviour=True),
    Measure("cells explored", ("cell.unique_visited",), 1, behaviour=True),
    Measure("missed deadlines", ("timeouts",), -1),
    Measure("episode length", ("steps",), 0, behaviour=True),
)


def measured(stats: Mapping[str, float]) -> dict[str, float]:
    """Return the measures for readers; where a game has none of them, its own stats."""
    steps = max(stats.get("steps", 1.0), 1.0)
    values: dict[str, float] = {}
    for measure in MEASURES:
        present = [stats[name] for name in measure.stats if name in stats]
        if present:
            values[measure.label] = math.fsum(present) / (steps if measure.per_step else 1.0)
    known = {name for measure in MEASURES for name in measure.stats}
    return {**values, **{name: value for name, value in stats.items() if name not in known}}
