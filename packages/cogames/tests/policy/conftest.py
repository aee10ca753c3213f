"""Short episodes for tests of policies."""

import random
from dataclasses import dataclass

import numpy as np
import pytest

from cogames import missions
from mettagrid.policy.loader import initialize_or_load_policy, resolve_policy_class_path
from mettagrid.policy.policy import MultiAgentPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.simulator.simulator import Simulation


@dataclass
class Episode:
    """One played to its end: the actions of every step, and what came of it."""

    actions: list[list[str]]
    simulation: Simulation

    @property
    def reward(self) -> float:
        """Mean of the agents."""
        return float(np.mean(self.simulation.episode_rewards))

    def stat(self, name: str) -> float:
        return float(self.simulation.episode_stats["game"].get(name, 0.0))


def new_simulation(mission: str, *, seed: int = 42, steps: int | None = None) -> Simulation:
    """Return an episode about to begin; the seed is that of the map too."""
    env = missions.load(mission, seed=seed)
    if steps is not None:
        env.game.max_steps = steps
    return Simulation(env, seed=seed)


def new_policy(name: str, simulation: Simulation, **init_kwargs: object) -> MultiAgentPolicy:
    interface = PolicyEnvInterface.from_mg_cfg(simulation.config)
    spec = PolicySpec(class_path=resolve_policy_class_path(name), init_kwargs=init_kwargs)
    return initialize_or_load_policy(interface, spec)


def play_agents(policy: MultiAgentPolicy, simulation: Simulation) -> Episode:
    """Play with one call per agent."""
    random.seed(simulation.seed)
    agents = [policy.agent_policy(agent_id) for agent_id in range(simulation.num_agents)]
    for agent in agents:
        agent.reset()
    actions = []
    while not simulation.is_done():
        chosen = [agent.step(seat.observation) for agent, seat in zip(agents, simulation.agents(), strict=True)]
        for seat, action in zip(simulation.agents(), chosen, strict=True):
            seat.set_action(action)
        simulation.step()
        actions.append([action.name for action in chosen])
    return Episode(actions, simulation)


def play_batch(policy: MultiAgentPolicy, simulation: Simulation) -> Episode:
    """Play with one batched call for all agents."""
    random.seed(simulation.seed)
    policy.reset()
    names = policy.policy_env_info.all_action_names
    numbers = np.zeros(simulation.num_agents, np.int32)
    actions = []
    while not simulation.is_done():
        policy.step_batch(simulation._c_sim.observations(), numbers)
        for seat, number in zip(simulation.agents(), numbers, strict=True):
            seat.set_action(names[number])
        simulation.step()
        actions.append([names[number] for number in numbers])
    return Episode(actions, simulation)


class Plays:
    """What tests of policies do, as methods of the fixture `plays`."""

    new_simulation = staticmethod(new_simulation)
    new_policy = staticmethod(new_policy)
    agents = staticmethod(play_agents)
    batch = staticmethod(play_batch)

    def __call__(
        self, policy: str, mission: str, *, seed: int = 42, steps: int | None = None, **init_kwargs: object
    ) -> Episode:
        """Return an episode in which one policy plays all agents, the quickest way it knows."""
        simulation = new_simulation(mission, seed=seed, steps=steps)
        made = new_policy(policy, simulation, **init_kwargs)
        return (play_batch if getattr(made, "supports_step_batch", False) else play_agents)(made, simulation)


@pytest.fixture
def plays() -> Plays:
    return Plays()
