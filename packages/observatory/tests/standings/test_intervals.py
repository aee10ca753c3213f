"""Intervals are honest: in simulated seasons they hold the true value as often as they say.

`INTERVAL_SEASONS` is the number of seasons (250); `make soak` asks for 2,000.
"""

from __future__ import annotations

import math
import os
import random
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from observatory.commissioner import freeplay
from observatory.commissioner.decisions import NewMatch
from observatory.commissioner.facts import EndedMatch, Member, PoolRecord, SeasonFacts, Tally
from observatory.scoring.exact import ExactSum
from observatory.scoring.folds import LoggedMatch, PoolFold
from observatory.scoring.intervals import Sample, score_interval
from observatory.scoring.standings import PlayedMatch, Seat, weighted_standings
from observatory.scoring.vor import team_values
from observatory.seasons.config import FreeplayConfig
from observatory.seasons.creation import COMPETITION, QUALIFYING

SEASONS = int(os.environ.get("INTERVAL_SEASONS", "250"))
PARTS = (0.25, 0.5, 0.8, 1.0)
START = datetime(2026, 3, 1, tzinfo=UTC)
CONFIG = FreeplayConfig(game={"mission": "arena", "num_agents": 8}, splits=[(2, 6), (6, 2), (4, 4)], repetitions=4)
POLICIES = [uuid.UUID(int=number) for number in range(1, 6)]


def whole_season() -> list[NewMatch]:
    """All matches of a season of five policies by three authors, in the order in which the commissioner makes them."""
    members = [Member(policy, f"author {number % 3}") for number, policy in enumerate(POLICIES)]
    tally, matches = Tally(), list[NewMatch]()
    while True:
        pools = {QUALIFYING: PoolRecord(QUALIFYING), COMPETITION: PoolRecord(COMPETITION, members, tally)}
        steps = freeplay.decide(SeasonFacts("open", CONFIG, 1, True, pools)).steps
        new = [step for step in steps if isinstance(step, NewMatch)]
        if not new:
            return matches
        matches += new
        for match in new:
            tally.add(EndedMatch(match.combination, match.sample, match.policies, (0.0,) * len(match.policies)))


class Truth:
    """How a season's scores come about: effects of policy, partner, split, both together, of maps that all share and
    policies feel differently, and noise that is neither normal nor the same for all."""

    def __init__(self, chance: np.random.Generator) -> None:
        count, splits, samples = len(POLICIES), len(CONFIG.splits), CONFIG.repetitions
        scale = chance.uniform(0.2, 2.0, 4)
        self._fixed = (
            chance.normal(0, 1, (count, 1, 1))
            + scale[0] * chance.normal(0, 1, (1, count, 1))
            + scale[1] * chance.normal(0, 0.5, (count, count, 1))
            + 0.5 * chance.normal(0, 1, (count, 1, splits))
        )
        maps = scale[2] * (chance.gamma(4.0, 0.5, (splits, samples)) - 2.0)
        self._maps = maps + 0.5 * scale[2] * chance.normal(0, 1, (count, splits, samples))
        self._noise = (
            scale[3]
            * chance.uniform(0.3, 2.0, (count, 1, 1, 1))
            * chance.laplace(0, 0.7, (count, count, splits, samples))
        )

    def score(self, policy: int, other: int, split: int, sample: int) -> float:
        return float(
            self._fixed[policy, other, split]
            + self._maps[policy, split, sample]
            + self._noise[policy, other, split, sample]
        )

    def expected(self, policy: int, other: int, split: int) -> float:
        return float(self._fixed[policy, other, split])


