"""Team seasons: stages, elimination, drawing, culling, and the end."""

from __future__ import annotations

import itertools
import random
import uuid
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from observatory.commissioner.decisions import NewMatch
from observatory.commissioner.facts import Limits
from observatory.commissioner.reasons import reasons
from observatory.scoring.standings import placements
from observatory.seasons import sampling
from observatory.seasons.config import TeamConfig
from observatory.seasons.sampling import combinations_to_play, draw_teams
from observatory.seasons.seeds import map_seed, match_seed
from packages.observatory.tests.commissioner.rehearsal import Failure, Rehearsal, by_skill, policies

SMALL: list[dict[str, Any]] = [
    {"kind": "policy_eval", "policies_per_team": 1, "matches_per_combo": 2, "min_policies": 8},
    {
        "kind": "policy_eval",
        "policies_per_team": 2,
        "matches_per_combo": 1,
        "elim": {"kind": "top_k", "max_policies": 8},
    },
    {"kind": "sample_teams", "team_size": 4, "num_teams": 64, "min_per_policy": 4},
    {"kind": "team_eval", "matches_per_team": 2, "cull_fraction": 0.5},
    {"kind": "team_eval", "matches_per_team": 1, "cull_fraction": 0.5},
    {"kind": "score_policies", "top_k": 4},
]


def config(stages: list[dict[str, Any]] = SMALL, **changes: Any) -> TeamConfig:
    return TeamConfig(**{"game": {"mission": "arena", "num_agents": 8}, "stages": stages, **changes})


def final_table(season: Rehearsal) -> list[Any]:
    pool = list(season.pools.values())[-2]
    teams = {team.id: team.members for team in pool.teams if not team.eliminated}
    scores = {team.id: team.score for team in pool.teams if team.score is not None}
    assert isinstance(season.config, TeamConfig)
    return placements(teams, scores, season.config.scoring.top_k)


def played(order: int, play: Any = by_skill, **limits: int) -> Rehearsal:
    season = Rehearsal(config(), play, random.Random(order), Limits(**limits))
    season.enter(policies(12))
    return season.run()


def test_a_season_runs_from_play_ins_through_sampling_and_culling_to_final_scoring() -> None:
    season = played(0)
    assert season.complete
    alone = Counter((match.policies, match.sample) for match in season.completed("stage-1"))
    assert alone == {((policy,), sample): 1 for policy in policies(12) for sample in range(2)}
    pairs = Counter(match.policies for match in season.completed("stage-2"))
    assert pairs == dict.fromkeys(itertools.combinations(sorted(policies(12)), 2), 1)
    assert {match.seats for match in season.completed("stage-2")} == {(0, 0, 0, 0, 1, 1, 1, 1)}
    assert len(season.active("sample-1")) == 8
    counts = [(len(pool.teams), sum(team.eliminated for team in pool.teams)) for pool in season.pools.values()]
    assert counts[3:6] == [(64, 32), (32, 16), (16, 0)]
    first = season.pools["team-round-1"].teams
    assert min(Counter(policy for team in first for policy in team.members).values()) >= 4
    assert all(len(set(team.members)) == 4 for team in first)
    assert {match.seats for match in season.completed("team-round-1")} == {(0, 0, 1, 1, 2, 2, 3, 3)}
    assert Counter(match.team for match in season.completed("team-round-1")) == {team.id: 2 for team in first}
    advancing, eliminated = ([team.score for team in first if team.eliminated is out] for out in (False, True))
    assert min(advancing) >= max(eliminated)
    assert all("of 64; the best 32 advance" in (season.team_notes[team.id] or "") for team in first if team.eliminated)
    assert season.active("policy-scores-1") == {p for team in season.pools["team-round-3"].teams for p in team.members}


def test_placements_add_up_the_best_ranks_and_count_missing_ones_as_one_after_the_last() -> None:
    season = played(1)
    teams = sorted(season.pools["team-round-3"].teams, key=lambda team: (-(team.score or 0), team.id))
    for row in final_table(season):
        ranks = [rank for rank, team in enumerate(teams, 1) if row.policy_version_id in team.members]
        assert row.score == sum(ranks[:4]) + (len(teams) + 1) * max(0, 4 - len(ranks))
        assert row.team_ranks == tuple(ranks)


