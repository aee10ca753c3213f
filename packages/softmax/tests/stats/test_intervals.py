"""Confidence intervals of means and differences, and estimates as documents."""

import math
from collections.abc import Sequence

import pytest

from softmax.stats import VariancePart, bootstrap_estimate, difference_interval, estimate_mean, mean_interval
from softmax.stats import welch_interval as welch


@pytest.mark.parametrize(
    ("values", "low", "high"),
    [
        ([1.0, 3.0], 2 - 12.7062, 2 + 12.7062),
        ([1.0, 2.0, 3.0, 4.0, 5.0], 3 - 2.776445 * 0.5**0.5, 3 + 2.776445 * 0.5**0.5),
    ],
)
def test_the_interval_of_a_mean_is_students(values: list[float], low: float, high: float) -> None:
    interval = mean_interval(values)
    assert interval is not None and interval.above_zero == (low > 0)
    assert (interval.low, interval.high) == (pytest.approx(low, rel=1e-5), pytest.approx(high, rel=1e-5))
    estimate = estimate_mean(values)
    assert (estimate.low, estimate.high, estimate.count) == (interval.low, interval.high, len(values))


def test_one_value_has_no_interval_and_no_value_has_no_mean() -> None:
    assert mean_interval([4.0]) is None and mean_interval([]) is None
    assert estimate_mean([4.0]).model_dump() == {
        "mean": 4.0,
        "low": None,
        "high": None,
        "standard_error": None,
        "count": 1,
        "level": 0.95,
        "method": "student",
    }
    assert estimate_mean([]).mean is None


def test_equal_values_have_an_interval_of_zero_width() -> None:
    interval = mean_interval([2.5] * 6)
    assert interval is not None and (interval.low, interval.high, interval.above_zero) == (2.5, 2.5, True)


def test_differences_of_means_are_welchs() -> None:
    # Worked out by hand: the variances of the means are 1/3 and 4/3, with two degrees of freedom each.
    apart = difference_interval([4.0, 5.0, 6.0], [1.0, 3.0, 5.0])
    assert apart is not None and apart.degrees == pytest.approx(3.8824, abs=1e-3)
    assert (apart.low + apart.high) / 2 == pytest.approx(2.0)
    assert apart.standard_error == pytest.approx(math.sqrt(5 / 3))
    assert difference_interval([1.0], [2.0, 3.0]) is None
    assert difference_interval([1.0, 1.0], [2.0, 2.0]) is None


def test_a_variance_without_any_part_has_no_interval() -> None:
    assert welch(1.0, []) is None and welch(1.0, [VariancePart(0.0, 3)]) is None


Rows = Sequence[tuple[float, float]]


def ratio(rows: Rows) -> float:
    return sum(first for first, _ in rows) / sum(second for _, second in rows)


def test_a_bootstrap_repeats_and_contains_the_statistic() -> None:
    rows = [(1.0, 2.0), (2.0, 5.0), (4.0, 6.0), (3.0, 3.0), (8.0, 9.0)]
    estimate, wider = bootstrap_estimate(rows, ratio), bootstrap_estimate(rows, ratio, level=0.99)
    assert estimate == bootstrap_estimate(rows, ratio)
    assert estimate.mean == pytest.approx(18 / 25)
    assert estimate.low is not None and estimate.high is not None and wider.low is not None and wider.high is not None
    assert wider.low <= estimate.low < 18 / 25 < estimate.high <= wider.high


def test_resamples_without_a_value_are_left_out() -> None:
    estimate = bootstrap_estimate([0, 1, 1, 1], lambda rows: None if 0 in rows else 1.0)
    assert (estimate.mean, estimate.low, estimate.high) == (None, 1.0, 1.0)
    assert bootstrap_estimate([0, 0], lambda rows: None).low is None
    assert bootstrap_estimate([2.0], lambda rows: rows[0]).low is None
