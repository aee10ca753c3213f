"""Policies in their batched forms, which take the same actions in less time."""

from __future__ import annotations

import numpy as np

from mettagrid.policy.batched import batched_form
from mettagrid.policy.loader import initialize_or_load_policy, resolve_policy_class_path
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.policy_spec import PolicySpec


class Batched(MultiAgentPolicy):
    """All agents of a game, played by the batched form of a policy with one world."""

    supports_step_batch = True
    reusable = True

    def __init__(self, policy_env_info: PolicyEnvInterface, device: str = "cpu", policy: str = "") -> None:
        super().__init__(policy_env_info, device)
        self._single = initialize_or_load_policy(policy_env_info, spec(policy))
        self._form = batched_form(self._single, 1)

    def agent_policy(self, agent_id: int) -> AgentPolicy:
        return self._single.agent_policy(agent_id)

    def reset(self) -> None:
        self._form.reset()

    def set_batch_agents(self, agent_ids: list[int]) -> None:
        self.reset()

    def step_batch(self, raw_observations: np.ndarray, raw_actions: np.ndarray) -> None:
        self._form.step(np.ascontiguousarray(raw_observations), raw_actions)


def spec(policy: str) -> PolicySpec:
    """Return a policy by its short name."""
    return PolicySpec(class_path=resolve_policy_class_path(policy))


def batched_spec(policy: str) -> PolicySpec:
    """Return the batched form of a policy by its short name; it must play all agents of a game."""
    return PolicySpec(class_path="agent_players.Batched", init_kwargs={"policy": policy})
