"""Freeplay seasons: what is played in the end, in which order, and who goes where."""

from __future__ import annotations

import itertools
import math
import random
import uuid
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from observatory.commissioner.decisions import NewMatch
from observatory.commissioner.facts import Limits
from observatory.commissioner.freeplay import pair_key
from observatory.commissioner.reasons import reasons
from observatory.job_states import Priority
from observatory.seasons.config import FreeplayConfig
from observatory.seasons.creation import COMPETITION, QUALIFYING
from packages.observatory.tests.commissioner.rehearsal import Failure, Rehearsal, by_skill, policies


def config(**changes: Any) -> FreeplayConfig:
    values: dict[str, Any] = {
        "game": {"mission": "arena", "num_agents": 4},
        "splits": [(1, 3), (3, 1), (2, 2)],
        "repetitions": 2,
        "qualifying_threshold": -1,
    }
    return FreeplayConfig(**(values | changes))


def expected_games(members: list[uuid.UUID], rules: FreeplayConfig) -> set[tuple[str, int]]:
    """Every pair with every split and every repetition, as the rules say it."""
    return {
        (pair_key(pair, split), sample)
        for pair in itertools.combinations(sorted(members), 2)
        for split in rules.splits
        for sample in range(rules.repetitions)
    }


@settings(max_examples=25, deadline=None)
@given(
    count=st.integers(0, 7),
    repetitions=st.integers(1, 3),
    outstanding=st.sampled_from([1, 3, 50]),
    late=st.integers(0, 3),
    lost=st.floats(0, 0.3),
    order=st.integers(0, 10_000),
)
def test_every_pair_plays_every_split_and_repetition_once_in_any_order(
    count: int, repetitions: int, outstanding: int, late: int, lost: float, order: int
) -> None:
    rules = config(repetitions=repetitions)
    chance = random.Random(order)
    failures: Counter[tuple[str, int]] = Counter()

    def unlucky(match: NewMatch, seed: int) -> Any:
        """Now and then a machine breaks, though never so often that a game is given up."""
        game = match.combination, match.sample
        if chance.random() < lost and failures[game] < rules.max_failures - 1:
            failures[game] += 1
            return Failure()
        return by_skill(match, seed)

    members = policies(count)
    season = Rehearsal(rules, unlucky, chance, Limits(outstanding=outstanding, at_once=7))
    season.enter(members[: count - late] if late < count else members)
    season.run()
    season.enter(policy for policy in members if policy not in {m.policy for m in season.pools[QUALIFYING].members})
    season.run()

    played = [(match.combination, match.sample) for match in season.completed(COMPETITION)]
    assert len(played) == len(set(played))
    assert set(played) == expected_games(members, rules)
    alone = Counter(match.policies for match in season.completed(QUALIFYING))
    assert alone == {(policy,): rules.qualifying_matches for policy in members}
    assert not season.active(QUALIFYING) and season.active(COMPETITION) == set(members)


def test_seats_follow_the_split_and_a_qualifying_policy_has_all_of_them() -> None:
    season = Rehearsal(config())
    season.enter(policies(2))
    season.run()
    first, second = sorted(policies(2))
    assert {match.seats for match in season.completed(QUALIFYING)} == {(0, 0, 0, 0)}
    assert {(match.policies, match.seats) for match in season.completed(COMPETITION)} == {
        ((first, second), (0, 1, 1, 1)),
        ((first, second), (0, 0, 0, 1)),
        ((first, second), (0, 0, 1, 1)),
    }


@pytest.mark.parametrize(
    ("scores", "is_in"),
    [
        ((0.05, 0.05), True),
        ((0.0, 0.1), True),
        ((math.nextafter(0.05, 0), math.nextafter(0.05, 0)), False),
        ((1.0, -1.0), False),
        ((math.nextafter(0.05, 1), 0.05), True),
    ],
)
def test_a_mean_of_exactly_the_threshold_qualifies_and_anything_below_does_not(
    scores: tuple[float, float], is_in: bool
) -> None:
    (policy,) = policies(1)
    season = Rehearsal(config(qualifying_threshold=0.05), lambda match, seed: [scores[match.sample]])
    season.enter([policy])
    season.run()
    assert season.active(COMPETITION) == ({policy} if is_in else set())
    assert not season.active(QUALIFYING)
    (why,) = {why for action, pool, _, why in season.notes if (action, pool) == ("leave", QUALIFYING)}
    assert why.startswith("Qualified: mean score" if is_in else "Not qualified: mean score")


