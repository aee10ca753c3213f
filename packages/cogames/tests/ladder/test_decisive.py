"""What decided a pairing: the largest difference that goes with the score and favours the winner."""

import random

from cogames.ladder.decisive import decisive_stats, spreads
from cogames.ladder.duels import Duel
from cogames.ladder.games import DuelKey

Stats = dict[str, float]


def duel(number: int, first: tuple[float, Stats], second: tuple[float, Stats], pair: tuple[int, int] = (0, 1)) -> Duel:
    key = DuelKey(pair, 0, number)
    return Duel(key, (first[0], second[0]), (False, False), (first[1], second[1]), ())


def labels(duels: list[Duel]) -> list[str]:
    return [stat.label for stat in decisive_stats(duels, spreads(duels))]


def test_the_difference_that_goes_with_the_score_comes_first() -> None:
    # Hearts follow the score, explored cells do not; both differ by much.
    rng = random.Random(1)
    duels = [
        duel(
            number,
            (3.0 + number, {"hearts taken": 6.0 + number + rng.random(), "elements deposited": 100 * rng.random()}),
            (1.0 + number, {"hearts taken": 2.0 + number + rng.random(), "elements deposited": 40 * rng.random()}),
        )
        for number in range(6)
    ]
    assert labels(duels) == ["hearts taken", "elements deposited"]


def test_a_measure_that_restates_the_score_comes_after_those_that_explain_it() -> None:
    duels = [
        duel(
            number, (score, {"junctions held": 2 * score, "deaths": 0.0}), (1.0, {"junctions held": 2.0, "deaths": 3.0})
        )
        for number, score in enumerate((4.0, 5.0, 9.0))
    ]
    assert labels(duels) == ["deaths", "junctions held"]


def test_results_come_before_behaviour_and_named_measures_before_other_stats() -> None:
    winner = {"cells explored": 90.0, "hearts taken": 2.0, "own.stat": 5.0}
    loser = {"cells explored": 10.0, "hearts taken": 1.0, "own.stat": 1.0}
    duels = [duel(number, (2.0 + number, winner), (1.0, loser)) for number in range(3)]
    assert labels(duels) == ["hearts taken", "cells explored"]
    assert labels([duel(0, (2.0, {"own.stat": 5.0}), (1.0, {"own.stat": 1.0}))]) == ["own.stat"]


def test_what_favours_the_loser_decided_nothing() -> None:
    winner, loser = {"deaths": 5.0, "hearts taken": 2.0}, {"deaths": 0.0, "hearts taken": 1.0}
    assert labels([duel(0, (2.0, winner), (1.0, loser))]) == ["hearts taken"]


def test_the_view_of_the_other_policy_is_mirrored() -> None:
    rng = random.Random(3)
    duels = [
        duel(
            number,
            (rng.random(), {"hearts taken": rng.random(), "deaths": rng.random()}),
            (rng.random(), {"hearts taken": rng.random(), "deaths": rng.random()}),
        )
        for number in range(8)
    ]
    spread = spreads(duels)
    ours, theirs = decisive_stats(duels, spread), decisive_stats([each.flipped() for each in duels], spread)
    assert [(stat.label, stat.first, stat.second, stat.effect) for stat in ours] == [
        (stat.label, stat.second, stat.first, -stat.effect) for stat in theirs
    ]
    assert [each.result for each in duels] == [1 - each.flipped().result for each in duels]


def test_a_failure_loses_whatever_the_scores() -> None:
    key = DuelKey((0, 1), 0, 0)
    results = {
        failed: Duel(key, (9.0, 1.0), failed, ({}, {}), ()).result
        for failed in ((False, False), (True, False), (False, True), (True, True))
    }
    assert results == {(False, False): 1.0, (True, False): 0.0, (False, True): 1.0, (True, True): 0.5}
