"""A policy with a small network, to train and to change.

Train it, then play with the trained weights:

    cogames tutorial train -m arena -p class=my_policy.MyTrainablePolicy
    cogames play -m arena -p ./train_dir/RUN

The trainer uses three methods of the policy: `network()`, whose `forward` returns action logits and value estimates
for a batch of observations; `save_policy_data`; and `load_policy_data`.
"""

from __future__ import annotations

from math import prod
from pathlib import Path

import numpy as np
import torch
from torch import nn

from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.weights_file import encode_weights, read_weights
from mettagrid.simulator.interface import AgentObservation
from mettagrid.types import Action

# An observation is a list of three-byte tokens: location, feature, value. Unused tokens are 255, 255, 255.
PADDING = 255


class MyNetwork(nn.Module):
    """Two hidden layers over all bytes of the observation. Trainers read `hidden_size`."""

    def __init__(self, obs_shape: tuple[int, ...], num_actions: int, hidden_size: int = 128) -> None:
        super().__init__()
        self.hidden_size = hidden_size
        self.encoder = nn.Sequential(
            nn.Linear(prod(obs_shape), hidden_size),
            nn.ReLU(),
            nn.Linear(hidden_size, hidden_size),
            nn.ReLU(),
        )
        self.action_head = nn.Linear(hidden_size, num_actions)
        self.value_head = nn.Linear(hidden_size, 1)

    def forward(self, observations: torch.Tensor, state: object = None) -> tuple[torch.Tensor, torch.Tensor]:
        """Return logits [batch, actions] and values [batch, 1] for observations [batch, tokens, 3]."""
        hidden = self.encoder(observations.reshape(len(observations), -1).float() / 255.0)
        return self.action_head(hidden), self.value_head(hidden)

    def forward_eval(self, observations: torch.Tensor, state: object = None) -> tuple[torch.Tensor, torch.Tensor]:
        """Return logits and values while playing; a recurrent network would store its memory in `state`."""
        return self.forward(observations, state)


class MyAgentPolicy(AgentPolicy):
    """Plays one agent: always takes the action with the highest logit, so that it plays the same every time."""

    def __init__(self, policy_env_info: PolicyEnvInterface, network: MyNetwork, device: torch.device) -> None:
        super().__init__(policy_env_info)
        self._network = network
        self._device = device

    def step(self, obs: AgentObservation) -> Action:
        rows = np.full(self.policy_env_info.observation_shape, PADDING, np.uint8)
        tokens = obs.token_array()[: len(rows)]
        rows[: len(tokens)] = tokens
        with torch.no_grad():
            logits, _ = self._network.forward_eval(torch.from_numpy(rows).to(self._device)[None])
        return Action(name=self.policy_env_info.action_names[int(logits.argmax())])


class MyTrainablePolicy(MultiAgentPolicy):
    """All agents share one network."""

    def __init__(
        self,
        policy_env_info: PolicyEnvInterface,
        hidden_size: int = 128,
        device: str | torch.device | None = None,
        **kwargs: object,
    ) -> None:
        super().__init__(policy_env_info, str(device or "cpu"), **kwargs)
        self._device = torch.device(device or "cpu")
        num_actions = len(policy_env_info.action_names)
        network = MyNetwork(policy_env_info.observation_shape, num_actions, int(hidden_size))
        self._network = network.to(self._device)

    def network(self) -> nn.Module:
        return self._network

    def is_recurrent(self) -> bool:
        return False

    def agent_policy(self, agent_id: int) -> AgentPolicy:
        return MyAgentPolicy(self.policy_env_info, self._network, self._device)

    def load_policy_data(self, policy_data_path: str) -> None:
        """Read weights that `tutorial train` (.pt) or a recipe (.safetensors) has saved."""
        if policy_data_path.endswith(".safetensors"):
            weights = {name: torch.from_numpy(array) for name, array in read_weights(policy_data_path).items()}
        else:
            weights = torch.load(policy_data_path, map_location=self._device, weights_only=True)
        self._network.load_state_dict(weights)

    def save_policy_data(self, policy_data_path: str) -> None:
        """Write the weights, in the format that the file's name says."""
        weights = self._network.state_dict()
        if policy_data_path.endswith(".safetensors"):
            arrays = {name: tensor.cpu().numpy() for name, tensor in weights.items()}
            Path(policy_data_path).write_bytes(encode_weights(arrays))
        else:
            torch.save(weights, policy_data_path)