def test_the_table_does_not_depend_on_match_order_or_machine_faults() -> None:
    broken: Counter[tuple[str, str, int]] = Counter()
    chance = random.Random(3)

    def unlucky(match: NewMatch, seed: int) -> Any:
        game = match.pool, match.combination, match.sample
        if chance.random() < 0.1 and broken[game] < 2:
            broken[game] += 1
            return Failure()
        return by_skill(match, seed)

    tables = [
        final_table(played(0)),
        final_table(played(1, outstanding=3)),
        final_table(played(2, at_once=1)),
        final_table(played(3, unlucky)),
    ]
    assert all(table == tables[0] for table in tables)


def test_a_started_stage_does_not_wait_for_replacements_of_failed_policies() -> None:
    bad = policies(8)[2]

    def play(match: NewMatch, seed: int) -> Any:
        return Failure(match.policies.index(bad)) if bad in match.policies else by_skill(match, seed)

    season = Rehearsal(config(), play)
    season.enter(policies(8))
    assert season.run().complete
    assert len(season.active("stage-1")) == 7


@pytest.mark.parametrize("breaks_in", ["stage-1", "stage-2"])
def test_a_policy_that_always_fails_is_removed_and_the_others_have_the_table_they_would_have_without_it(
    breaks_in: str,
) -> None:
    members = policies(12)
    bad = members[4]

    def play(match: NewMatch, seed: int) -> Any:
        breaks = bad in match.policies and match.pool == breaks_in
        return Failure(match.policies.index(bad)) if breaks else by_skill(match, seed)

    tables = []
    for order in range(3):
        season = played(order, play)
        assert season.complete
        (why,) = [
            why for action, pool, policy, why in season.notes if (action, pool, policy) == ("leave", breaks_in, bad)
        ]
        assert why.startswith("It failed in") and why.endswith("and completed none")
        assert bad not in season.active("sample-1")
        assert not any(bad in match.policies for match in season.scheduled if match.pool.startswith("team"))
        tables.append(final_table(season))
    assert tables[0] == tables[1] == tables[2]
    without = Rehearsal(config())
    without.enter(member for member in members if member != bad)
    assert final_table(without.run()) == tables[0]


def test_a_team_that_fails_is_eliminated_with_a_note_and_not_ranked() -> None:
    def play(match: NewMatch, seed: int) -> Any:
        return Failure(0) if match.team == uuid.UUID(int=7) else by_skill(match, seed)

    season = Rehearsal(config(), play)
    season.enter(policies(12))
    season.run()
    (team,) = [team for team in season.pools["team-round-1"].teams if team.id == uuid.UUID(int=7)]
    assert team.eliminated and team.score is None
    assert (season.team_notes[team.id] or "").startswith("Failed in")
    assert len(season.pools["team-round-2"].teams) == 31  # half of the 63 that are ranked


def test_a_season_waits_for_its_start_and_for_enough_policies() -> None:
    season = Rehearsal(config(), started=False)
    season.enter(policies(7))
    season.run_pass()
    assert (season.why, season.scheduled) == ("The season has not started", [])
    season.started = True
    season.run()
    assert (season.why, season.scheduled) == ("stage-1 has 7 policies and needs 8", [])
    season.enter(policies(8)[7:])
    assert season.run().complete


def test_a_stage_is_not_complete_before_enough_policies_advance() -> None:
    strict = {"kind": "threshold", "min_score": 100.0}
    season = Rehearsal(config([{**SMALL[0], "elim": strict}, *SMALL[1:]]))
    season.enter(policies(8))
    season.run()
    assert season.why == "stage-2 has 0 policies and needs 4: more must enter"
    assert reasons(season.facts).season == season.why


def test_a_late_entrant_plays_the_first_stage_and_replaces_a_worse_policy() -> None:
    best_four = {"kind": "top_k", "max_policies": 4}
    stages = [{**SMALL[0], "elim": best_four, "min_policies": 5}, {**SMALL[1], "elim": None}, *SMALL[2:]]
    *early, late = policies(6)
    skill = {policy: float(place) for place, policy in enumerate([*early, late])}

    def steady(match: NewMatch, seed: int) -> list[float]:
        return [skill[policy] for policy in match.policies]

    season = Rehearsal(config(stages), steady)
    season.enter(early)
    while not season.pools["stage-2"].open:
        season.run_pass()
        if season.pools["stage-1"].open:
            season.end_one()
    assert season.active("stage-2") == set(early[1:])
    season.enter([late])
    season.run()
    assert season.complete
    assert season.active("stage-2") == {*early[2:], late}
    assert any(
        note[:3] == ("leave", "stage-2", early[1]) and "others are better now" in note[3] for note in season.notes
    )
    assert season.active("sample-1") == {*early[2:], late}
    seated = {policy for team in season.pools["team-round-1"].teams for policy in team.members}
    assert seated == {*early[2:], late}


