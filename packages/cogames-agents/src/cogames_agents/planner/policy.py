"""Policies that the planner plays. A subclass sets its character; the decisions are the same for all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from cogames_agents.planner.batched import BatchedPlanner
from cogames_agents.planner.native import make_planner
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.simulator.interface import AgentObservation
from mettagrid.simulator.simulator import Simulation
from mettagrid.types import Action

__all__ = ["PlannerPolicy"]


class PlannerPolicy(MultiAgentPolicy):
    """A team that shares one mind: a map, claims, and roles by need.

    Every cog's actions depend only on its own observations and those of its team-mates of the same policy so far, so
    they are the same one by one and in batches.
    """

    traits: ClassVar[Mapping[str, Any]] = {}
    """what makes this character different from the plain planner"""
    supports_step_batch = True
    reusable = True
    _has_played: bool

    def __init__(self, policy_env_info: PolicyEnvInterface, device: str = "cpu") -> None:
        super().__init__(policy_env_info, device)
        self._use(self.traits)

    def agent_policy(self, agent_id: int) -> AgentPolicy:
        return _Cog(self, agent_id)

    def reset(self) -> None:
        """Forget the episode."""
        if self._has_played:
            self._has_played = False
            self._planner.reset(0)

    def set_batch_agents(self, agent_ids: list[int]) -> None:
        """Set the agents that `step_batch` decides for."""
        self.reset()
        self._agents = np.array(agent_ids, np.int32)

    def step_batch(self, raw_observations: np.ndarray, raw_actions: np.ndarray) -> None:
        self._has_played = True
        self._planner.step(0, self._agents, np.ascontiguousarray(raw_observations), raw_actions)

    def batched(self, worlds: int, *, threads: int = 1) -> BatchedPlanner | None:
        return BatchedPlanner(self.policy_env_info, worlds, threads=threads, traits=self._traits)

    def _use(self, traits: Mapping[str, Any]) -> None:
        """Play with these traits from now on."""
        self._traits = traits
        self._planner = make_planner(self.policy_env_info, traits)
        self._agents = np.arange(self.policy_env_info.num_agents, dtype=np.int32)
        self._has_played = False

    def _step_one(self, agent_id: int, tokens: np.ndarray) -> int:
        self._has_played = True
        return self._planner.step_one(0, agent_id, np.ascontiguousarray(tokens))

    def _infos_of(self, agent_id: int) -> dict[str, Any]:
        return self._planner.intention(0, agent_id)


class _Cog(AgentPolicy):
    """One cog of the team."""

    def __init__(self, team: PlannerPolicy, agent_id: int) -> None:
        super().__init__(team.policy_env_info)
        self._team = team
        self._agent_id = agent_id

    @property
    def infos(self) -> dict[str, Any]:
        """The cog's role, goal and target, and what its team knows; computed when read."""
        return self._team._infos_of(self._agent_id)

    def reset(self, simulation: Simulation | None = None) -> None:
        self._team.reset()

    def step(self, obs: AgentObservation) -> Action:
        number = self._team._step_one(self._agent_id, obs.token_array())
        return Action(name=self.policy_env_info.all_action_names[number])
