"""Quantiles of Student's t, against published tables and the distribution's own symmetries."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softmax.stats import t_quantile, t_table

# Degrees of freedom, probability, quantile: closed forms for one and two degrees, tables for the others.
KNOWN = [
    (1, 0.975, math.tan(math.pi * 0.475)),
    (1, 0.9995, math.tan(math.pi * 0.4995)),
    (2, 0.975, 0.95 * math.sqrt(2 / (1 - 0.95**2))),
    (5, 0.975, 2.570581835636314),
    (10, 0.975, 2.2281388519649385),
    (10, 0.995, 3.169272672616872),
    (30, 0.975, 2.0422724563012373),
    (120, 0.95, 1.6576508993552355),
    (math.inf, 0.975, NormalDist().inv_cdf(0.975)),
]


@pytest.mark.parametrize(("degrees", "probability", "quantile"), KNOWN)
def test_quantiles_equal_known_values(degrees: float, probability: float, quantile: float) -> None:
    assert t_quantile(degrees, probability) == pytest.approx(quantile, rel=1e-10)


@given(st.floats(1, 5000), st.floats(1, 5000), st.floats(0.51, 0.9999))
def test_more_degrees_of_freedom_never_widen(first: float, second: float, probability: float) -> None:
    few, many = sorted((first, second))
    assert t_quantile(few, probability) >= t_quantile(many, probability) * (1 - 1e-9)


def test_fewer_than_one_degree_counts_as_one() -> None:
    assert t_quantile(0.3) == t_quantile(1)


@pytest.mark.parametrize("probability", [0.2, 1.0, math.nan])
def test_probabilities_outside_the_upper_half_are_refused(probability: float) -> None:
    with pytest.raises(ValueError, match=r"expected 0\.5 <= probability < 1"):
        t_quantile(5, probability)


def test_interpolating_the_table_is_never_too_small_and_nearly_exact() -> None:
    inverses = np.linspace(0.0005, 1, 777)
    interpolated = np.interp(inverses, *t_table())
    exact = np.array([t_quantile(1 / inverse) for inverse in inverses.tolist()])
    assert np.all(interpolated >= exact * (1 - 1e-12)) and np.all(interpolated <= exact * 1.00001)
