"""The policy with a feed-forward network, which sees the current step only."""

from __future__ import annotations

from math import prod
from typing import ClassVar

from mettagrid.envs._optional import extra
from mettagrid.policy._first_layer import FirstLayer
from mettagrid.policy._torch import initialized, load_weights, sampled_action, save_weights, token_rows
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.simulator.interface import AgentObservation
from mettagrid.types import Action

with extra("neural"):
    import torch
    from torch import nn

__all__ = ["StatelessPolicy", "StatelessPolicyNet"]

HIDDEN_SIZE = 128
PADDING = (255, 255, 255)


class StatelessPolicyNet(nn.Module):
    """Maps an observation through two linear layers to logits of the primary actions and a value.

    Observations are [batch, tokens, 3] with numbers from 0 to 255; the answer is logits [batch, actions] and values
    [batch, 1]. Those with fewer tokens than the game has are taken as padded with `PADDING`; dimensions before the
    tokens are added to the batch. `state` is there for trainers that hand one to every network.
    """

    reads_prefix = True

    def __init__(self, num_actions: int, obs_shape: tuple[int, ...]) -> None:
        super().__init__()
        self.hidden_size = HIDDEN_SIZE
        self.num_actions = num_actions
        self._first_layer = FirstLayer(obs_shape, PADDING)
        self.net = nn.Sequential(
            initialized(nn.Linear(prod(obs_shape), HIDDEN_SIZE)),
            nn.ReLU(),
            initialized(nn.Linear(HIDDEN_SIZE, HIDDEN_SIZE)),
        )
        self.action_head = nn.Linear(HIDDEN_SIZE, num_actions)
        self.value_head = nn.Linear(HIDDEN_SIZE, 1)

    def forward_eval(self, observations: torch.Tensor, state: object = None) -> tuple[torch.Tensor, torch.Tensor]:
        first, relu, second = self.net
        hidden = second(relu(self._first_layer(first, observations)))
        return self.action_head(hidden), self.value_head(hidden)

    def forward(self, observations: torch.Tensor, state: object = None) -> tuple[torch.Tensor, torch.Tensor]:
        return self.forward_eval(observations, state)


class StatelessAgentPolicyImpl(AgentPolicy):
    """Samples the actions of one agent from the network's logits."""

    def __init__(self, net: StatelessPolicyNet, device: torch.device, policy_env_info: PolicyEnvInterface) -> None:
        super().__init__(policy_env_info)
        self._net = net
        self._device = device

    def step(self, obs: AgentObservation) -> Action:
        tokens = torch.from_numpy(token_rows(obs, self.policy_env_info.observation_shape, PADDING)).to(self._device)
        with torch.no_grad():
            logits, _ = self._net.forward_eval(tokens[None])
        return Action(name=self.policy_env_info.action_names[sampled_action(logits)])


class StatelessPolicy(MultiAgentPolicy):
    """Every agent plays with the same network. Its weights are a state dict of `StatelessPolicyNet`."""

    short_names: ClassVar[list[str] | None] = ["stateless"]

    def __init__(self, policy_env_info: PolicyEnvInterface, device: torch.device | str | None = None) -> None:
        super().__init__(policy_env_info, str(device or "cpu"))
        self._device = torch.device(device or "cpu")
        self.num_actions = len(policy_env_info.action_names)
        self._net = StatelessPolicyNet(self.num_actions, policy_env_info.observation_shape).to(self._device)

    def network(self) -> nn.Module:
        return self._net

    def agent_policy(self, agent_id: int) -> AgentPolicy:
        return StatelessAgentPolicyImpl(self._net, self._device, self.policy_env_info)

    def is_recurrent(self) -> bool:
        return False

    def load_policy_data(self, policy_data_path: str) -> None:
        load_weights(self._net, policy_data_path, self._device)

    def save_policy_data(self, policy_data_path: str) -> None:
        save_weights(self._net, policy_data_path)
