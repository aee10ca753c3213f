"""Play with networks in the style of PufferLib, which itself is not needed."""

from __future__ import annotations

from typing import Any

from mettagrid.envs._optional import extra
from mettagrid.policy._torch import sampled_action, token_rows
from mettagrid.policy.policy import StatefulPolicyImpl
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.simulator.interface import AgentObservation
from mettagrid.types import Action

with extra("neural"):
    import torch
    from torch import nn

__all__ = ["PufferlibStatefulImpl"]

PADDING = (255, 255, 255)


class PufferlibStatefulImpl(StatefulPolicyImpl["dict[str, torch.Tensor | None]"]):
    """Draws the actions of one agent from a network with `forward_eval(observations, state)`.

    Observations are float32 [1, tokens, 3] from 0 to 1. The state of a recurrent network is a dict with `lstm_h` and
    `lstm_c`, None at first, which the network updates in place; others get None.
    """

    def __init__(
        self, net: nn.Module, policy_env_info: PolicyEnvInterface, device: torch.device, *, is_recurrent: bool
    ) -> None:
        self._net: Any = net
        self._action_names = policy_env_info.action_names
        self._obs_shape = policy_env_info.observation_shape
        self._device = device
        self._is_recurrent = is_recurrent

    def initial_agent_state(self) -> dict[str, torch.Tensor | None]:
        return {"lstm_h": None, "lstm_c": None} if self._is_recurrent else {}

    def reset(self) -> None:
        """Do nothing: the memory is in the agent's state, not here."""

    def step_with_state(
        self, obs: AgentObservation, state: dict[str, torch.Tensor | None]
    ) -> tuple[Action, dict[str, torch.Tensor | None]]:
        tokens = torch.from_numpy(token_rows(obs, self._obs_shape, PADDING)).to(self._device).float() / 255.0
        self._net.eval()
        with torch.no_grad():
            logits, _ = self._net.forward_eval(tokens[None], state if self._is_recurrent else None)
        return Action(name=self._action_names[sampled_action(logits)]), state
