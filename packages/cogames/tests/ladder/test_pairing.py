"""Swiss rounds: similar scores meet, repetitions only where they are unavoidable, byes in turn."""

import itertools
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogames.ladder.pairing import SwissRound, all_pairs, swiss_round


def perfect_matchings(left: list[int]) -> list[list[tuple[int, int]]]:
    """Return every way to pair the entrants, by trying all."""
    if not left:
        return [[]]
    first, *others = left
    return [
        [(first, other), *rest]
        for other in others
        for rest in perfect_matchings([each for each in others if each != other])
    ]


def test_all_pairs_are_each_pair_once() -> None:
    assert all_pairs(4) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]


def test_the_first_round_pairs_neighbours_and_the_second_the_winners() -> None:
    first = swiss_round([0, 0, 0, 0], [])
    assert first == SwissRound(((0, 1), (2, 3)))
    assert swiss_round([0, 1, 1, 0], [first]).pairs == ((1, 2), (0, 3))


def test_the_nearest_opponent_is_passed_over_if_the_rest_could_not_be_paired() -> None:
    # 0 and 1 lead and have not met, but 2 and 3 have: pairing the leaders would repeat (2, 3).
    assert swiss_round([2, 2, 1, 1], [SwissRound(((2, 3),))]).pairs == ((0, 2), (1, 3))


@settings(max_examples=150, deadline=None)
@given(st.integers(2, 8), st.lists(st.lists(st.integers(0, 3), min_size=8, max_size=8), min_size=1, max_size=9))
def test_rounds_repeat_a_pair_only_where_every_pairing_would(entrants: int, points: list[list[int]]) -> None:
    earlier: list[SwissRound] = []
    met: Counter[tuple[int, int]] = Counter()
    for scores in points:
        played = swiss_round([float(score) for score in scores[:entrants]], earlier)
        seated = sorted(itertools.chain(*played.pairs))
        assert seated == [entrant for entrant in range(entrants) if entrant != played.bye]
        assert (played.bye is not None) == bool(entrants % 2)
        repeated = any(met[pair] for pair in played.pairs)
        avoidable = any(all(not met[pair] for pair in matching) for matching in perfect_matchings(seated))
        assert repeated != avoidable
        earlier.append(played)
        met.update(played.pairs)


@pytest.mark.parametrize("entrants", [3, 5, 7])
def test_everyone_sits_out_once_before_anyone_does_twice(entrants: int) -> None:
    earlier: list[SwissRound] = []
    for _ in range(entrants):
        earlier.append(swiss_round([0.0] * entrants, earlier))
    assert sorted(played.bye for played in earlier if played.bye is not None) == list(range(entrants))


def test_forty_entrants_play_twenty_rounds() -> None:
    earlier: list[SwissRound] = []
    points = [0.0] * 40
    for _ in range(20):
        earlier.append(swiss_round(points, earlier))
        for first, _ in earlier[-1].pairs:
            points[first] += 1
    assert len({pair for played in earlier for pair in played.pairs}) == 400
