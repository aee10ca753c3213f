"""The policy for networks that PufferLib trained with its default model; PufferLib itself is not needed."""

from __future__ import annotations

from math import prod
from typing import Any, ClassVar

from mettagrid.envs._optional import extra
from mettagrid.policy._torch import initialized, load_weights, save_weights
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy, StatefulAgentPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.puffer_default import LSTMWrapper
from mettagrid.policy.pufferlib import PufferlibStatefulImpl
from mettagrid.policy.weights_file import read_weights

with extra("neural"):
    import torch
    from torch import nn

__all__ = ["PufferlibCogsPolicy"]

HIDDEN_SIZE = 256
_RECURRENT_KEYS = ("lstm.", "cell.")


class _DefaultModel(nn.Module):
    """One layer over all numbers of the observation, and two heads.

    Bytes are divided by 255; floats are taken as they are. Observations are [batch, tokens, 3], with further dimensions
    before the tokens added to the batch; the result is logits [batch, actions] and values [batch, 1].
    """

    def __init__(self, policy_env_info: PolicyEnvInterface, hidden_size: int) -> None:
        super().__init__()
        self.hidden_size = hidden_size
        self._size = prod(policy_env_info.observation_shape)
        self.encoder = nn.Sequential(initialized(nn.Linear(self._size, hidden_size)), nn.GELU())
        self.decoder = initialized(nn.Linear(hidden_size, len(policy_env_info.action_names)), gain=0.01)
        self.value = initialized(nn.Linear(hidden_size, 1), gain=1.0)

    def forward_eval(self, observations: torch.Tensor, state: object = None) -> tuple[torch.Tensor, torch.Tensor]:
        return self.decode_actions(self.encode_observations(observations))

    def forward(self, observations: torch.Tensor, state: object = None) -> tuple[torch.Tensor, torch.Tensor]:
        return self.forward_eval(observations, state)

    def encode_observations(self, observations: torch.Tensor) -> torch.Tensor:
        numbers = observations.reshape(-1, self._size)
        hidden: torch.Tensor = self.encoder(numbers if numbers.is_floating_point() else numbers.float() / 255.0)
        return hidden

    def decode_actions(self, hidden: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return self.decoder(hidden), self.value(hidden)


class PufferlibCogsPolicy(MultiAgentPolicy):
    """Every agent plays with the same network; it has an LSTM if `recurrent`, or if the loaded weights have one."""

    short_names: ClassVar[list[str] | None] = ["pufferlib_cogs"]

    def __init__(
        self,
        policy_env_info: PolicyEnvInterface,
        device: str = "cpu",
        *,
        hidden_size: int = HIDDEN_SIZE,
        recurrent: bool = False,
    ) -> None:
        super().__init__(policy_env_info, device)
        self._device = torch.device(device)
        self._hidden_size = int(hidden_size)
        self._recurrent = str(recurrent).lower() in ("true", "1")
        self._net = self._new_network()

    def network(self) -> nn.Module:
        return self._net

    def is_recurrent(self) -> bool:
        return self._recurrent

    def agent_policy(self, agent_id: int) -> AgentPolicy:
        decisions = PufferlibStatefulImpl(self._net, self.policy_env_info, self._device, is_recurrent=self._recurrent)
        return StatefulAgentPolicy(decisions, self.policy_env_info, agent_id=agent_id)

    def load_policy_data(self, policy_data_path: str) -> None:
        recurrent = any(name.startswith(_RECURRENT_KEYS) for name in _names(policy_data_path))
        if recurrent != self._recurrent:
            self._recurrent = recurrent
            self._net = self._new_network()
        load_weights(self._net, policy_data_path, self._device)

    def save_policy_data(self, policy_data_path: str) -> None:
        save_weights(self._net, policy_data_path)

    def _new_network(self) -> nn.Module:
        model = _DefaultModel(self.policy_env_info, self._hidden_size)
        network = LSTMWrapper(self.policy_env_info.observation_shape, model) if self._recurrent else model
        return network.to(self._device)


def _names(path: str) -> list[str]:
    """Return the names of the weights in a file."""
    if path.endswith(".safetensors"):
        return list(read_weights(path))
    weights: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    return list(weights)
