"""The seats of a round, for 1 to 20 entrants and 1 to 8 seats.

`SEATING_EXAMPLES` is the number of examples of each property (40); `make soak` asks for more.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from observatory.ladder.plans import CannotSeat, Entrant, GameVariant, PlannedEpisode
from observatory.ladder.seating import Table, grade_alone, seat_round
from observatory.leagues.ladder_settings import Continuous, Scheduler

some_examples = hypothesis_settings(max_examples=int(os.environ.get("SEATING_EXAMPLES", "40")), deadline=None)
_SCHEDULER: TypeAdapter[Any] = TypeAdapter(Scheduler)
DISTINCT = ("swiss_neighbor", "round_robin", "balanced_rotation", "random_fill")
INSUFFICIENT = ("multiple_seats", "filler_policy", "do_not_run")

counts = st.integers(1, 20)
seat_counts = st.integers(1, 8)
seeds = st.integers(0, 10**6).map(str)
rules = st.sampled_from(INSUFFICIENT)


def scheduler(**fields: Any) -> Any:
    return _SCHEDULER.validate_python(fields)


def entrants(number: int) -> list[Entrant]:
    return [Entrant(f"p{place}", standing=place * 7 % 5, strength=1500 + 10 * place) for place in range(number)]


def seat(settings: Any, number: int, table: Table, seed: str, round_number: int = 1) -> list[PlannedEpisode]:
    """Draw a round twice; both are the same."""
    plan = seat_round(settings, entrants(number), table, seed=seed, number=round_number)
    assert plan == seat_round(settings, entrants(number), table, seed=seed, number=round_number)
    return plan


def appearances(plan: Sequence[PlannedEpisode]) -> Counter[int]:
    """Count the episodes that each entrant is credited for."""
    return Counter(entrant for episode in plan for entrant in set(episode.credited()))


def check_seats(episode: PlannedEpisode) -> None:
    """Check that every seat is filled and every entrant is credited once."""
    assert all((place.entrant is None) != (place.pool is None) for place in episode.seats)
    assert all(place.is_filler for place in episode.seats if place.entrant is None)
    assert max(Counter(episode.credited()).values()) == 1
    assert set(episode.credited()) == {place.entrant for place in episode.seats} - {None}


def check(plan: Sequence[PlannedEpisode], number: int, seats: int, group: int, *, floor: int = 0) -> None:
    """Check what holds for all strategies; `group` entrants meet in an episode."""
    assert plan
    for episode in plan:
        assert len(episode.seats) == seats
        check_seats(episode)
    covering = math.ceil(number / group)
    if len(plan) >= covering:
        assert set(appearances(plan[:covering])) == set(range(number))
    assert min(appearances(plan)[entrant] for entrant in range(number)) >= floor


@some_examples
@given(st.sampled_from(DISTINCT), counts, seat_counts, rules, st.integers(1, 4), st.integers(0, 2), seeds)
def test_distinct_entrants_are_seated_soon_and_as_often_as_wanted(
    strategy: str, number: int, seats: int, rule: str, floor: int, neutral: int, seed: str
) -> None:
    settings = scheduler(strategy=strategy, insufficient_players=rule, min_episodes_per_entrant=floor)
    table = Table([GameVariant("v", seats)], pool=3, neutral_seats=neutral)
    places = seats - neutral
    if places < 1 or (number < places and rule == "do_not_run"):
        with pytest.raises(CannotSeat):
            seat(settings, number, table, seed)
        return
    plan = seat(settings, number, table, seed)
    check(plan, number, seats, min(places, number), floor=floor)
    for episode in plan:
        pool = sum(place.pool is not None for place in episode.seats)
        padding = max(0, places - number) if rule == "filler_policy" else 0
        assert pool == neutral + padding
        assert len(episode.credited()) == min(places, number)
    if strategy == "round_robin" and min(places, number) > 1:
        met = {(one, other) for episode in plan for one in episode.credited() for other in episode.credited()}
        assert len(met) == number * number


@some_examples
@given(st.integers(2, 20), seeds)
def test_a_round_robin_of_two_seats_has_every_pair_once(number: int, seed: str) -> None:
    plan = seat(scheduler(strategy="round_robin"), number, Table([GameVariant(None, 2)]), seed)
    pairs = Counter(frozenset(episode.credited()) for episode in plan)
    assert len(pairs) == math.comb(number, 2) and set(pairs.values()) == {1}


@some_examples
@given(st.integers(4, 20), st.integers(2, 4), st.integers(1, 3), seeds)
def test_neighbours_are_close_in_the_standings(number: int, seats: int, window: int, seed: str) -> None:
    players = [Entrant(f"p{place}", standing=-place) for place in range(number)]
    settings = scheduler(strategy="swiss_neighbor", neighbor_window=window, min_episodes_per_entrant=6)
    plan = seat_round(settings, players, Table([GameVariant(None, seats)]), seed=seed, number=1)
    for episode in plan:
        group = episode.credited()
        assert max(group) - min(group) <= 2 * window * (seats - 1)
    if window > 1 or number > 2:
        opponents = {
            other for episode in plan for other in episode.credited() if 1 in episode.credited() and other != 1
        }
        assert len(opponents) > seats - 1 or number == seats  # not the same window in every episode


@some_examples
@given(
    st.sampled_from(["balanced_rotation", "random_fill"]),
    counts,
    seat_counts,
    st.sampled_from(["random", "elo_softmax"]),
)
def test_a_number_of_episodes_is_kept_and_shared_evenly(
    strategy: str, number: int, seats: int, matchmaking: str
) -> None:
    settings = scheduler(strategy=strategy, num_episodes=5, matchmaking=matchmaking)
    plan = seat(settings, number, Table([GameVariant(None, seats)]), "7")
    check(plan, number, seats, min(seats, number))
    found = [appearances(plan)[entrant] for entrant in range(number)]
    assert len(plan) == 5 and max(found) - min(found) <= 1


def test_entrants_that_have_waited_longest_come_first() -> None:
    settings = scheduler(strategy="balanced_rotation", num_episodes=1)
    players = [Entrant(f"p{place}", waited=place) for place in range(9)]
    [episode] = seat_round(settings, players, Table([GameVariant(None, 3)]), seed="1", number=4)
    assert set(episode.credited()) == {6, 7, 8}


def test_matchmaking_by_strength_prefers_equals() -> None:
    players = [Entrant(f"p{place}", strength=1500 + 400 * (place % 2)) for place in range(20)]
    plans = {}
    for matchmaking in ("random", "elo_softmax"):
        settings = scheduler(
            strategy="random_fill", num_episodes=200, matchmaking=matchmaking, matchmaking_temperature=50
        )
        plan = seat_round(settings, players, Table([GameVariant(None, 2)]), seed="3", number=1)
        plans[matchmaking] = sum(len({entrant % 2 for entrant in episode.credited()}) == 1 for episode in plan)
    assert plans["elo_softmax"] > 190 > 150 > plans["random"]


@some_examples
@given(counts, st.integers(1, 4), rules, st.sampled_from(["interleaved", "blocks"]), st.integers(1, 5), seeds)
def test_each_pair_of_teams_plays_both_sides(
    number: int, half: int, rule: str, layout: str, floor: int, seed: str
) -> None:
    settings = scheduler(
        strategy="team_pair", insufficient_players=rule, team_layout=layout, min_episodes_per_entrant=floor
    )
    table = Table([GameVariant("v", 2 * half)], pool=1)
    if number < 2 and rule == "do_not_run":
        with pytest.raises(CannotSeat):
            seat(settings, number, table, seed)
        return
    plan = seat(settings, number, table, seed)
    check(plan, number, 2 * half, min(2, number), floor=floor)
    sides = Counter((_owners(episode), episode.seed) for episode in plan)
    for (owners, game), times in sides.items():
        assert sides[owners[::-1], game] == times
    for episode in plan:
        expected = [place % 2 if layout == "interleaved" else place // half for place in range(2 * half)]
        assert [place.side for place in episode.seats] == expected


def _owners(episode: PlannedEpisode) -> tuple[tuple[int | None, int | None], ...]:
    """Return who has each team; all seats of a team have the same owner."""
    teams: dict[int | None, set[tuple[int | None, int | None]]] = {}
    for place in episode.seats:
        teams.setdefault(place.side, set()).add((place.entrant, place.pool))
    assert all(len(owners) == 1 for owners in teams.values())
    return tuple(next(iter(owners)) for _, owners in sorted(teams.items()))


@some_examples
@given(counts, st.integers(1, 4), st.integers(1, 4), rules, st.sampled_from(["interleaved", "blocks"]), st.booleans())
def test_teams_are_laid_out_as_declared(
    number: int, teams: int, size: int, rule: str, layout: str, distinct: bool
) -> None:
    settings = scheduler(
        strategy="team_n",
        team_count=teams,
        team_layout=layout,
        num_episodes=12,
        distinct_teammates=distinct,
        insufficient_players=rule,
    )
    table = Table([GameVariant("v", teams * size)], pool=2)
    needed = teams * size if distinct else teams
    if number < needed and rule == "do_not_run":
        with pytest.raises(CannotSeat):
            seat(settings, number, table, "5")
        return
    plan = seat(settings, number, table, "5")
    check(plan, number, teams * size, min(needed, number))
    for episode in plan:
        expected = [place % teams if layout == "interleaved" else place // size for place in range(teams * size)]
        assert [place.side for place in episode.seats] == expected
        if not distinct:
            _owners(episode)


@pytest.mark.parametrize(("teams", "seats"), [(2, 3), (3, 8), (4, 2)])
def test_seats_that_teams_cannot_share_are_refused(teams: int, seats: int) -> None:
    settings = scheduler(strategy="team_n", team_count=teams, num_episodes=1)
    with pytest.raises(CannotSeat, match=f"{seats} seats cannot be divided into {teams} teams"):
        seat(settings, 8, Table([GameVariant(None, seats)]), "1")


def test_allied_teams_are_on_one_side() -> None:
    settings = scheduler(strategy="team_n", team_count=4, num_episodes=3, allied_teams=[[0, 2], [1, 3]])
    for episode in seat(settings, 9, Table([GameVariant(None, 4)]), "1"):
        assert [place.side for place in episode.seats] == [0, 1, 0, 1] and len(episode.credited()) == 4
    with pytest.raises(ValueError, match="allied_teams"):
        scheduler(strategy="team_n", team_count=2, num_episodes=3, allied_teams=[[0, 2]])


@some_examples
@given(counts, seat_counts, st.integers(0, 4), rules, st.integers(1, 4), seeds)
def test_variable_seats_fit_the_entrants(number: int, fewest: int, more: int, rule: str, floor: int, seed: str) -> None:
    settings = scheduler(
        strategy="variable_seat",
        seat_count_min=fewest,
        seat_count_max=fewest + more,
        min_episodes_per_entrant=floor,
        insufficient_players=rule,
    )
    table = Table([GameVariant("v", 4)], pool=2)
    if number < fewest and rule == "do_not_run":
        with pytest.raises(CannotSeat):
            seat(settings, number, table, seed)
        return
    plan = seat(settings, number, table, seed)
    for episode in plan:
        check_seats(episode)
        assert fewest <= len(episode.seats) <= max(fewest, min(fewest + more, number))
    smallest = min(len(set(episode.credited())) for episode in plan)
    assert set(appearances(plan[: math.ceil(number / smallest)])) == set(range(number))
    assert min(appearances(plan)[entrant] for entrant in range(number)) >= floor


@some_examples
@given(counts, st.sets(seat_counts, min_size=1, max_size=4), st.booleans(), st.sampled_from(["rotate", "drop"]))
def test_rosters_scale_with_the_entrants(number: int, rungs: set[int], rotate: bool, overflow: str) -> None:
    settings = scheduler(
        strategy="scaling_roster",
        seat_rungs=sorted(rungs),
        rotate_seat_rungs=rotate,
        episodes_per_round=20,
        roster_overflow=overflow,
    )
    plan = seat(settings, number, Table([GameVariant("v", 4)]), "9")
    fitting = {rung for rung in rungs if rung <= number} or {min(rungs)}
    sizes = {len(episode.seats) for episode in plan}
    assert sizes == (fitting if rotate else {max(fitting)})
    assert all(max(Counter(episode.credited()).values()) == 1 for episode in plan)
    seated = set(appearances(plan))
    assert len(seated) == (number if overflow == "rotate" else min(max(fitting), number))


@some_examples
@given(counts, seat_counts, st.integers(1, 3), st.none() | seat_counts)
def test_clones_are_credited_in_every_seat(number: int, seats: int, times: int, wanted: int | None) -> None:
    settings = scheduler(strategy="clone_fill", episodes_per_entrant=times, seat_count=wanted)
    plan = seat(settings, number, Table([GameVariant("v", seats)]), "2")
    assert [len(episode.credited()) for episode in plan] == [wanted or seats] * (number * times)
    assert appearances(plan) == dict.fromkeys(range(number), times)
    assert len({episode.seed for episode in plan}) == times


def test_variants_rotate_over_episodes_and_rounds() -> None:
    table = Table([GameVariant("a", 2), GameVariant("b", 3), GameVariant("c", 2)])
    settings = scheduler(strategy="random_fill", num_episodes=4, variant_rotation=["b", "c"])
    first = seat(settings, 6, table, "1", round_number=2)
    assert [(episode.variant_id, len(episode.seats)) for episode in first] == [("b", 3), ("c", 2)] * 2
    second = seat(settings, 6, table, "1", round_number=3)
    assert [episode.variant_id for episode in second] == ["c", "b", "c", "b"]
    by_count = {2: ["c"], 4: ["a", "b"]}
    settings = scheduler(
        strategy="scaling_roster", seat_rungs=[4], episodes_per_round=2, variant_rotation_by_seat_count=by_count
    )
    assert {episode.variant_id for episode in seat(settings, 6, table, "1")} == {"a", "b"}
    with pytest.raises(CannotSeat, match="no variant 'z'"):
        seat(scheduler(strategy="random_fill", num_episodes=1, variant_rotation=["z"]), 6, table, "1")


def test_empty_and_endless_rounds_are_refused() -> None:
    table = Table([GameVariant(None, 2)])
    with pytest.raises(CannotSeat, match="no champion"):
        seat(scheduler(), 0, table, "1")
    with pytest.raises(CannotSeat, match="10,000 episodes"):
        seat(scheduler(strategy="random_fill", min_episodes_per_entrant=10_000), 5, table, "1")
    with pytest.raises(CannotSeat, match="no policies to fill seats"):
        seat(scheduler(insufficient_players="filler_policy"), 1, table, "1")


def test_a_new_champion_is_graded_alone_or_with_fixed_partners() -> None:
    table = Table([GameVariant("a", 3), GameVariant("b", 2)], pool=2)
    alone = grade_alone(Continuous(enabled=True), entrants(2), table, seed="1")
    assert [episode.credited() for episode in alone] == [[0, 0, 0], [1, 1, 1]]
    fixed = Continuous(enabled=True, variant_id="b", seats_per_episode=4)
    [episode] = grade_alone(fixed, entrants(1), table, seed="1", fixed=[0, 1])
    assert [place.pool for place in episode.seats] == [None, 0, 1, 0] and episode.credited() == [0]
