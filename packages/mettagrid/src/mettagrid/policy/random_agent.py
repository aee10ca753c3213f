"""The policy that acts at random."""

from __future__ import annotations

import random
from typing import Any, ClassVar

import numpy as np

from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.simulator.interface import AgentObservation
from mettagrid.simulator.simulator import Simulation
from mettagrid.types import Action

__all__ = ["RandomAgentPolicy", "RandomMultiAgentPolicy"]

DEFAULT_VIBE_ACTION_P = 0.5


class RandomAgentPolicy(AgentPolicy):
    """Changes its vibe with probability `vibe_action_p`, otherwise takes a primary action; all equally likely.

    It draws from Python's own `random`, two numbers a step: seed that, and the actions repeat. Where a game has no
    vibes, every action is a primary one. `ValueError` for a probability outside 0 to 1.
    """

    def __init__(self, policy_env_info: PolicyEnvInterface, vibe_action_p: float = DEFAULT_VIBE_ACTION_P) -> None:
        super().__init__(policy_env_info)
        self._vibe_action_p = _probability(vibe_action_p)
        self._primary_actions = policy_env_info.action_names
        self._vibe_actions = policy_env_info.vibe_action_names or self._primary_actions

    def step(self, obs: AgentObservation) -> Action:
        return Action(name=self.draw())

    def draw(self) -> str:
        """Return the name of the next action."""
        is_vibe = random.random() < self._vibe_action_p
        return random.choice(self._vibe_actions if is_vibe else self._primary_actions)

    def reset(self, simulation: Simulation | None = None) -> None:
        """Do nothing: there is no state, and the random sequence continues."""


class RandomMultiAgentPolicy(MultiAgentPolicy):
    """Every agent acts at random; `vibe_action_p` as in `RandomAgentPolicy`."""

    short_names: ClassVar[list[str] | None] = ["random"]
    supports_step_batch = True
    reusable = True

    def __init__(self, policy_env_info: PolicyEnvInterface, device: str = "cpu", **kwargs: Any) -> None:
        super().__init__(policy_env_info, device, **kwargs)
        self._vibe_action_p = _probability(kwargs.get("vibe_action_p", DEFAULT_VIBE_ACTION_P))
        self._drawing = RandomAgentPolicy(policy_env_info, self._vibe_action_p)
        self.reset()

    def agent_policy(self, agent_id: int) -> AgentPolicy:
        return RandomAgentPolicy(self.policy_env_info, self._vibe_action_p)

    def agent_policies(self, num_agents: int) -> list[AgentPolicy]:
        """Return one policy for each of the agents 0 to `num_agents` - 1."""
        return [self.agent_policy(agent_id) for agent_id in range(num_agents)]

    def reset(self) -> None:
        self._batch_agents: list[int] = list(range(self.policy_env_info.num_agents))

    def set_batch_agents(self, agent_ids: list[int]) -> None:
        """Set the agents to decide for in `step_batch`; no random numbers are drawn for others."""
        self._batch_agents = agent_ids

    def step_batch(self, raw_observations: np.ndarray, raw_actions: np.ndarray) -> None:
        number_of = self.policy_env_info.action_name_to_flat_index
        draw = self._drawing.draw
        raw_actions[self._batch_agents] = [number_of[draw()] for _ in self._batch_agents]


def _probability(value: float | str) -> float:
    """Return a probability as a number; the command line gives it as text."""
    try:
        probability = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"vibe_action_p must be a number from 0 to 1, not {value!r}") from None
    if not 0.0 <= probability <= 1.0:
        raise ValueError(f"vibe_action_p must be in [0.0, 1.0], got {probability}")
    return probability
