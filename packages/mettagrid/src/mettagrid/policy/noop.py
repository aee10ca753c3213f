"""The policy that does nothing."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.simulator.interface import AgentObservation
from mettagrid.types import Action

__all__ = ["NoopAgentPolicy", "NoopPolicy"]

NOOP = "noop"


class NoopAgentPolicy(AgentPolicy):
    """Waits in every step."""

    def step(self, obs: AgentObservation) -> Action:
        return Action(name=NOOP)


class NoopPolicy(MultiAgentPolicy):
    """Every agent always waits: the weakest opponent, and the baseline for the reward of doing nothing."""

    short_names: ClassVar[list[str] | None] = ["noop"]
    supports_step_batch = True
    reusable = True

    def __init__(self, policy_env_info: PolicyEnvInterface, device: str = "cpu") -> None:
        super().__init__(policy_env_info, device)
        self._noop = policy_env_info.action_name_to_flat_index.get(NOOP, 0)

    def agent_policy(self, agent_id: int) -> AgentPolicy:
        return NoopAgentPolicy(self.policy_env_info)

    def step_batch(self, raw_observations: np.ndarray, raw_actions: np.ndarray) -> None:
        raw_actions[:] = self._noop
