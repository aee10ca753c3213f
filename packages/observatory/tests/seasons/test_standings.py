"""The pure functions behind the tables."""

import uuid

import pytest

from observatory.scoring.standings import (
    PlayedMatch,
    Seat,
    match_scores,
    mean_scores,
    placements,
    surviving_teams,
    survivors_of,
    team_score,
    weighted_standings,
)
from observatory.seasons.config import SeasonPreset, TeamConfig
from observatory.seasons.sources import PRESETS, read_preset
from observatory.seasons.stages import PoolFacts, combination_key, plan_stages, pool_names, stage_states

A, B, C, D = (uuid.UUID(int=number) for number in range(1, 5))


def small() -> TeamConfig:
    config = read_preset(PRESETS / "beta-teams-small.yaml").team
    assert config is not None
    return config


def test_a_policy_scores_the_mean_reward_of_its_own_agents() -> None:
    assert match_scores([0, 1, 1, 0], [1.0, 5.0, 7.0, 2.0], 2) == [1.5, 6.0]
    assert match_scores([0, 0], [1.0, 2.0], 2) == [1.5, 0.0]
    # Equal rewards give that score to the last bit, however many there are: a threshold may stand right there.
    assert match_scores([0] * 8 + [1] * 3 + [2] * 29, [0.05] * 8 + [0.1] * 3 + [0.983] * 29, 3) == [0.05, 0.1, 0.983]


def test_matches_that_are_not_fully_scored_do_not_count() -> None:
    matches = [PlayedMatch([Seat(A, 2, 1.0), Seat(B, 2, None)]), PlayedMatch([Seat(A, 4, 3.0)])]
    (row,) = weighted_standings(matches)
    assert (row.policy_version_id, row.score, row.matches) == (A, 3.0, 1)
    assert mean_scores(matches) == {A: 3.0}


def test_a_member_without_a_match_scores_nothing() -> None:
    (row,) = weighted_standings([], members=[A])
    assert (row.score, row.stddev, row.percentiles, row.matches) == (0.0, None, None, 0)


def test_the_order_of_matches_does_not_change_a_table() -> None:
    matches = [PlayedMatch([Seat(A, 1, 0.1), Seat(B, 3, 0.7)]), PlayedMatch([Seat(B, 2, 0.3), Seat(A, 2, 0.2)])] * 7
    assert weighted_standings(matches) == weighted_standings(matches[::-1])


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (None, {A, B, C, D}),
        ({"kind": "threshold", "min_score": 0.5}, {A, B}),
        ({"kind": "fraction", "fraction": 0.5}, {A, B}),
        ({"kind": "fraction", "fraction": 1.0}, {A}),
        ({"kind": "top_k", "max_policies": 3}, {A, B, C}),
        (
            {
                "kind": "all_of",
                "rules": [{"kind": "top_k", "max_policies": 3}, {"kind": "threshold", "min_score": 0.9}],
            },
            {A},
        ),
    ],
)
def test_eliminations(rule, expected) -> None:
    stage = {"kind": "policy_eval", "policies_per_team": 1, "elim": rule}
    config = TeamConfig.model_validate(
        {
            "game": {"mission": "arena", "num_agents": 4},
            "stages": [
                stage,
                {"kind": "sample_teams", "team_size": 2, "num_teams": 2},
                {"kind": "score_policies", "top_k": 1},
            ],
        }
    )
    scores = {A: 0.9, B: 0.5, C: 0.4, D: 0.1}
    assert survivors_of(config.stages[0].elim, scores) == expected


def test_culling_keeps_the_documented_numbers_of_teams() -> None:
    teams = {uuid.UUID(int=number): float(number) for number in range(64)}
    for cull, left in ((0.5, 32), (0.5, 16), (0.0, 16)):
        survivors = surviving_teams(teams, cull)
        assert len(survivors) == left
        teams = {team: teams[team] for team in survivors}
    assert surviving_teams({A: 1.0}, 1.0) == [A]
    assert min(teams.values()) == 48.0


def test_a_team_scores_the_mean_of_all_player_scores() -> None:
    assert team_score([PlayedMatch([Seat(A, 1, 1.0), Seat(B, 1, 2.0)]), PlayedMatch([Seat(A, 1, 6.0)])]) == 3.0
    assert team_score([]) is None


def test_a_policy_counts_once_in_a_team() -> None:
    table = placements({A: [C, C], B: [D, C]}, {A: 2.0, B: 1.0}, top_k=2)
    assert [(row.policy_version_id, row.score, row.team_ranks) for row in table] == [(C, 3.0, (1, 2)), (D, 5.0, (2,))]


def test_the_pools_of_the_small_team_season_have_the_published_names() -> None:
    config = small()
    assert pool_names(config) == [
        "stage-1",
        "stage-2",
        "stage-3",
        "sample-1",
        "team-round-1",
        "team-round-2",
        "team-round-3",
        "team-round-4",
        "policy-scores-1",
    ]
    assert [stage.output_pool for stage in plan_stages(config)][2:4] == ["sample-1", "team-round-1"]


def test_a_stage_is_complete_when_all_is_played_and_enough_policies_advance() -> None:
    config = small()
    members = frozenset(uuid.UUID(int=number) for number in range(1, 9))
    played = {combination_key([member]): 5 for member in members}
    pools = {"stage-1": PoolFacts(active=members, members=8, played=played), "stage-2": PoolFacts(active=members)}

    assert [state.value for state in stage_states(config, pools, started=True)][:3] == ["complete", "active", "pending"]
    assert stage_states(config, pools, started=False)[0] == "active"
    in_flight = PoolFacts(active=members, played=played, in_flight=1)
    assert stage_states(config, {**pools, "stage-1": in_flight}, started=True)[0] == "active"
    unplayed = PoolFacts(active=members, played={**played, combination_key([A]): 4})
    assert stage_states(config, {**pools, "stage-1": unplayed}, started=True)[0] == "active"
    given_up = PoolFacts(active=members, played={**played, combination_key([A]): 4}, failed={combination_key([A]): 3})
    assert stage_states(config, {**pools, "stage-1": given_up}, started=True)[0] == "complete"
    few = {**pools, "stage-2": PoolFacts(active=frozenset([A]))}
    assert stage_states(config, few, started=True)[0] == "active"


@pytest.mark.parametrize("path", sorted(PRESETS.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_preset_is_a_season(path) -> None:
    assert isinstance(read_preset(path), SeasonPreset)
