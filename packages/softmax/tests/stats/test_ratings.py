"""Ratings from pairwise results: known values, symmetries, and how often the intervals cover the truth."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softmax.stats import MEAN_RATING, Duel, Rating, expected_result, rate
from softmax.stats.ratings import POINTS

PLAYERS = 5
PAIRS = [(i, j) for i in range(PLAYERS) for j in range(i)]

duel = st.builds(
    lambda pair, result, group: Duel(pair[0], pair[1], result, group),
    st.sampled_from(PAIRS),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.integers(0, 4),
)
duels = st.lists(duel, max_size=30)


def values(ratings: list[Rating]) -> list[float]:
    return [rating.rating for rating in ratings]


def test_two_players_have_the_odds_of_their_results() -> None:
    # With many duels the prior does not matter: three wins in four are odds of 3.
    results = [Duel(0, 1, float(number % 4 != 0), group=number) for number in range(40_000)]
    first, second = values(rate(2, results))
    assert first - second == pytest.approx(400 * math.log10(3), abs=0.1)
    assert expected_result(first, second) == pytest.approx(0.75, abs=1e-4)


def test_one_win_is_worked_out_by_hand() -> None:
    # One win and the drawn duel against 1500 each: by symmetry the strengths are s and -s, and the gradient vanishes
    # where 1 - f(2 s) = f(s) - 1/2.
    first, second = values(rate(2, [Duel(0, 1, 1.0)]))
    strength = (first - MEAN_RATING) / POINTS
    assert second == pytest.approx(2 * MEAN_RATING - first)
    assert 1 - expected_result(2 * POINTS * strength, 0) == pytest.approx(expected_result(POINTS * strength, 0) - 0.5)


def test_an_unbeaten_player_has_a_finite_rating_and_an_interval() -> None:
    best, *others = rate(3, [Duel(0, other, 1.0, group) for other in (1, 2) for group in range(50)])
    assert best.low is not None and others[0].high is not None
    assert math.isfinite(best.rating) and best.low > others[0].high
    assert best.duels == 100 and others[0].duels == 50


def test_one_group_says_nothing_about_the_spread() -> None:
    assert all(rating.low is None for rating in rate(2, [Duel(0, 1, 1.0), Duel(0, 1, 0.0)]))


def test_without_duels_all_are_average() -> None:
    assert values(rate(3, [])) == [MEAN_RATING] * 3 and rate(0, []) == []


@pytest.mark.parametrize("bad", [Duel(0, 1, 1.5), Duel(0, 0, 1.0), Duel(0, 2, 1.0), Duel(0, 1, math.nan)])
def test_bad_duels_are_refused(bad: Duel) -> None:
    with pytest.raises(ValueError, match="expected"):
        rate(2, [bad])


@settings(max_examples=60, deadline=None)
@given(duels, st.randoms(use_true_random=False))
def test_order_does_not_matter(played: list[Duel], rng: random.Random) -> None:
    expected = rate(PLAYERS, played)
    shuffled = rng.sample(played, len(played))
    assert rate(PLAYERS, shuffled) == expected
    places = rng.sample(range(PLAYERS), PLAYERS)
    renamed = rate(PLAYERS, [Duel(places[d.first], places[d.second], d.result, d.group) for d in played])
    assert values(renamed) == pytest.approx([values(expected)[places.index(player)] for player in range(PLAYERS)])


@settings(max_examples=60, deadline=None)
@given(duels)
def test_sides_and_directions_are_symmetrical(played: list[Duel]) -> None:
    expected = rate(PLAYERS, played)
    assert math.fsum(values(expected)) == pytest.approx(PLAYERS * MEAN_RATING)
    swapped = rate(PLAYERS, [Duel(d.second, d.first, 1 - d.result, d.group) for d in played])
    assert values(swapped) == pytest.approx(values(expected))
    reversed_results = rate(PLAYERS, [Duel(d.first, d.second, 1 - d.result, d.group) for d in played])
    assert values(reversed_results) == pytest.approx([2 * MEAN_RATING - value for value in values(expected)])
    for rating, mirrored in zip(expected, reversed_results, strict=True):
        assert (rating.standard_error is None) == (mirrored.standard_error is None)
        if rating.low is not None and mirrored.high is not None:
            assert rating.low <= rating.rating and rating.low == pytest.approx(2 * MEAN_RATING - mirrored.high)


@settings(max_examples=60, deadline=None)
@given(duels, st.sampled_from(PAIRS), st.integers(0, 4))
def test_a_win_raises_the_winner(played: list[Duel], pair: tuple[int, int], group: int) -> None:
    before, after = values(rate(PLAYERS, played)), values(rate(PLAYERS, [*played, Duel(*pair, 1.0, group)]))
    assert after[pair[0]] > before[pair[0]] and after[pair[1]] < before[pair[1]]


def test_intervals_cover_the_truth() -> None:
    strengths = [1.0, 0.4, 0.0, -0.4, -1.0]
    rng, covered, total = random.Random(5), 0, 0
    for _ in range(120):
        played = [
            Duel(i, j, float(rng.random() < 1 / (1 + math.exp(strengths[j] - strengths[i]))), group)
            for group in range(12)
            for i, j in PAIRS
        ]
        for rating, strength in zip(rate(PLAYERS, played), strengths, strict=True):
            assert rating.low is not None and rating.high is not None
            covered += rating.low <= MEAN_RATING + POINTS * strength <= rating.high
            total += 1
    assert 0.92 <= covered / total <= 0.995


def test_intervals_allow_for_luck_that_duels_of_a_group_share() -> None:
    """On each map a player's score is its skill plus luck, and the higher score wins all its duels there."""
    skills = [0.8, 0.4, 0.0, -0.4, -0.8]

    def play(rng: random.Random, groups: int) -> list[Duel]:
        played = []
        for group in range(groups):
            scores = [skill + rng.gauss(0, 1) for skill in skills]
            played += [Duel(i, j, float(scores[i] > scores[j]), group) for i, j in PAIRS]
        return played

    truth = values(rate(PLAYERS, play(random.Random(1), 6000)))
    rng, covered, total = random.Random(2), 0, 0
    for _ in range(120):
        for rating, true in zip(rate(PLAYERS, play(rng, 12)), truth, strict=True):
            assert rating.low is not None and rating.high is not None
            covered += rating.low <= true <= rating.high
            total += 1
    assert 0.92 <= covered / total <= 0.999
