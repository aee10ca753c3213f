"""Policies that press buttons of BitWorld games at random, for smoke tests."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from mettagrid.bitworld import BITWORLD_ACTION_COUNT, bitworld_action_name, dpad_action_indices
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.simulator.interface import AgentObservation
from mettagrid.types import Action

__all__ = ["BitWorldRandomActionPolicy", "BitWorldRandomDpadPolicy"]


class _RandomButtonsPolicy(MultiAgentPolicy):
    """Draws from a list of actions; the same `seed` gives the same actions."""

    supports_step_batch = True

    def __init__(
        self, policy_env_info: PolicyEnvInterface, choices: np.ndarray, device: str = "cpu", *, seed: int | str = 0
    ) -> None:
        super().__init__(policy_env_info, device)
        self._choices = choices
        self._random = np.random.default_rng(int(seed))

    def agent_policy(self, agent_id: int) -> AgentPolicy:
        return _RandomButtonsAgent(self.policy_env_info, self)

    def step_batch(self, raw_observations: np.ndarray, raw_actions: np.ndarray) -> None:
        raw_actions[...] = self.next_actions(raw_actions.shape)

    def next_action(self) -> int:
        """Return the number of the next action."""
        return int(self.next_actions(()))

    def next_actions(self, shape: tuple[int, ...]) -> np.ndarray:
        """Return the numbers of the next actions."""
        return self._random.choice(self._choices, shape)


class _RandomButtonsAgent(AgentPolicy):
    def __init__(self, policy_env_info: PolicyEnvInterface, parent: _RandomButtonsPolicy) -> None:
        super().__init__(policy_env_info)
        self._parent = parent

    def step(self, obs: AgentObservation) -> Action:
        return Action(name=bitworld_action_name(self._parent.next_action()))


class BitWorldRandomActionPolicy(_RandomButtonsPolicy):
    """Takes one of the 27 actions at random, or of 26 without `noop`."""

    short_names: ClassVar[list[str] | None] = ["bitworld_random_action"]

    def __init__(
        self,
        policy_env_info: PolicyEnvInterface,
        device: str = "cpu",
        *,
        seed: int | str = 0,
        include_noop: bool = True,
    ) -> None:
        first = 0 if include_noop else 1
        super().__init__(policy_env_info, np.arange(first, BITWORLD_ACTION_COUNT), device, seed=seed)


class BitWorldRandomDpadPolicy(_RandomButtonsPolicy):
    """Walks in a random direction and presses no other button."""

    short_names: ClassVar[list[str] | None] = ["bitworld_random_dpad"]

    def __init__(
        self,
        policy_env_info: PolicyEnvInterface,
        device: str = "cpu",
        *,
        seed: int | str = 0,
        include_noop: bool = True,
    ) -> None:
        super().__init__(policy_env_info, dpad_action_indices(include_noop=include_noop), device, seed=seed)