def test_qualifying_matches_of_a_policy_are_played_in_sequence() -> None:
    season = Rehearsal(config(qualifying_matches=3))
    season.enter(policies(3))
    season.run_passes()
    while season.pools[QUALIFYING].open:
        assert max(Counter(match.policies for match in season.pools[QUALIFYING].open).values()) == 1
        season.end_one()
        season.run_passes()


def test_a_policy_that_fails_three_times_is_retired_and_machine_faults_count_for_no_policy() -> None:
    bad, unlucky, good = policies(3)

    def play(match: NewMatch, seed: int) -> Any:
        return {bad: Failure(0), unlucky: Failure()}.get(match.policies[0], [1.0])

    season = Rehearsal(config(), play)
    season.enter([bad, unlucky, good])
    season.run()
    tried = Counter(match.policies[0] for match, _ in season.ended if match.pool == QUALIFYING)
    assert tried == {bad: 3, unlucky: 2 * 3, good: 2}
    assert season.active(QUALIFYING) == {unlucky} and season.active(COMPETITION) == {good}
    assert ("leave", QUALIFYING, bad, "Not qualified: it failed in 3 matches") in season.notes
    assert "held: the next one could not be played 3 times" in reasons(season.facts).policies[unlucky]


def test_a_policy_that_breaks_its_matches_is_retired_and_its_partners_are_not_charged() -> None:
    members = policies(5)
    bad = members[2]

    def play(match: NewMatch, seed: int) -> Any:
        breaks = match.pool == COMPETITION and bad in match.policies
        return Failure(match.policies.index(bad)) if breaks else by_skill(match, seed)

    rules = config()
    tables = set()
    for order in range(5):
        season = Rehearsal(rules, play, random.Random(order))
        season.enter(members)
        season.run()
        others = [member for member in members if member != bad]
        assert season.active(COMPETITION) == set(others)
        assert {(match.combination, match.sample) for match in season.completed(COMPETITION)} == expected_games(
            others, rules
        )
        assert set(season.pools[COMPETITION].tally.charged) == {bad}
        (why,) = [
            why for action, pool, policy, why in season.notes if (action, pool, policy) == ("leave", COMPETITION, bad)
        ]
        assert why.startswith("It failed in") and why.endswith("and completed 0")
        results = {(m.combination, m.sample): tuple(by_skill(m, 0)) for m in season.completed(COMPETITION)}
        tables.add(tuple(sorted(results.items())))
    assert len(tables) == 1


def test_a_game_that_fails_is_played_again_under_a_new_number_and_with_the_same_seed() -> None:
    failed: list[NewMatch] = []

    def play(match: NewMatch, seed: int) -> Any:
        if match.pool == COMPETITION and match.sample == 1 and not failed:
            failed.append(match)
            return Failure(0)
        return by_skill(match, seed)

    season = Rehearsal(config(), play)
    season.enter(policies(2))
    season.run()
    (first,) = failed
    again = [m for m in season.completed(COMPETITION) if m.combination == first.combination and m.sample == 1]
    assert [match.repetition for match in again] == [2]
    assert {match.repetition for match in season.scheduled if match.combination == first.combination} == {0, 1, 2}


def test_a_game_that_is_always_broken_is_given_up_and_the_rest_is_played() -> None:
    first, second = sorted(policies(2))
    broken = pair_key((first, second), (2, 2))

    def play(match: NewMatch, seed: int) -> Any:
        return Failure() if (match.combination, match.sample) == (broken, 0) else by_skill(match, seed)

    rules = config()
    season = Rehearsal(rules, play)
    season.enter([first, second])
    season.run()
    played = {(match.combination, match.sample) for match in season.completed(COMPETITION)}
    assert played == expected_games([first, second], rules) - {(broken, 0)}
    assert sum(match.combination == broken and match.sample == 0 for match in season.scheduled) == rules.max_failures


