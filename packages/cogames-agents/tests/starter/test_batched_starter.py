"""The batched starter takes the actions of the Python policies, whose code it repeats in C++."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cogames.policy.role_policies import AlignerRolePolicy, MinerRolePolicy, ScoutRolePolicy, ScramblerRolePolicy
from cogames.policy.starter_agent import BaseStarterPolicy, StarterCogPolicyImpl, StarterPolicy
from cogames_agents.starter import BatchedStarter
from mettagrid.policy.batched import OneByOne, batched_form

POLICIES = (StarterPolicy, MinerRolePolicy, ScoutRolePolicy, AlignerRolePolicy, ScramblerRolePolicy)
GAMES: dict[str, tuple[str, dict[str, Any], int]] = {
    "arena": ("arena", {"seeds": (1, 2)}, 200),
    "arena, 20 cogs": ("arena", {"cogs": 20, "seeds": (3,)}, 120),
    "machina_1": ("machina_1", {"seeds": (4,)}, 250),
    "four_score": ("four_score", {"seeds": (5,)}, 80),
    "tutorial": ("tutorial.aligner", {"seeds": (6, 7)}, 150),
    "substrate": ("planning_unlock_chain_medium", {"seeds": (8,)}, 150),
}


@pytest.mark.parametrize("policy_class", POLICIES, ids=lambda policy_class: policy_class.short_names[0])
@pytest.mark.parametrize("game", GAMES)
def test_the_batched_starter_takes_the_actions_of_the_policy(
    game: str, policy_class: type[BaseStarterPolicy], open_worlds: Callable[..., Any]
) -> None:
    mission, options, steps = GAMES[game]
    worlds = open_worlds(mission, **options)
    count = len(options["seeds"])
    singles = [policy_class(worlds.interface) for _ in range(count)]
    batched = batched_form(singles[0], count, threads=count)
    assert isinstance(batched, BatchedStarter) and batched.is_native
    actions = np.full(worlds.batch.num_agents, -1, np.int32)
    for step in range(steps):
        batched.step(worlds.observations, actions)
        for world, single in enumerate(singles):
            expected = np.full(worlds.interface.num_agents, -1, np.int32)
            single.step_batch(worlds.rows(world), expected)
            np.testing.assert_array_equal(actions[worlds.batch.agents_of(world)], expected, f"step {step}, {world=}")
        worlds.take(actions)


def test_a_reset_of_one_world_leaves_the_others_and_threads_change_nothing(
    open_worlds: Callable[..., Any], one_by_one: Callable[..., Any]
) -> None:
    worlds = open_worlds("arena", seeds=(1, 2, 3))
    batched = [BatchedStarter(worlds.interface, 3, threads=threads) for threads in (1, 2)]
    singles = [one_by_one(StarterPolicy(worlds.interface)) for _ in range(3)]
    labels = [np.full(worlds.batch.num_agents, -1, np.int32) for _ in batched]
    for step in range(120):
        if step == 60:
            worlds.batch.reset(seeds=[77], worlds=[1])
            singles[1] = one_by_one(StarterPolicy(worlds.interface))
            for starter in batched:
                starter.reset([1])
        for starter, actions in zip(batched, labels, strict=True):
            starter.step(worlds.observations, actions)
        np.testing.assert_array_equal(labels[0], labels[1])
        expected = [action for world, single in enumerate(singles) for action in single.step(worlds.rows(world))]
        assert labels[0].tolist() == expected, step
        worlds.take(labels[0])


def test_a_reset_of_all_worlds_repeats_the_actions(open_worlds: Callable[..., Any]) -> None:
    worlds = open_worlds("arena", cogs=20, seeds=(1,))
    starter = BatchedStarter(worlds.interface, 1)
    played: list[list[np.ndarray]] = []
    for _ in range(2):
        worlds.batch.reset(seeds=[5])
        starter.reset()
        played.append([])
        for _ in range(80):
            actions = np.zeros(20, np.int32)
            starter.step(worlds.observations, actions)
            worlds.take(actions)
            played[-1].append(actions)
    np.testing.assert_array_equal(played[0], played[1])


def test_a_subclass_is_asked_one_by_one(open_worlds: Callable[..., Any]) -> None:
    class WaitingImpl(StarterCogPolicyImpl):
        def choose(self, row: bytes, cog: Any) -> str:
            return "noop"

    class Waiting(StarterPolicy):
        short_names = None

        def _decisions(self, agent_id: int) -> StarterCogPolicyImpl:
            return WaitingImpl(self.policy_env_info, agent_id)

    worlds = open_worlds("tutorial.aligner", seeds=(1, 2))
    batched = batched_form(Waiting(worlds.interface), 2, make=lambda: Waiting(worlds.interface))
    assert isinstance(batched, OneByOne) and not batched.is_native
    actions = np.full(worlds.batch.num_agents, -1, np.int32)
    batched.step(worlds.observations, actions)
    assert set(actions) == {worlds.interface.all_action_names.index("noop")}


def test_wrong_arguments_are_refused(open_worlds: Callable[..., Any]) -> None:
    worlds = open_worlds("tutorial.aligner", seeds=(1, 2))
    starter = BatchedStarter(worlds.interface, 2)
    with pytest.raises(ValueError, match="There are 4 observations and 8 actions for 8 agents"):
        starter.step(worlds.rows(0), np.zeros(8, np.int32))
    with pytest.raises(ValueError, match="at least 1 world and 1 thread"):
        BatchedStarter(worlds.interface, 0)
    with pytest.raises(ValueError, match="no role 'cook'"):
        BatchedStarter(worlds.interface, 1, role="cook")
    with pytest.raises(IndexError, match="no world 2"):
        starter.reset([2])
    walls_only = worlds.interface.model_copy(update={"action_names": ["noop"]})
    with pytest.raises(ValueError, match="needs the action move_north"):
        BatchedStarter(walls_only, 1)
