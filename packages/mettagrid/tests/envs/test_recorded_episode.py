"""A recorded mission with its recorded actions, vibe changes too, comes out the same through every environment."""

import numpy as np
import pytest

from mettagrid.envs import (
    MettaGridGymEnv,
    MettaGridPettingZooEnv,
    MettaGridPufferEnv,
    MettaGridPufferVectorEnv,
    MettaGridVectorEnv,
    aec_env,
)
from mettagrid.simulator import Simulator

# The recorded game has settings without effect.
pytestmark = pytest.mark.filterwarnings("ignore::mettagrid.compiler.errors.ConfigWarning")


@pytest.mark.parametrize("vibes", ["combined", "pair"])
def test_through_pettingzoo(recording, vibes: str) -> None:
    env = MettaGridPettingZooEnv(Simulator(), recording.config, vibes=vibes)
    observations, _ = env.reset(seed=recording.seed)
    recording.check_observations(0, np.stack([*observations.values()]))
    for step, actions in enumerate(recording.combined if vibes == "combined" else recording.pairs):
        observations, rewards, terminals, truncations, _ = env.step(dict(enumerate(actions)))
        recording.check_step(step, np.stack([*observations.values()]), [*rewards.values()])
        assert [*terminals.values()] == recording.terminals[step].tolist()
        assert [*truncations.values()] == recording.truncations[step].tolist()


def test_through_pettingzoo_agent_by_agent(recording) -> None:
    env = aec_env(Simulator(), recording.config, vibes="combined")
    env.reset(seed=recording.seed)
    for step, actions in enumerate(recording.combined):
        for agent, action in enumerate(actions):
            assert env.agent_selection == agent
            recording.check_observations(step, env.observe(agent)[None], slice(agent, agent + 1))
            env.step(action)
        assert np.allclose([*env.rewards.values()], recording.rewards[step], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("copy", [True, False])
def test_through_gymnasium_with_the_others_played_by_a_function(recording, copy: bool) -> None:
    agent = 2
    upcoming = iter(recording.combined)

    def others(observations: np.ndarray) -> np.ndarray:
        assert observations.shape[0] == 8
        actions = next(upcoming).copy()
        actions[agent] = 10**6  # must be ignored
        return actions

    env = MettaGridGymEnv(recording.config, agent_id=agent, others=others, vibes="combined", copy=copy)
    observation, _ = env.reset(seed=recording.seed)
    part = slice(agent, agent + 1)
    recording.check_observations(0, observation[None], part)
    for step, actions in enumerate(recording.combined):
        observation, reward, terminal, truncation, _ = env.step(actions[agent])
        recording.check_step(step, observation[None], np.array([reward]), part)
        assert (terminal, truncation) == (recording.terminals[step, agent], recording.truncations[step, agent])


@pytest.mark.parametrize("vibes", ["combined", "pair"])
def test_through_a_gymnasium_vector_of_three_worlds(recording, vibes: str) -> None:
    env = MettaGridVectorEnv(recording.config, 3 * 8, vibes=vibes, threads=2)
    observations, _ = env.reset(seed=[recording.seed] * 3)
    for step, actions in enumerate(recording.combined if vibes == "combined" else recording.pairs):
        observations, rewards, _, _, _ = env.step(np.concatenate([actions] * 3))
        for world in range(3):
            part = slice(8 * world, 8 * world + 8)
            recording.check_step(step, observations[part], rewards[part])
    env.close()


def test_through_puffer(recording) -> None:
    env = MettaGridPufferEnv(Simulator(), recording.config)
    observations, _ = env.reset(recording.seed)
    recording.check_observations(0, observations)
    for step, actions in enumerate(recording.combined):
        observations, rewards, terminals, truncations, _ = env.step(actions)
        recording.check_step(step, observations, rewards)
        assert np.array_equal(terminals, recording.terminals[step])
        assert np.array_equal(truncations, recording.truncations[step])
        assert np.array_equal(env.actions, recording.primary[step])
        assert np.array_equal(env.vibe_actions, recording.vibes[step])


def test_through_a_puffer_vector_of_three_worlds(recording) -> None:
    env = MettaGridPufferVectorEnv(recording.config, 3, threads=2)
    observations, _ = env.reset([recording.seed] * 3)
    for step, actions in enumerate(recording.combined):
        observations, rewards, _, _, infos = env.step(np.concatenate([actions] * 3))
        assert infos == []
        for world in range(3):
            part = slice(8 * world, 8 * world + 8)
            recording.check_step(step, observations[part], rewards[part])
    env.close()
