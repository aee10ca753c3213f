"""The score of a training run: a metric of its last epochs."""

from __future__ import annotations

import difflib
import math
from pathlib import Path

from cogames_training.reports.names import RecipeMetrics
from cogames_training.runs.lines import read_metrics
from cogames_training.sweeps.errors import SweepError

__all__ = ["score_of"]

PART = 0.1
"""part of the run, at its end, over which the score is the mean"""


def score_of(folder: Path, metric: str) -> float:
    """Return the mean of a metric over the last tenth of a run's epochs that have it.

    Raises `SweepError` for a metric that no epoch has.
    """
    name_metrics = RecipeMetrics()
    epochs = [name_metrics(report) for report in read_metrics(folder)]
    values = [epoch[metric] for epoch in epochs if math.isfinite(epoch.get(metric, math.nan))]
    if not values:
        known = sorted({name for epoch in epochs for name in epoch})
        close = difflib.get_close_matches(metric, known, n=3) or known[:20]
        raise SweepError(
            f"The run in {folder} has no metric {metric!r}", [f"metrics: {', '.join(close)}"] if close else []
        )
    last = values[-max(1, math.ceil(len(values) * PART)) :]
    return sum(last) / len(last)
