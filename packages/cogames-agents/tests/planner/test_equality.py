"""The planner takes the same actions for many worlds at once, for one world, and agent by agent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cogames_agents.planner import BatchedPlanner, PlannerPolicy

STEPS, RESET_AT, RESET_WORLD = 160, 70, 1
GAMES = {
    "arena": ("arena", None),
    "arena, 1 cog": ("arena", 1),
    "arena, 20 cogs": ("arena", 20),
    "four_score": ("four_score", None),
    "tutorial": ("tutorial.aligner", None),
    "substrate": ("planning_unlock_chain_medium", None),
}


@pytest.mark.parametrize("game", GAMES)
def test_many_worlds_one_world_and_single_agents_agree_also_after_a_reset(
    game: str, open_worlds: Callable[..., Any], one_by_one: Callable[..., Any]
) -> None:
    mission, cogs = GAMES[game]
    worlds = open_worlds(mission, cogs=cogs, seeds=(1, 2, 3))
    count = range(3)
    batched = [BatchedPlanner(worlds.interface, 3, threads=threads) for threads in (1, 2, 8)]
    policies = [PlannerPolicy(worlds.interface) for _ in count]
    singles = [one_by_one(PlannerPolicy(worlds.interface)) for _ in count]
    moves = 0
    for step in range(STEPS):
        if step == RESET_AT:
            worlds.batch.reset(seeds=[77], worlds=[RESET_WORLD])
            for planner in batched:
                planner.reset([RESET_WORLD])
            policies[RESET_WORLD].reset()
            singles[RESET_WORLD].policy.reset()
        labels = [np.full(worlds.batch.num_agents, -1, np.int32) for _ in batched]
        for planner, actions in zip(batched, labels, strict=True):
            planner.step(worlds.observations, actions)
        for actions in labels[1:]:
            np.testing.assert_array_equal(actions, labels[0], f"threads, step {step}")
        for world in count:
            rows = worlds.rows(world)
            actions = np.full(len(rows), -1, np.int32)
            policies[world].step_batch(rows, actions)
            expected = labels[0][worlds.batch.agents_of(world)]
            np.testing.assert_array_equal(actions, expected, f"step_batch, step {step}, world {world}")
            assert singles[world].step(rows) == expected.tolist(), f"one by one, step {step}, world {world}"
        moves += int((labels[0] > 0).sum())
        worlds.take(labels[0])
    assert moves > STEPS  # the cogs are at work


def test_a_team_acts_the_same_whoever_plays_the_other_teams(
    open_worlds: Callable[..., Any], one_by_one: Callable[..., Any]
) -> None:
    worlds = open_worlds("four_score", seeds=(5,))
    teams = {team: [a for a, other in enumerate(worlds.teams) if other == team] for team in set(worlds.teams)}
    assert sorted(map(len, teams.values())) == [8, 8, 8, 8]
    for_all = PlannerPolicy(worlds.interface)
    batches = {team: PlannerPolicy(worlds.interface) for team in teams}
    for team, policy in batches.items():
        policy.set_batch_agents(teams[team])
    singles = {team: one_by_one(PlannerPolicy(worlds.interface), members) for team, members in teams.items()}
    for step in range(STEPS):
        actions = np.full(worlds.batch.num_agents, -1, np.int32)
        for_all.step_batch(worlds.observations, actions)
        for team, members in teams.items():
            own = np.full(worlds.batch.num_agents, -1, np.int32)
            hidden = worlds.observations.copy()
            hidden[[agent for agent in range(len(own)) if agent not in members]] = 255  # as the runner does
            batches[team].step_batch(hidden, own)
            np.testing.assert_array_equal(own[members], actions[members], f"step {step}, team {team}")
            assert singles[team].step(worlds.observations) == actions[members].tolist()
            own[members] = -1
            assert (own == -1).all()  # rows of others are left alone
        worlds.take(actions)


def test_a_batch_refuses_arrays_of_another_size(open_worlds: Callable[..., Any]) -> None:
    worlds = open_worlds("tutorial.aligner", seeds=(1, 2))
    planner = BatchedPlanner(worlds.interface, 2)
    with pytest.raises(ValueError, match="There are 4 observations and 8 actions for 8 agents"):
        planner.step(worlds.rows(0), np.zeros(8, np.int32))
    with pytest.raises(ValueError, match="at least 1 world and 1 thread"):
        BatchedPlanner(worlds.interface, 0)
    with pytest.raises(IndexError, match="no world 2"):
        planner.reset([2])
