"""Confidence intervals of means over episodes and matches (Student's t, Welch, the bootstrap), and ratings of duels."""

from softmax.stats.estimates import Estimate, bootstrap_estimate, estimate_mean
from softmax.stats.intervals import LEVEL, Interval, VariancePart, difference_interval, mean_interval, welch_interval
from softmax.stats.ratings import MEAN_RATING, Duel, Rating, expected_result, rate
from softmax.stats.student import t_quantile, t_table

__all__ = [
    "LEVEL",
    "MEAN_RATING",
    "Duel",
    "Estimate",
    "Interval",
    "Rating",
    "VariancePart",
    "bootstrap_estimate",
    "difference_interval",
    "estimate_mean",
    "expected_result",
    "mean_interval",
    "rate",
    "t_quantile",
    "t_table",
    "welch_interval",
]
