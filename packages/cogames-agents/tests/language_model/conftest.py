"""A stand-in endpoint, and episodes with agents that the test can look at."""

from dataclasses import dataclass

import pytest

from cogames.missions import catalog
from cogames_agents.language_model.policy import LanguageModelPolicy
from cogames_agents.language_model.stand_in import StandIn
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.simulator import Simulation


@dataclass
class Episode:
    """What happened in an episode: the actions of each step, the score, and the agents as they are at the end."""

    actions: list
    score: float
    agents: list
    policy: object

    @property
    def infos(self):
        return [agent.infos for agent in self.agents]


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def serve():
    """Start stand-ins with `serve(answer)`; they stop after the test."""
    servers = []

    def start(*answer):
        servers.append(StandIn(*answer).__enter__())
        return servers[-1]

    yield start
    for server in servers:
        server.__exit__()


@pytest.fixture
def play():
    """Play episodes with `play(steps, url=..., ...)`; requests under way end after the test."""
    policies = []

    def run(steps, policy_class=LanguageModelPolicy, *, mission="arena", **parameters):
        env = catalog.load(mission, seed=3)
        simulation, info = Simulation(env, seed=5), PolicyEnvInterface.from_mg_cfg(env)
        if policy_class is LanguageModelPolicy:
            parameters = {"model": "stand-in", "backoff_ms": 1, "deadline_ms": 120_000} | parameters
        policy = policy_class(info, **parameters)
        policies.append(policy)
        agents = [policy.agent_policy(agent) for agent in range(simulation.num_agents)]
        for agent in agents:
            agent.reset()
        actions = []
        for _ in range(steps):
            observations = simulation.observations()
            actions.append([agent.step(seen).name for agent, seen in zip(agents, observations, strict=True)])
            for number, action in enumerate(actions[-1]):
                simulation.agent(number).set_action(action)
            simulation.step()
        return Episode(actions, sum(simulation.episode_rewards) / len(agents), agents, policy)

    yield run
    for policy in policies:
        if isinstance(policy, LanguageModelPolicy):
            policy.close()
