"""Every character of the planner has a batched form with its own options, also over several episodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import pytest

from cogames_agents.planner import BatchedPlanner, PlannerPolicy
from cogames_agents.policy.cogsguard import CogsguardPolicy
from mettagrid.policy.batched import OneByOne, batched_form
from mettagrid.policy.installed_policies import installed_policies
from mettagrid.policy.loader import initialize_or_load_policy
from mettagrid.policy.policy import AgentPolicy
from mettagrid.policy.policy_spec import PolicySpec

NAMES = [policy.name for policy in installed_policies() if policy.module.startswith("cogames_agents.policy")]
OPTIONS: dict[str, dict[str, str | int]] = {
    "cogsguard, counts": {"miner": 4, "scout": 2},
    "cogsguard, gear": {"gear": 10},
    "cogsguard, order": {"role_order": "scout,scrambler,miner"},
    "role, evolution": {"evolution": 1},
    "teacher, vibes": {"role_vibes": "miner,scout,scrambler"},
    "nlanky, stem": {"stem": 3},
}


@pytest.mark.parametrize("character", [*NAMES, *OPTIONS])
def test_the_batched_form_plays_every_character_in_several_episodes(
    character: str, open_worlds: Callable[..., Any]
) -> None:
    worlds = open_worlds("arena", seeds=(1, 2))
    spec = PolicySpec(class_path=character.partition(",")[0], init_kwargs=OPTIONS.get(character, {}))
    first, second = (initialize_or_load_policy(worlds.interface, spec) for _ in range(2))
    batched = batched_form(first, 2)
    assert isinstance(batched, BatchedPlanner) and batched.is_native
    generic = OneByOne(first, 2, make=lambda: second)
    actions, expected = (np.full(worlds.batch.num_agents, -1, np.int32) for _ in range(2))
    for step in range(90):
        if step in (20, 50, 51):  # world 1 begins its episodes more often than world 0
            ended = [0, 1] if step == 50 else [1]
            worlds.batch.reset(seeds=[step + world for world in ended], worlds=ended)
            batched.reset(ended)
            generic.reset(ended)
        if step == 70:
            batched.reset()
            batched.reset()  # an episode without a step does not count
            generic.reset()
        batched.step(worlds.observations, actions)
        generic.step(worlds.observations, expected)
        np.testing.assert_array_equal(actions, expected, f"step {step}")
        worlds.take(actions)


def test_the_teacher_moves_on_in_its_roles(open_worlds: Callable[..., Any]) -> None:
    worlds = open_worlds("arena", seeds=(1,))
    spec = PolicySpec(class_path="teacher", init_kwargs={"role_vibes": "miner,scout"})
    batched = batched_form(initialize_or_load_policy(worlds.interface, spec), 1)
    names = worlds.interface.all_action_names
    for first in ("miner", "scout", "miner"):
        shown = set()
        for _ in range(3):
            actions = np.zeros(8, np.int32)
            batched.step(worlds.observations, actions)
            worlds.take(actions)
            shown.add(names[actions[0]])
        assert f"change_vibe_{first}" in shown
        worlds.batch.reset()
        batched.reset([0])


def test_a_character_with_other_decisions_is_asked_one_by_one(open_worlds: Callable[..., Any]) -> None:
    class Changed(CogsguardPolicy):
        short_names = None

        def agent_policy(self, agent_id: int) -> AgentPolicy:
            return super().agent_policy(agent_id)

    class Pioneer(PlannerPolicy):
        traits: ClassVar[dict[str, Any]] = {"surveyors": 0.5, "survey_until": 100}

    interface = open_worlds("tutorial.aligner").interface
    assert isinstance(batched_form(Changed(interface), 1), OneByOne)
    assert isinstance(batched_form(Pioneer(interface), 1), BatchedPlanner)
