"""Policies that need no map: doing nothing, acting at random, breaking, and the tutorial's texts."""

import random
from typing import Any

import numpy as np
import pytest

from cogames.policy.random import RandomPolicy
from mettagrid.policy.policy import MultiAgentPolicy
from mettagrid.policy.random_agent import RandomMultiAgentPolicy


def actions_of(policy: MultiAgentPolicy, simulation: Any, steps: int) -> list[str]:
    """Return the actions of agent 0 for the same observation in every step."""
    agent = policy.agent_policy(0)
    agent.reset()
    observation = simulation.agent(0).observation
    return [agent.step(observation).name for _ in range(steps)]


def test_noop_never_moves(plays: Any) -> None:
    episode = plays("noop", "arena", steps=5)
    assert episode.actions == [["noop"] * 8] * 5


@pytest.mark.parametrize("vibe_action_p", [0.0, 0.25, "0.5", 1])
def test_random_draws_a_kind_and_then_an_action_from_the_shared_generator(plays: Any, vibe_action_p: Any) -> None:
    simulation = plays.new_simulation("arena")
    policy = plays.new_policy("random", simulation, vibe_action_p=vibe_action_p)
    random.seed(11)
    drawn = actions_of(policy, simulation, 200)
    random.seed(11)
    interface = policy.policy_env_info
    for action in drawn:
        is_vibe = random.random() < float(vibe_action_p)
        assert action == random.choice(interface.vibe_action_names if is_vibe else interface.action_names)


def test_random_plays_primary_actions_where_there_are_no_vibes(plays: Any) -> None:
    simulation = plays.new_simulation("planning_unlock_chain_easy")
    policy = plays.new_policy("random", simulation)
    random.seed(0)
    assert set(actions_of(policy, simulation, 200)) == set(policy.policy_env_info.action_names)


@pytest.mark.parametrize("wrong", [1.5, -0.1, "often"])
def test_random_refuses_an_invalid_probability(plays: Any, wrong: Any) -> None:
    simulation = plays.new_simulation("arena")
    with pytest.raises(ValueError, match="vibe_action_p must be"):
        plays.new_policy("random", simulation, vibe_action_p=wrong)


@pytest.mark.parametrize("name", ["noop", "random"])
def test_a_batch_gets_the_same_actions_as_its_agents(plays: Any, name: str) -> None:
    played = []
    for way in (plays.agents, plays.batch):
        simulation = plays.new_simulation("arena", steps=40)
        played.append(way(plays.new_policy(name, simulation), simulation))
    assert played[0].actions == played[1].actions


def test_random_draws_only_for_its_own_agents(plays: Any) -> None:
    simulation = plays.new_simulation("arena")
    policy = plays.new_policy("random", simulation)
    alone = policy.agent_policy(2)
    random.seed(3)
    expected = [alone.step(simulation.agent(2).observation).name for _ in range(20)]
    policy.set_batch_agents([2])
    random.seed(3)
    numbers = np.zeros(8, np.int32)
    for name in expected:
        policy.step_batch(simulation._c_sim.observations(), numbers)
        assert policy.policy_env_info.all_action_names[numbers[2]] == name


def test_the_random_policy_has_the_name_documents_use() -> None:
    assert RandomPolicy is RandomMultiAgentPolicy


def test_the_chaos_monkey_breaks_once_at_its_step(plays: Any) -> None:
    simulation = plays.new_simulation("arena")
    agent = plays.new_policy("chaos-monkey", simulation, fail_step="3").agent_policy(0)
    observation = simulation.agent(0).observation
    for _ in range(2):
        agent.reset()
        assert [agent.step(observation).name for _ in range(3)] == ["noop"] * 3
        with pytest.raises(RuntimeError, match="Chaos monkey triggered at step 3"):
            agent.step(observation)
        assert agent.step(observation).name == "noop"


def test_the_chaos_monkey_may_wait_for_its_chance(plays: Any) -> None:
    simulation = plays.new_simulation("arena")
    policy = plays.new_policy("chaos-monkey", simulation, fail_step=0, fail_probability="0.0")
    assert actions_of(policy, simulation, 30) == ["noop"] * 30


@pytest.mark.parametrize("tutorial", ["play", "cvc"])
def test_the_tutorial_shows_its_texts_once(plays: Any, tutorial: str) -> None:
    simulation = plays.new_simulation("tutorial")
    agent = plays.new_policy("tutorial_noop", simulation, tutorial=tutorial).agent_policy(0)
    observation = simulation.agent(0).observation
    assert agent.step(observation).name == "noop"
    phases = agent.infos["tutorial_overlay_phases"]
    assert len(phases) > 3 and all("\n" in phase for phase in phases)
    agent.step(observation)
    assert agent.infos == {}
