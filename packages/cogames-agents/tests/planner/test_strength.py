"""The planner beats `starter`. Maps, seeds and policies are fixed, so the result is the same on every machine."""

from __future__ import annotations

import statistics

import pytest

from cogames import missions
from cogames.episodes.single import team_ids
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.runner.episode import EpisodePlan, play_episode

STEPS = 300


@pytest.mark.parametrize("seed", [1, 2])
def test_the_planner_holds_more_junctions_than_starter_on_arena(seed: int) -> None:
    env = missions.load("arena", cogs=8, seed=seed)
    env.game.max_steps = STEPS
    planner, starter = (
        statistics.fmean(play_episode(EpisodePlan(env, [PolicySpec(class_path=name)], [0] * 8, seed)).rewards)
        for name in ("cogsguard", "starter")
    )
    assert planner > starter > 0


def test_the_planner_beats_three_teams_of_starter() -> None:
    env = missions.load("four_score", seed=1)
    env.game.max_steps = STEPS
    teams = team_ids(env, 1)
    seats = [int(team != teams[0]) for team in teams]
    policies = [PolicySpec(class_path=name) for name in ("cogsguard", "starter")]
    outcome = play_episode(EpisodePlan(env, policies, seats, 1))
    by_policy = [
        statistics.fmean(reward for reward, seat in zip(outcome.rewards, seats, strict=True) if seat == policy)
        for policy in (0, 1)
    ]
    assert by_policy[0] > by_policy[1] > 0


@pytest.mark.parametrize("mission", ["eval_single_use_world", "training_facility_open_3", "vanilla_small"])
def test_the_planner_captures_the_only_junction_before_starter(mission: str) -> None:
    env = missions.load(mission, seed=1)
    env.game.max_steps = 120
    seats = [0] * env.game.num_agents
    planner, starter = (
        play_episode(EpisodePlan(env, [PolicySpec(class_path=name)], seats, 1)).rewards[0]
        for name in ("cogsguard", "starter")
    )
    assert planner > starter > 0


@pytest.mark.parametrize(
    ("mission", "variant"),
    [
        ("vanilla_large", "miner"),
        ("easy_hearts_training", "scout"),
        ("easy_hearts_training", "miner"),
        ("training_facility_open_3", "role_conditional"),
    ],
)
def test_the_planner_earns_more_than_starter_where_rewards_pay_for_other_things(mission: str, variant: str) -> None:
    env = missions.load(mission, [variant], seed=1)
    env.game.max_steps = 3 * STEPS
    seats = [0] * env.game.num_agents
    planner, starter = (
        statistics.fmean(play_episode(EpisodePlan(env, [PolicySpec(class_path=name)], seats, 1)).rewards)
        for name in ("cogsguard", "starter")
    )
    assert planner > starter