def test_a_team_contains_a_policy_twice_when_there_are_few_policies() -> None:
    teams = draw_teams(dict.fromkeys(policies(3), 1.0), team_size=4, num_teams=5, min_per_policy=2, seed=1)
    assert all(len(team) == 4 and set(team) == set(policies(3)) for team in teams)


@settings(max_examples=40, deadline=None)
@given(
    count=st.integers(1, 20),
    team_size=st.integers(1, 8),
    num_teams=st.integers(1, 30),
    guaranteed=st.integers(0, 6),
    seed=st.integers(0, 1000),
)
def test_drawn_teams_contain_every_guaranteed_seat_and_no_policy_twice(
    count: int, team_size: int, num_teams: int, guaranteed: int, seed: int
) -> None:
    scores = {policy: place / 10 - 0.5 for place, policy in enumerate(policies(count))}
    options: dict[str, int] = {
        "team_size": team_size,
        "num_teams": num_teams,
        "min_per_policy": guaranteed,
        "seed": seed,
    }
    teams = draw_teams(scores, **options)
    assert len(teams) == num_teams and all(len(team) == team_size for team in teams)
    assert teams == draw_teams(dict(reversed(scores.items())), **options)
    if count >= team_size:
        assert all(len(set(team)) == team_size for team in teams)
        seats = Counter(policy for team in teams for policy in team)
        promised = min(guaranteed, num_teams, num_teams * team_size // count)
        assert all(seats[policy] >= promised for policy in scores)


def test_better_policies_are_drawn_more_often() -> None:
    low, *rest = policies(9)
    scores = {low: 0.1} | dict.fromkeys(rest, 1.0)
    teams = draw_teams(scores, team_size=3, num_teams=600, min_per_policy=0, seed=2)
    seats = Counter(policy for team in teams for policy in team)
    assert 0 < seats[low] < min(seats[policy] for policy in rest) / 2


@settings(max_examples=40, deadline=None)
@given(count=st.integers(4, 40), size=st.integers(2, 4), limit=st.integers(1, 30), seed=st.integers(0, 1000))
def test_each_policy_plays_equally_often_when_there_are_too_many_combinations(
    count: int, size: int, limit: int, seed: int
) -> None:
    members = tuple(policies(count))
    chosen = combinations_to_play(members, size, limit, seed)
    assert len(set(chosen)) == len(chosen) and all(len(set(combination)) == size for combination in chosen)
    times = Counter(policy for combination in chosen for policy in combination)
    assert set(times) == set(members) and len(set(times.values())) == 1
    assert max(times.values()) <= max(limit, size)
    assert chosen == combinations_to_play(tuple(reversed(members)), size, limit, seed)


def test_one_more_policy_changes_few_of_the_chosen_combinations() -> None:
    *members, late = policies(61)
    before = set(combinations_to_play(tuple(members), 4, 12, 7))
    after = set(combinations_to_play((*members, late), 4, 12, 7))
    assert len(before - after) < len(before) / 2


def test_too_many_combinations_are_reduced_to_a_balanced_subset_without_a_setting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sampling, "MAX_COMBINATIONS", 500)
    chosen = combinations_to_play(tuple(policies(29)), 4, None, 7)
    times = Counter(policy for combination in chosen for policy in combination)
    assert 400 < len(chosen) <= 500 and len(times) == 29 and len(set(times.values())) == 1


def test_a_stage_with_a_limit_plays_the_chosen_combinations_only() -> None:
    stages = [SMALL[0], {**SMALL[1], "max_matches_per_policy": 4}, *SMALL[2:]]
    season = Rehearsal(config(stages))
    season.enter(policies(12))
    season.run()
    assert season.complete
    times = Counter(policy for match in season.completed("stage-2") for policy in match.policies)
    assert set(times.values()) == {4} and len(times) == 12


def test_seeds_depend_only_on_the_season_the_pool_the_split_and_the_sample() -> None:
    games = list(itertools.product([1, 2], ["stage-1", "stage-2"], [0, 1], range(20)))
    seeds = [match_seed(*game) for game in games] + [map_seed(*game) for game in games]
    assert len(set(seeds)) == len(seeds) and all(0 <= seed < 2**31 for seed in seeds)
    assert seeds[0] == match_seed(1, "stage-1", 0, 0) == 80727100
    assert map_seed(1, "stage-1", 0, 0, fixed=42) == 42