@dataclass(frozen=True)
class Design:
    """Return the games of the schedule, as (policy, other, split, weight)."""

    seats: Sequence[tuple[int, int, int, float]]

    @classmethod
    def of(cls, matches: Sequence[NewMatch]) -> Design:
        index = {policy: number for number, policy in enumerate(POLICIES)}
        seats = set()
        for match in matches:
            pair = [index[policy] for policy in match.policies]
            for place in (0, 1):
                weight = match.seats.count(place) / len(match.seats)
                seats.add((pair[place], pair[1 - place], match.split_index, weight))
        return cls(sorted(seats))

    def score(self, truth: Truth, policy: int) -> float:
        own = [(truth.expected(p, o, s), w) for p, o, s, w in self.seats if p == policy]
        return sum(score * weight for score, weight in own) / sum(weight for _, weight in own)

    def value(self, truth: Truth, policy: int) -> float:
        rest = [(truth.expected(p, o, s), w) for p, o, s, w in self.seats if policy not in (p, o)]
        return self.score(truth, policy) - sum(y * w for y, w in rest) / sum(w for _, w in rest)


def logged(truth: Truth, matches: Sequence[NewMatch]) -> list[LoggedMatch]:
    index = {policy: number for number, policy in enumerate(POLICIES)}
    log = []
    for order, match in enumerate(matches, 1):
        first, second = (index[policy] for policy in match.policies)
        scores = (
            truth.score(first, second, match.split_index, match.sample),
            truth.score(second, first, match.split_index, match.sample),
        )
        seats = tuple(
            Seat(policy, match.seats.count(place), scores[place]) for place, policy in enumerate(match.policies)
        )
        log.append(LoggedMatch(order, START + timedelta(seconds=order), match.sample, seats))
    return log


def test_intervals_cover_the_true_score_at_the_stated_rate(capsys) -> None:
    matches = whole_season()
    design = Design.of(matches)
    stops = {round(len(matches) * part): part for part in PARTS}
    chance = np.random.default_rng(7)
    covered = {part: [0, 0] for part in PARTS}
    values = [0, 0]
    for _ in range(SEASONS):
        truth, fold = Truth(chance), PoolFold()
        for number, match in enumerate(logged(truth, matches), 1):
            fold.add(match)
            if number not in stops:
                continue
            part = stops[number]
            for place in fold.places(len(POLICIES)):
                policy = POLICIES.index(place.standing.policy_version_id)
                assert place.interval is not None
                true = design.score(truth, policy)
                covered[part][place.interval.low <= true <= place.interval.high] += 1
                if part == 1.0 and place.value is not None and place.value.low is not None:
                    assert place.value.high is not None
                    values[place.value.low <= design.value(truth, policy) <= place.value.high] += 1
    coverage = {part: counts[1] / sum(counts) for part, counts in covered.items()}
    of_values = values[1] / sum(values)
    with capsys.disabled():
        summary = ", ".join(f"{share:.1%} with {part:.0%} played" for part, share in coverage.items())
        print(f"\n95 % intervals of {SEASONS} seasons hold the true score: {summary}; the true value: {of_values:.1%}")
    assert all(0.93 <= share <= 0.97 for share in coverage.values()), coverage
    assert 0.93 <= of_values <= 0.97
    assert sum(values) == SEASONS * len(POLICIES)


def test_few_results_give_wide_intervals_or_none() -> None:
    def sample(stratum: int, number: int, score: float, company: int = 0) -> Sample:
        return Sample(stratum, number, company, 0.5, score)

    assert score_interval([], 1) is None
    assert score_interval([sample(0, 0, 1.0)] * 50, 1) is None  # one map, however often
    assert score_interval([sample(0, 0, 1.0), sample(0, 1, 1.0)], 1) is None  # nothing seen of any difference
    two = score_interval([sample(0, 0, 1.0), sample(0, 1, 2.0)], 1)
    assert two is not None and two.high - two.low == pytest.approx(12.7062, abs=1e-3)
    # Many partners on the same two maps are not more evidence about maps.
    many = score_interval([sample(0, number, 1.0 + number, other) for number in (0, 1) for other in range(40)], 40)
    assert many is not None and many.high - many.low == pytest.approx(two.high - two.low)
    # Only one of many partners met: nothing is known of the others.
    assert score_interval([sample(0, number, float(number)) for number in range(5)], 9) is None
    some = score_interval([sample(0, number, 1.0 + number, other) for number in (0, 1) for other in (0, 1)], 9)
    all_met = score_interval([sample(0, number, 1.0 + number, other) for number in (0, 1) for other in (0, 1)], 2)
    assert some is not None and all_met is not None and some.high - some.low >= all_met.high - all_met.low


