"""Curves as data: points by agent steps or by time, thinned for drawing."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cogames_training.reports.epoch import EpochReport
from cogames_training.runs.listing import Run

__all__ = ["MAX_POINTS", "Axis", "Point", "Series", "evaluation_series", "series_of", "thinned"]

MAX_POINTS = 100
"""points of a drawn curve; more are averaged in groups"""


@dataclass(frozen=True)
class Axis:
    """What the horizontal axis shows."""

    name: str
    label: str
    of: Callable[[EpochReport], float]


BY_STEPS = Axis("steps", "agent steps", lambda report: float(report.agent_steps))
BY_TIME = Axis("time", "hours of training", lambda report: report.uptime / 3600)
AXES = (BY_STEPS, BY_TIME)


@dataclass(frozen=True)
class Point:
    """A value; `low` and `high` are its interval, or the extremes of the values that it averages."""

    x: float
    y: float
    low: float
    high: float


@dataclass(frozen=True)
class Series:
    """A curve of one run. `colour` is the run's place in the page; `omitted` counts values that are not numbers."""

    name: str
    colour: int
    points: Sequence[Point]
    omitted: int = 0


def series_of(run: Run, colour: int, axis: Axis, value: Callable[[EpochReport], float | None]) -> Series:
    """Return the curve of a value over the epochs that have it."""
    points, omitted = [], 0
    for report in run.epochs:
        y = value(report)
        if y is None:
            continue
        if math.isfinite(y):
            points.append(Point(axis.of(report), y, y, y))
        else:
            omitted += 1
    return Series(run.name, colour, thinned(points), omitted)


def evaluation_series(run: Run, colour: int, axis: Axis, mission: str | None = None) -> Series:
    """Return the scores of the evaluations with their intervals; of one mission if it is given."""
    places = {report.epoch: axis.of(report) for report in run.epochs}
    points = []
    for evaluation in run.evaluations:
        part = evaluation if mission is None else (evaluation.get("missions") or {}).get(mission)
        score = _finite(part, "score")
        if score is not None and evaluation["epoch"] in places:
            low, high = _finite(part, "low"), _finite(part, "high")
            x = places[evaluation["epoch"]]
            points.append(Point(x, score, score if low is None else low, score if high is None else high))
    return Series(run.name, colour, points)


def thinned(points: Sequence[Point], limit: int = MAX_POINTS) -> list[Point]:
    """Average neighbours until at most `limit` points are left; the extremes become their interval."""
    if len(points) <= limit:
        return list(points)
    result = []
    for group in range(limit):
        part = points[group * len(points) // limit : (group + 1) * len(points) // limit]
        result.append(
            Point(
                sum(point.x for point in part) / len(part),
                sum(point.y for point in part) / len(part),
                min(point.low for point in part),
                max(point.high for point in part),
            )
        )
    return result


def _finite(part: Any, key: str) -> float | None:
    value = part.get(key) if isinstance(part, dict) else None
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None
