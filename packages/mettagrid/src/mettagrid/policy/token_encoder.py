"""The policy whose network reads observations token by token instead of as one long row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from mettagrid.config.action_config import ActionsConfig
from mettagrid.config.id_map import ObservationFeatureSpec
from mettagrid.envs._optional import extra
from mettagrid.mettagrid_c import dtype_actions
from mettagrid.policy._torch import initialized, load_weights, sampled_action, save_weights
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.simulator.interface import EMPTY_LOCATION, AgentObservation
from mettagrid.types import Action

with extra("neural"):
    import torch
    from torch import nn

__all__ = ["TokenAgentPolicyImpl", "TokenPolicy", "TokenPolicyNet", "coordinates"]

HIDDEN_SIZE = 192
BYTES = 256


def coordinates(observations: torch.Tensor, dtype: torch.dtype = torch.uint8) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the columns and the rows of tokens [..., 3] as two tensors [...]."""
    location = observations[..., 0].to(torch.uint8)
    return (location & 15).to(dtype), (location >> 4).to(dtype)


class TokenPolicyNet(nn.Module):
    """Embeds the column, row and feature of each token, scales their sum by the token's value, pools over the tokens.

    Observations are [batch, tokens, 3]; further dimensions before the tokens are added to the batch. The result is
    logits over all actions, vibes included, and values [batch, 1]. `actions_cfg` is their number, or the configuration
    that lists them. Observations may be cut after the last used token. `state` is ignored.
    """

    reads_prefix = True

    _feature_scale: torch.Tensor

    def __init__(self, features: list[ObservationFeatureSpec], actions_cfg: ActionsConfig | int) -> None:
        super().__init__()
        self.hidden_size = HIDDEN_SIZE
        self.num_actions = actions_cfg if isinstance(actions_cfg, int) else len(actions_cfg.actions())
        scale = torch.ones(BYTES)
        for feature in features:
            scale[feature.id] = feature.normalization
        self.register_buffer("_feature_scale", scale)
        self.pos_x_embed = nn.Embedding(BYTES, HIDDEN_SIZE)
        self.pos_y_embed = nn.Embedding(BYTES, HIDDEN_SIZE)
        self.feature_embed = nn.Embedding(BYTES, HIDDEN_SIZE)
        self.token_mlp = nn.Sequential(
            initialized(nn.Linear(HIDDEN_SIZE, HIDDEN_SIZE)), nn.ReLU(), nn.LayerNorm(HIDDEN_SIZE)
        )
        self.post_mlp = nn.Sequential(
            initialized(nn.Linear(HIDDEN_SIZE, HIDDEN_SIZE)),
            nn.ReLU(),
            nn.Dropout(0.1),
            initialized(nn.Linear(HIDDEN_SIZE, HIDDEN_SIZE)),
            nn.ReLU(),
        )
        self.action_head = initialized(nn.Linear(HIDDEN_SIZE, self.num_actions))
        self.value_head = initialized(nn.Linear(HIDDEN_SIZE, 1))

    def forward_eval(self, observations: torch.Tensor, state: object = None) -> tuple[torch.Tensor, torch.Tensor]:
        hidden = self.post_mlp(self._encode_tokens(self._flatten_tokens(observations)))
        return self.action_head(hidden), self.value_head(hidden)

    def forward(self, observations: torch.Tensor, state: object = None) -> tuple[torch.Tensor, torch.Tensor]:
        return self.forward_eval(observations, state)

    def _flatten_tokens(self, observations: torch.Tensor) -> torch.Tensor:
        """Reshape [..., tokens, 3] to [batch, tokens, 3]."""
        return observations.reshape(-1, *observations.shape[-2:])

    def _encode_tokens(self, observations: torch.Tensor) -> torch.Tensor:
        """Return one vector per observation: the sum over its tokens divided by the root of their number."""
        column, row = coordinates(observations, torch.long)
        feature = observations[..., 1].long()
        value = observations[..., 2].float() / (self._feature_scale[feature] + 1e-6)
        embedded = self.pos_x_embed(column) + self.pos_y_embed(row) + self.feature_embed(feature)
        used = (observations[..., 0] != EMPTY_LOCATION).float()
        pooled = (embedded * (value * used)[..., None]).sum(dim=1)
        return self.token_mlp(pooled / used.sum(dim=1, keepdim=True).clamp(min=1.0).sqrt())


class TokenAgentPolicyImpl(AgentPolicy):
    """Draws the actions of one agent from the network's logits."""

    def __init__(
        self,
        net: TokenPolicyNet,
        device: torch.device,
        num_actions: int,
        action_names: Sequence[str] | None = None,
        policy_env_info: PolicyEnvInterface | None = None,
    ) -> None:
        if policy_env_info is not None:
            super().__init__(policy_env_info)
        self._net = net
        self._device = device
        self._num_actions = num_actions
        self._action_names = action_names

    def step(self, obs: AgentObservation | np.ndarray) -> Any:
        """Return the `Action` for an observation; for raw tokens [tokens, 3] the number of the action, an int32."""
        named = isinstance(obs, AgentObservation)
        rows = obs.token_array() if isinstance(obs, AgentObservation) else np.asarray(obs)
        tokens = torch.from_numpy(np.array(rows)).to(self._device)[None]
        self._net.eval()
        with torch.no_grad():
            logits, _ = self._net.forward_eval(tokens)
        index = sampled_action(logits)
        if not named:
            return dtype_actions.type(index)
        if self._action_names is None:
            raise ValueError("Action names are unknown; pass `action_names`, or step with raw tokens for the number")
        return Action(name=self._action_names[index])


class TokenPolicy(MultiAgentPolicy):
    """Every agent plays with the same network. Its weights are a state dict of `TokenPolicyNet`.

    Policies are created from the description of a game alone. The published signature, with the features and the
    actions of its configuration before the description, is accepted as well.
    """

    short_names: ClassVar[list[str] | None] = ["token"]

    def __init__(
        self,
        features: PolicyEnvInterface | list[ObservationFeatureSpec],
        actions_cfg: ActionsConfig | None = None,
        device: str = "cpu",
        policy_env_info: PolicyEnvInterface | None = None,
    ) -> None:
        info = features if isinstance(features, PolicyEnvInterface) else policy_env_info
        if info is None:
            raise TypeError("TokenPolicy needs the description of the game: TokenPolicy(policy_env_info)")
        super().__init__(info, device)
        self._device = torch.device(device)
        if actions_cfg is None:
            self._action_names = list(info.all_action_names)
        else:
            self._action_names = [action.name for action in actions_cfg.actions()]
        self._num_actions = len(self._action_names)
        specs = info.obs_features if isinstance(features, PolicyEnvInterface) else features
        self._net = TokenPolicyNet(specs, self._num_actions).to(self._device)

    def network(self) -> nn.Module:
        return self._net

    def agent_policy(self, agent_id: int) -> AgentPolicy:
        return TokenAgentPolicyImpl(
            self._net, self._device, self._num_actions, self._action_names, self.policy_env_info
        )

    def is_recurrent(self) -> bool:
        return False

    def load_policy_data(self, policy_data_path: str) -> None:
        load_weights(self._net, policy_data_path, self._device)

    def save_policy_data(self, policy_data_path: str) -> None:
        save_weights(self._net, policy_data_path)
