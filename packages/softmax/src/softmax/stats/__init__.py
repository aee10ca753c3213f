"""Confidence intervals of means over episodes and matches: Student's t, Welch and the bootstrap."""

from softmax.stats.estimates import Estimate, bootstrap_estimate, estimate_mean
from softmax.stats.intervals import LEVEL, Interval, VariancePart, difference_interval, mean_interval, welch_interval
from softmax.stats.student import t_quantile, t_table

__all__ = [
    "LEVEL",
    "Estimate",
    "Interval",
    "VariancePart",
    "bootstrap_estimate",
    "difference_interval",
    "estimate_mean",
    "mean_interval",
    "t_quantile",
    "t_table",
    "welch_interval",
]
