"""A policy that crashes on purpose, to test how evaluations handle broken policies."""

from __future__ import annotations

import random
from typing import ClassVar

from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.simulator.interface import AgentObservation
from mettagrid.simulator.simulator import Simulation
from mettagrid.types import Action

__all__ = ["ChaosMonkeyPolicy"]


class _ChaosMonkeyAgent(AgentPolicy):
    """Waits, and raises RuntimeError once in an episode."""

    def __init__(self, policy_env_info: PolicyEnvInterface, fail_step: int, fail_probability: float) -> None:
        super().__init__(policy_env_info)
        self._fail_step = fail_step
        self._fail_probability = fail_probability
        self._step = 0
        self._has_failed = False

    def reset(self, simulation: Simulation | None = None) -> None:
        self._step = 0
        self._has_failed = False

    def step(self, obs: AgentObservation) -> Action:
        step = self._step
        self._step += 1
        is_due = step >= self._fail_step and not self._has_failed
        if is_due and random.random() < self._fail_probability:
            self._has_failed = True
            raise RuntimeError(f"Chaos monkey triggered at step {step}")
        return Action(name="noop")


class ChaosMonkeyPolicy(MultiAgentPolicy):
    """Each agent raises once: from step `fail_step`, with `fail_probability` per step."""

    short_names: ClassVar[list[str] | None] = ["chaos-monkey"]

    def __init__(
        self,
        policy_env_info: PolicyEnvInterface,
        fail_step: int | str = 10,
        fail_probability: float | int | str = 1.0,
        device: str = "cpu",
        **_: object,
    ) -> None:
        super().__init__(policy_env_info, device)
        self._fail_step = int(fail_step)
        self._fail_probability = float(fail_probability)

    def agent_policy(self, agent_id: int) -> AgentPolicy:
        return _ChaosMonkeyAgent(self.policy_env_info, self._fail_step, self._fail_probability)