def test_all_pairs_meet_once_before_any_pair_meets_twice() -> None:
    season = Rehearsal(config(), limits=Limits(outstanding=1, first_matches=0))
    season.enter(policies(6), pool=COMPETITION)
    season.run()
    counts: Counter[str] = Counter()
    for match in season.scheduled:
        assert match.repetition == counts[match.combination]
        counts[match.combination] += 1
        # No policy of this match has a remaining combination with fewer matches.
        both = set(match.policies)
        assert all(
            counts[key] >= match.repetition
            for pair in itertools.combinations(sorted(policies(6)), 2)
            if match.policies[match.picked or 0] in pair and both
            for key in (pair_key(pair, split) for split in config().splits)
        )


def test_an_author_with_fifty_versions_does_not_starve_one_with_a_single_version() -> None:
    *many, alone = policies(51)
    season = Rehearsal(config(repetitions=5), limits=Limits(outstanding=8, at_once=8, first_matches=10))
    season.enter(many, author="many", pool=COMPETITION)
    season.enter([alone], author="alone", pool=COMPETITION)
    while season.pools[COMPETITION].tally.completed[alone] < 10:
        season.run_passes()
        season.end_one()
    picked = [match.policies[match.picked or 0] == alone for match in season.scheduled]
    # One of two authors: of any matches in a row about half were made for the single version, until it had its ten.
    until = [place for place, is_alone in enumerate(picked) if is_alone][9]
    assert until <= 28
    for start in range(until - 8):
        assert 2 <= sum(picked[start : start + 8]) <= 6


def test_a_new_version_gets_its_first_matches_before_all_others() -> None:
    *old, new = policies(12)
    season = Rehearsal(config(repetitions=5), limits=Limits(outstanding=4, first_matches=10))
    season.enter(old, pool=COMPETITION)
    while min(season.pools[COMPETITION].tally.completed[policy] for policy in old) < 12:
        season.run_passes()
        season.end_one()
    before = len(season.scheduled)
    season.enter([new], pool=COMPETITION)
    while season.pools[COMPETITION].tally.completed[new] < 10:
        season.end_one()
        season.run_passes()
    new_matches = season.scheduled[before:]
    first = new_matches[:10]
    assert all(new in match.policies and match.priority == Priority.FIRST for match in first)
    assert len({tuple(match.policies) for match in first}) == 10  # ten different opponents
    assert all(match.priority == Priority.REST for match in season.scheduled[before - 4 : before])


def test_the_entry_pool_is_served_first_within_the_limit_of_outstanding_matches() -> None:
    season = Rehearsal(config(), limits=Limits(outstanding=5, at_once=3))
    season.enter(policies(6), pool=COMPETITION)
    season.run_passes()
    assert len(season.pools[COMPETITION].open) == 5
    assert season.why == "5 matches are queued or running, which is the maximum"
    season.enter(policies(8)[6:])
    season.end_one()
    (match,) = season.run_pass().matches
    assert (match.pool, match.priority) == (QUALIFYING, Priority.ENTRY)


def test_reasons_explain_why_a_season_and_its_policies_wait() -> None:
    first, second = policies(2)
    season = Rehearsal(config())
    assert reasons(season.facts).season == "No policy is in the season"
    season.enter([first])
    season.run_passes()
    current = reasons(season.facts)
    assert current.policies == {first: "0 of 2 qualifying matches played; the next one is queued or running"}
    season.run()
    assert reasons(season.facts).season == "One policy is in the competition; a match needs two"
    assert (
        reasons(season.facts).policies[first]
        == "0 matches played in competition, 0 queued or running; waits for an opponent"
    )
    season.enter([second])
    season.run()
    assert reasons(season.facts).season == "Every match of the policies in the season was played"
    assert reasons(season.facts).policies[first].endswith("it has played every other policy")