def test_a_split_with_one_map_widens_the_interval_and_does_not_vanish() -> None:
    two_each = [Sample(split, number, 0, 0.5, split + 0.1 * number) for split in (0, 5) for number in (0, 1)]
    sure, unsure = score_interval(two_each, 1), score_interval(two_each[:-1], 1)
    assert sure is not None and unsure is not None
    assert unsure.high - unsure.low > sure.high - sure.low


def test_the_order_of_matches_does_not_matter_and_the_fold_is_the_published_table() -> None:
    matches = logged(Truth(np.random.default_rng(3)), whole_season())
    folds = []
    for seed in range(3):
        shuffled = list(matches)
        random.Random(seed).shuffle(shuffled)
        fold = PoolFold()
        for number, match in enumerate(shuffled):
            fold.add(match)
            if number % 40 == 0:
                fold.places(len(POLICIES))  # what is made on the way changes nothing
        folds.append(fold)
    tables = [fold.places(len(POLICIES)) for fold in folds]
    assert tables[0] == tables[1] == tables[2]
    assert folds[0].standings() == weighted_standings(PlayedMatch(match.seats) for match in matches)


def test_a_policys_rank_cannot_be_better_than_those_that_are_surely_better() -> None:
    fold = PoolFold()
    order = 0
    for policy, level in zip(POLICIES[:3], (10.0, 1.0, 1.05), strict=True):
        for sample in range(6):
            order += 1
            fold.add(LoggedMatch(order, START, sample, (Seat(policy, 8, level + 0.1 * sample),)))
    first, second, third = fold.places(3)
    assert (first.rank_low, first.rank_high) == (1, 1)
    assert (second.rank_low, second.rank_high) == (third.rank_low, third.rank_high) == (2, 3)


def test_the_value_over_replacement_is_that_of_the_seats_without_the_policy() -> None:
    first, second, third = POLICIES[:3]
    fold = PoolFold()
    games = [
        ((first, 2, 4.0), (second, 6, 2.0)),
        ((second, 4, 1.0), (third, 4, 3.0)),
        ((first, 6, 5.0), (third, 2, 1.0)),
    ]
    for order, seats in enumerate(games, 1):
        fold.add(LoggedMatch(order, START, 0, tuple(Seat(*seat) for seat in seats)))
    values = {place.standing.policy_version_id: place.value for place in fold.places(3)}
    value = values[first]
    assert value is not None and value.value == pytest.approx((2 * 4 + 6 * 5) / 8 - (4 * 1 + 4 * 3) / 8)
    alone = PoolFold()
    alone.add(LoggedMatch(1, START, 0, (Seat(first, 8, 1.0),)))
    assert alone.places(1)[0].value is None


def test_the_value_of_a_policy_is_the_difference_it_makes_to_teams() -> None:
    first, second, third = POLICIES[:3]
    teams = {
        uuid.UUID(int=100 + n): members
        for n, members in enumerate([[first, second], [first, third], [second, third], [third, third]])
    }
    scores = dict(zip(teams, (6.0, 4.0, 3.0, 1.0), strict=True))
    values = team_values(teams, scores)
    assert values[first].value == pytest.approx(5.0 - 2.0)
    assert values[first].low is not None and values[first].low < 3.0 < (values[first].high or 0.0)
    assert values[third].value == pytest.approx(8 / 3 - 6.0) and values[third].low is None  # one team without it


def test_exact_sums_lose_nothing() -> None:
    values = [1e300, 1.0, -1e300, 5e-324, 0.1, -0.1]
    assert float(ExactSum(values)) == math.fsum(values)
    assert float(ExactSum([1e16, 1.0]) - ExactSum([1e16])) == 1.0
