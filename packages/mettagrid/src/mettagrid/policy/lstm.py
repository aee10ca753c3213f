"""The policy with a recurrent network, which is the default of `train`."""

from __future__ import annotations

from math import prod
from typing import Any, ClassVar

from mettagrid.envs._optional import extra
from mettagrid.policy import _cpu_kernels
from mettagrid.policy._first_layer import FirstLayer
from mettagrid.policy._layers import joined_heads, linear
from mettagrid.policy._recurrence import run_lstm
from mettagrid.policy._torch import initialized, load_weights, sampled_action, save_weights, token_rows
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy, StatefulAgentPolicy, StatefulPolicyImpl
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.utils import LSTMState, LSTMStateDict, LSTMStateTuple
from mettagrid.simulator.interface import AgentObservation
from mettagrid.types import Action

with extra("neural"):
    import torch
    from torch import nn

__all__ = ["LSTMAgentPolicy", "LSTMPolicy", "LSTMPolicyNet"]

HIDDEN_SIZE = 128
LAYERS = 1
# The padding of unused tokens in the observations that published weights were evaluated on.
PADDING = (255, 0, 0)


class LSTMPolicyNet(nn.Module):
    """All numbers of the observation, through two linear layers and an LSTM, to logits of primary actions and a value.

    Observations are [batch, tokens, 3] or, for training over time, [batch, steps, tokens, 3]; the answer is logits
    [batch * steps, actions] and values [batch * steps, 1]. Numbers above 1 are taken for bytes. Observations with fewer
    tokens than the game has are bytes padded with `PADDING`, like those that agents play with. A `state` that is a dict
    with `lstm_h` and `lstm_c` (None for a fresh start) is updated in place. Where its `resets` (bool [batch] or
    [batch, steps], optional) is true, an episode begins: the memory is zeroed before the observation.
    """

    reads_prefix = True
    handles_resets = True

    def __init__(self, policy_env_info: PolicyEnvInterface) -> None:
        super().__init__()
        self.hidden_size = HIDDEN_SIZE
        self._first_layer = FirstLayer(policy_env_info.observation_shape, PADDING)
        self._net = nn.Sequential(
            initialized(nn.Linear(prod(policy_env_info.observation_shape), HIDDEN_SIZE)),
            nn.ReLU(),
            initialized(nn.Linear(HIDDEN_SIZE, HIDDEN_SIZE)),
        )
        self._rnn = nn.LSTM(HIDDEN_SIZE, HIDDEN_SIZE, num_layers=LAYERS, batch_first=True)
        self._action_head = nn.Linear(HIDDEN_SIZE, len(policy_env_info.action_names))
        self._value_head = nn.Linear(HIDDEN_SIZE, 1)

    def forward_eval(
        self,
        observations: torch.Tensor,
        state: LSTMState | LSTMStateTuple | LSTMStateDict | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        batch = observations.shape[0]
        first, relu, second = self._net
        assert isinstance(second, nn.Linear)
        hidden = linear(second, relu(self._first_layer(first, observations, takes_fractions=True)))
        hidden = hidden.reshape(batch, -1, self.hidden_size)
        before = LSTMState.from_any(state, LAYERS)
        resets = state.get("resets") if isinstance(state, dict) else None
        out, after = run_lstm(
            self._rnn,
            hidden,
            None if before is None else (before.hidden[0], before.cell[0]),
            None if resets is None else resets.reshape(hidden.shape[:2]),
        )
        if isinstance(state, dict) and "lstm_h" in state:
            LSTMState(after[0][None], after[1][None]).write_dict(state)
        out = out.reshape(-1, self.hidden_size)
        outputs = joined_heads({"logits": self._action_head, "values": self._value_head}, out)
        return outputs["logits"], outputs["values"]

    def playing_copy(self) -> _cpu_kernels.PlayingCopy | None:
        """Return a faster form of `forward_eval` without gradients, until the weights change; None on a GPU."""
        first, _, second = self._net
        assert isinstance(first, nn.Linear) and isinstance(second, nn.Linear)
        if first.weight.is_cuda or first.weight.dtype != torch.float32 or not self._first_layer.takes_tokens:
            return None
        heads = {"logits": self._action_head, "values": self._value_head}
        layer = _cpu_kernels.from_bytes(first.weight, PADDING, 1.0 / 255.0, first.bias)
        return _PlayingCopy(self, layer, second, self._rnn, heads)

    def forward(
        self,
        observations: torch.Tensor,
        state: LSTMStateTuple | LSTMStateDict | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        return self.forward_eval(observations, state)


class _PlayingCopy(_cpu_kernels.PlayingCopy):
    """Decides natively on observations with fewer tokens than the game has, and as the network does on others."""

    def __init__(self, network: LSTMPolicyNet, *layers: Any) -> None:
        super().__init__(*layers, second_has_relu=False)
        self._whole = network

    def __call__(self, observations: torch.Tensor, state: LSTMStateDict) -> dict[str, torch.Tensor]:
        if self.reads(observations):
            return super().__call__(observations, state)
        logits, values = self._whole.forward_eval(observations, state)
        return {"logits": logits, "values": values}

    def reads(self, observations: torch.Tensor) -> bool:
        return self._whole._first_layer.is_prefix(observations)


def obs_to_obs_tensor(obs: AgentObservation, obs_shape: tuple[int, ...], device: torch.device) -> torch.Tensor:
    """Return an observation as uint8 [1, tokens, 3]."""
    return torch.from_numpy(token_rows(obs, obs_shape, PADDING)).to(device)[None]


class LSTMAgentPolicy(StatefulPolicyImpl[LSTMState]):
    """Samples the actions of one agent from the network's logits."""

    def __init__(self, net: LSTMPolicyNet, device: torch.device, policy_env_info: PolicyEnvInterface) -> None:
        self._net = net
        self._device = device
        self._policy_env_info = policy_env_info

    def initial_agent_state(self) -> LSTMState:
        zeros = torch.zeros(LAYERS, self._net.hidden_size, device=self._device)
        return LSTMState(zeros, zeros.clone())

    def step_with_state(self, obs: AgentObservation, state: LSTMState) -> tuple[Action, LSTMState]:
        tokens = obs_to_obs_tensor(obs, self._policy_env_info.observation_shape, self._device)
        memory: LSTMStateDict = {"lstm_h": state.hidden, "lstm_c": state.cell}
        with torch.no_grad():
            logits, _ = self._net.forward_eval(tokens, memory)
        after = LSTMState.from_dict(memory, LAYERS)
        assert after is not None
        return Action(name=self._policy_env_info.action_names[sampled_action(logits)]), after.detach()


class LSTMPolicy(MultiAgentPolicy):
    """Every agent plays with the same network and its own memory. Its weights are a state dict of `LSTMPolicyNet`."""

    short_names: ClassVar[list[str] | None] = ["lstm"]

    def __init__(self, policy_env_info: PolicyEnvInterface, device: str = "cpu") -> None:
        super().__init__(policy_env_info, device)
        self._device = torch.device(device)
        self._net = LSTMPolicyNet(policy_env_info).to(self._device)
        self._agent_policy = LSTMAgentPolicy(self._net, self._device, policy_env_info)

    def network(self) -> nn.Module:
        return self._net

    def agent_policy(self, agent_id: int) -> AgentPolicy:
        return StatefulAgentPolicy(self._agent_policy, self.policy_env_info, agent_id=agent_id)

    def is_recurrent(self) -> bool:
        return True

    def load_policy_data(self, policy_data_path: str) -> None:
        load_weights(self._net, policy_data_path, self._device)

    def save_policy_data(self, policy_data_path: str) -> None:
        save_weights(self._net, policy_data_path)
