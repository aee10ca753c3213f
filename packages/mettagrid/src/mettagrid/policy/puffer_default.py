"""The policy with PufferLib's default network and an LSTM over it; PufferLib itself is not needed."""

from __future__ import annotations

from math import prod
from typing import Any, ClassVar

from mettagrid.envs._optional import extra
from mettagrid.policy._torch import initialized, load_weights, sampled_action, save_weights, token_rows
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy, StatefulAgentPolicy, StatefulPolicyImpl
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.simulator.interface import AgentObservation
from mettagrid.types import Action

with extra("neural"):
    import torch
    from torch import nn

__all__ = ["LSTMWrapper", "PufferDefaultPolicy"]

PADDING = (255, 0, 0)

LSTMWrapperState = dict[str, "torch.Tensor | None"]


class _PufferDefaultBase(nn.Module):
    """One layer over all bytes of the observation, and the heads that `LSTMWrapper` puts on top of its LSTM."""

    def __init__(self, policy_env_info: PolicyEnvInterface, *, hidden_size: int) -> None:
        super().__init__()
        self.hidden_size = hidden_size
        self.encoder = initialized(nn.Linear(prod(policy_env_info.observation_shape), hidden_size), gain=1.0)
        self.decoder = initialized(nn.Linear(hidden_size, len(policy_env_info.action_names)), gain=1.0)
        self.value_function = initialized(nn.Linear(hidden_size, 1), gain=1.0)

    def encode_observations(self, observations: torch.Tensor) -> torch.Tensor:
        return nn.functional.gelu(self.encoder(observations.flatten(1).float() / 255.0))

    def decode_actions(self, hidden: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return self.decoder(hidden), self.value_function(hidden)


class LSTMWrapper(nn.Module):
    """An LSTM between a network's `encode_observations` and its `decode_actions`.

    `forward_eval` plays one step of [batch, tokens, 3]; `forward` trains over [batch, steps, tokens, 3] and returns
    values [batch, steps]. Both read and overwrite `lstm_h` and `lstm_c`, each [batch, size], in the dict `state`; None
    is a fresh start. The two share their weights, so a state dict holds them twice: as `lstm.*` and as `cell.*`.
    """

    def __init__(self, observation_shape: tuple[int, ...], policy: Any) -> None:
        super().__init__()
        self.obs_shape = observation_shape
        self.policy = policy
        self.hidden_size: int = policy.hidden_size
        self.lstm = nn.LSTM(self.hidden_size, self.hidden_size)
        self.cell = nn.LSTMCell(self.hidden_size, self.hidden_size)
        for name, parameter in self.lstm.named_parameters():
            setattr(self.cell, name.removesuffix("_l0"), parameter)

    def forward_eval(self, observations: torch.Tensor, state: LSTMWrapperState) -> tuple[torch.Tensor, torch.Tensor]:
        h, c = state["lstm_h"], state["lstm_c"]
        before = None if h is None or c is None else (h, c)
        hidden, memory = self.cell(self.policy.encode_observations(observations), before)
        state["lstm_h"], state["lstm_c"] = hidden, memory
        return self.policy.decode_actions(hidden)

    def forward(self, observations: torch.Tensor, state: LSTMWrapperState) -> tuple[torch.Tensor, torch.Tensor]:
        steps = 1 if observations.dim() == len(self.obs_shape) + 1 else observations.shape[1]
        batch = observations.shape[0]
        seen = self.policy.encode_observations(observations.reshape(batch * steps, *self.obs_shape))
        h, c = state["lstm_h"], state["lstm_c"]
        before = None if h is None or c is None else (h[None], c[None])
        hidden, (h, c) = self.lstm(seen.reshape(batch, steps, -1).transpose(0, 1), before)
        state["lstm_h"], state["lstm_c"] = h[0].detach(), c[0].detach()
        logits, values = self.policy.decode_actions(hidden.transpose(0, 1).reshape(batch * steps, -1))
        return logits, values.reshape(batch, steps)


class _PufferDefaultStatefulImpl(StatefulPolicyImpl[LSTMWrapperState]):
    """Samples the actions of one agent from the network's logits."""

    def __init__(self, net: LSTMWrapper, policy_env_info: PolicyEnvInterface, device: torch.device) -> None:
        self._net = net
        self._policy_env_info = policy_env_info
        self._device = device

    def initial_agent_state(self) -> LSTMWrapperState:
        return {"lstm_h": None, "lstm_c": None}

    def step_with_state(self, obs: AgentObservation, state: LSTMWrapperState) -> tuple[Action, LSTMWrapperState]:
        rows = token_rows(obs, self._policy_env_info.observation_shape, PADDING)
        after = dict(state)
        with torch.no_grad():
            logits, _ = self._net.forward_eval(torch.from_numpy(rows).to(self._device)[None], after)
        return Action(name=self._policy_env_info.action_names[sampled_action(logits)]), after


class PufferDefaultPolicy(MultiAgentPolicy):
    """Every agent plays with the same network and its own memory."""

    short_names: ClassVar[list[str] | None] = ["puffer"]

    def __init__(
        self, policy_env_info: PolicyEnvInterface, *, hidden_size: int = 256, device: str = "cpu", **kwargs: Any
    ) -> None:
        super().__init__(policy_env_info, device, **kwargs)
        self._device = torch.device(device)
        base = _PufferDefaultBase(policy_env_info, hidden_size=int(hidden_size))
        self._net = LSTMWrapper(policy_env_info.observation_shape, base).to(self._device)

    def network(self) -> nn.Module:
        return self._net

    def is_recurrent(self) -> bool:
        return True

    def agent_policy(self, agent_id: int) -> AgentPolicy:
        decisions = _PufferDefaultStatefulImpl(self._net, self.policy_env_info, self._device)
        return StatefulAgentPolicy(decisions, self.policy_env_info, agent_id=agent_id)

    def load_policy_data(self, policy_data_path: str) -> None:
        load_weights(self._net, policy_data_path, self._device)

    def save_policy_data(self, policy_data_path: str) -> None:
        save_weights(self._net, policy_data_path)
