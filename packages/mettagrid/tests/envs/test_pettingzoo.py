"""PettingZoo's own checks, and what the environment promises beyond them."""

import warnings

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

from mettagrid.envs import MettaGridPettingZooEnv, aec_env
from mettagrid.simulator import Simulator

ALL_VIBES = ["none", "combined", "pair"]


@pytest.mark.parametrize("vibes", ALL_VIBES)
def test_pettingzoo_finds_nothing_wrong_with_the_parallel_environment(room, vibes: str) -> None:
    parallel_api_test(MettaGridPettingZooEnv(Simulator(), room(), vibes=vibes), num_cycles=20)


@pytest.mark.parametrize("vibes", ALL_VIBES)
def test_pettingzoo_finds_nothing_wrong_agent_by_agent(room, vibes: str) -> None:
    with warnings.catch_warnings():
        # Agents are numbers, as published; a pair of choices is no Discrete.
        warnings.filterwarnings("ignore", message=".*like .?player_0")
        if vibes == "pair":
            warnings.filterwarnings("ignore", message="Action space for each agent probably should be")
        api_test(aec_env(Simulator(), room(), vibes=vibes), num_cycles=20)


def test_two_environments_with_one_seed_play_the_same(room) -> None:
    parallel_seed_test(lambda: MettaGridPettingZooEnv(Simulator(), room(max_steps=50), vibes="combined"))
    seed_test(lambda: aec_env(Simulator(), room(max_steps=50), vibes="combined"), num_cycles=50)


def test_the_spaces_are_the_published_ones(room) -> None:
    env = MettaGridPettingZooEnv(Simulator(), room())
    assert env.possible_agents == env.agents == [0, 1, 2]
    assert env.max_num_agents == 3 and env.max_steps == 6
    assert str(env.observation_space(0)) == "Box(0, 255, (60, 3), uint8)"
    assert env.action_space(0).n == 5
    assert env.state_space.shape == (3 * 60 * 3,)


def test_vibes_make_the_action_space_larger(room) -> None:
    primary, vibes = 5, 152
    combined = MettaGridPettingZooEnv(Simulator(), room(), vibes="combined")
    assert combined.action_space(1).n == primary * (vibes + 1)
    pair = MettaGridPettingZooEnv(Simulator(), room(), vibes="pair")
    assert pair.action_space(1).nvec.tolist() == [primary, vibes + 1]
    with pytest.raises(ValueError, match="vibes must be one of 'none', 'combined', 'pair', not 'all'"):
        MettaGridPettingZooEnv(Simulator(), room(), vibes="all")


def vibes_of(env: MettaGridPettingZooEnv) -> list[int]:
    objects = env.current_simulation.grid_objects().values()
    return [item["vibe"] for item in objects if "agent_id" in item]


def test_a_vibe_is_taken_together_with_a_primary_action(room) -> None:
    env = MettaGridPettingZooEnv(Simulator(), room(), vibes="pair")
    env.reset(seed=1)
    env.step({0: (1, 4), 1: (0, 3), 2: (2, 0)})
    assert vibes_of(env) == [3, 2, 0]


def test_observations_are_the_engines_own_arrays_for_ever(room) -> None:
    env = MettaGridPettingZooEnv(Simulator(), room())
    first, _ = env.reset(seed=1)
    for agent, view in first.items():
        assert np.shares_memory(view, env.current_simulation._c_sim.observations()[agent])
    for _ in range(6):
        observations, *_ = env.step({})
        assert all(observations[agent] is first[agent] for agent in first)
    again, _ = env.reset()
    assert all(again[agent] is first[agent] for agent in first)
    assert np.shares_memory(again[0], env.current_simulation._c_sim.observations())


def test_agent_by_agent_it_is_the_same_array_too(room) -> None:
    env = aec_env(Simulator(), room())
    env.reset(seed=1)
    views = [env.observe(agent) for agent in env.agents]
    for agent in env.agent_iter(9):
        observation, *_ = env.last()
        assert observation is views[agent]
        env.step(0)


def test_the_state_is_all_observations_in_the_engines_memory(room) -> None:
    env = MettaGridPettingZooEnv(Simulator(), room())
    observations, _ = env.reset(seed=1)
    state = env.state()
    assert env.state_space.contains(state) and state.any()
    assert np.array_equal(state, np.concatenate([view.ravel() for view in observations.values()]))
    assert np.shares_memory(state, observations[0])


def test_an_agent_without_an_action_repeats_its_last_one_until_a_reset(room) -> None:
    env = MettaGridPettingZooEnv(Simulator(), room())
    env.reset(seed=1)
    engine = env.current_simulation._c_sim
    env.step({0: 1, 1: 2})
    env.step({1: 3})
    assert engine.actions().tolist() == [1, 3, 0]
    env.reset()
    env.step({})
    assert env.current_simulation._c_sim.actions().tolist() == [0, 0, 0]


def test_agents_leave_at_the_end_and_come_back_with_a_reset(room) -> None:
    env = MettaGridPettingZooEnv(Simulator(), room(max_steps=2))
    env.reset(seed=1)
    env.step({})
    assert env.agents == [0, 1, 2]
    _, _, terminals, truncations, _ = env.step({})
    assert [*terminals.values()] == [True] * 3 and [*truncations.values()] == [False] * 3
    assert env.agents == []
    assert env.step({0: 1}) == ({}, {}, {}, {}, {})
    assert env.current_simulation.current_step == 2
    env.reset()
    assert env.agents == [0, 1, 2]


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ({0: 5}, "Agent 0: action 5 is not from 0 to 4"),
        ({1: -1}, "Agent 1: action -1 is not from 0 to 4"),
        ({0: 1, 7: 0}, "There is no agent 7; the agents are 0 to 2"),
    ],
)
def test_wrong_actions_are_refused_and_nothing_happens(room, actions: dict, message: str) -> None:
    env = MettaGridPettingZooEnv(Simulator(), room())
    env.reset(seed=1)
    with pytest.raises(ValueError, match=message):
        env.step(actions)
    assert env.current_simulation.current_step == 0
    assert env.current_simulation._c_sim.actions().tolist() == [0, 0, 0]
    with pytest.raises(TypeError, match="Agent 2: must be an integer, not 'north'"):
        env.step({2: "north"})


def test_a_wrong_seed_is_refused_and_the_episode_goes_on(room) -> None:
    env = MettaGridPettingZooEnv(Simulator(), room())
    env.reset(seed=3)
    with pytest.raises(ValueError, match="A seed must be from 0"):
        env.reset(seed=-1)
    env.step({})
    env.reset()
    assert env.current_simulation.seed == 3


def test_rendering_is_text_when_asked_for(room) -> None:
    assert MettaGridPettingZooEnv(Simulator(), room()).render() is None
    text = MettaGridPettingZooEnv(Simulator(), room(), render_mode="ansi").render()
    rows = text.splitlines()
    assert len(rows) == 8 and rows[0] == "⬛" * 8
    assert all(text.count(square) == 1 for square in "🟦🟧🟩")


def test_a_closed_environment_says_so(room) -> None:
    env = MettaGridPettingZooEnv(Simulator(), room())
    env.close()
    env.close()
    with pytest.raises(AttributeError, match="This simulation is closed"):
        env.step({})
