"""Policies with one fault each; all but the first play as `starter` otherwise."""

from __future__ import annotations

from collections.abc import Callable

from cogames.policy.starter_agent import StarterPolicy
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.simulator.interface import AgentObservation
from mettagrid.types import Action

NOOP = Action(name="noop")
LATE_EVERY = 10
LATE_SECONDS = 11.0


class Clock:
    """Stands still, except while a policy says that it is thinking."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


CLOCK = Clock()


class _Agent(AgentPolicy):
    def __init__(self, interface: PolicyEnvInterface, choose: Callable[[AgentObservation], Action]) -> None:
        super().__init__(interface)
        self.step = choose  # type: ignore[method-assign]


class NeverMoves(MultiAgentPolicy):
    """Waits."""

    def agent_policy(self, agent_id: int) -> AgentPolicy:
        return _Agent(self.policy_env_info, lambda observation: NOOP)


class _Starter(MultiAgentPolicy):
    """Plays as `starter`; subclasses change what they want to."""

    def __init__(self, policy_env_info: PolicyEnvInterface, device: str = "cpu") -> None:
        super().__init__(policy_env_info, device)
        self._starter = StarterPolicy(policy_env_info, device)
        self.seats = 0

    def agent_policy(self, agent_id: int) -> AgentPolicy:
        self.seats += 1
        starter = self._starter.agent_policy(agent_id)
        return _Agent(self.policy_env_info, lambda observation: self.choose(starter, observation))

    def choose(self, starter: AgentPolicy, observation: AgentObservation) -> Action:
        return starter.step(observation)


class MissesDeadlines(_Starter):
    """Thinks for longer than is allowed in every tenth step."""

    def __init__(self, policy_env_info: PolicyEnvInterface, device: str = "cpu") -> None:
        super().__init__(policy_env_info, device)
        self._asked = 0

    def choose(self, starter: AgentPolicy, observation: AgentObservation) -> Action:
        self._asked += 1
        if self._asked % LATE_EVERY == 0:
            CLOCK.now += LATE_SECONDS
        return super().choose(starter, observation)


class PlaysAlone(_Starter):
    """Gives up when it does not have all seats."""

    def choose(self, starter: AgentPolicy, observation: AgentObservation) -> Action:
        action = super().choose(starter, observation)
        return action if self.seats == self.policy_env_info.num_agents else NOOP


class Breaks(_Starter):
    """Raises an exception in the middle of the episode."""

    def __init__(self, policy_env_info: PolicyEnvInterface, device: str = "cpu") -> None:
        super().__init__(policy_env_info, device)
        self._asked = 0

    def choose(self, starter: AgentPolicy, observation: AgentObservation) -> Action:
        self._asked += 1
        if self._asked > 40 * self.policy_env_info.num_agents:
            raise RuntimeError("lost the map")
        return super().choose(starter, observation)
