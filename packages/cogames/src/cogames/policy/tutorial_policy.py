"""The policy of the training tutorials: a network that processes the observation as an image."""

from __future__ import annotations

from typing import ClassVar

from mettagrid.envs._optional import extra
from mettagrid.policy._recurrence import run_lstm
from mettagrid.policy._torch import load_weights, sampled_action, save_weights, token_rows
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy, StatefulAgentPolicy, StatefulPolicyImpl
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.utils import LSTMState, LSTMStateDict, LSTMStateTuple
from mettagrid.simulator.interface import AgentObservation
from mettagrid.types import Action

with extra("neural"):
    import torch
    from torch import nn

__all__ = ["TutorialAgentPolicy", "TutorialPolicy", "TutorialPolicyNet"]

PADDING = (255, 255, 255)
HIDDEN_SIZE = 512
LAYERS = 1
FEATURE_IDS = 256  # as many as a byte can name


class TutorialPolicyNet(nn.Module):
    """Feeds the window, as an image with one channel per feature, and the agent's own cell into an LSTM.

    A token adds its value, divided by the feature's normalization, to its cell; tokens about the whole game have no
    cell and are ignored. Observations are [batch, tokens, 3] or [batch, steps, tokens, 3]; the output is logits
    [batch * steps, actions] and values [batch * steps, 1]. A dict `state` is read and updated as in `LSTMPolicyNet`,
    resets included. Observations may be cut after the last used token.
    """

    reads_prefix = True
    handles_resets = True

    _feature_scale: torch.Tensor

    def __init__(self, policy_env_info: PolicyEnvInterface) -> None:
        super().__init__()
        self.hidden_size = HIDDEN_SIZE
        self._height, self._width = policy_env_info.egocentric_shape
        features = policy_env_info.obs_features
        self._channels = max(feature.id for feature in features) + 1
        scale = torch.ones(FEATURE_IDS)
        for feature in features:
            scale[feature.id] = max(float(feature.normalization), 1.0)
        self.register_buffer("_feature_scale", scale)
        self._cnn = nn.Sequential(
            nn.Conv2d(self._channels, 64, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(64, 128, 3, stride=2, padding=1),
            nn.ReLU(),
        )
        # Both convolutions halve height and width, rounded up.
        pictured = 128 * ((self._height + 3) // 4) * ((self._width + 3) // 4)
        self._cnn_fc = nn.Linear(pictured, HIDDEN_SIZE // 2)
        self._self_encoder = nn.Linear(self._channels, HIDDEN_SIZE // 2)
        self._rnn = nn.LSTM(HIDDEN_SIZE, HIDDEN_SIZE, num_layers=LAYERS, batch_first=True)
        self._action_head = nn.Linear(HIDDEN_SIZE, len(policy_env_info.action_names))
        self._value_head = nn.Linear(HIDDEN_SIZE, 1)

    def forward_eval(
        self,
        observations: torch.Tensor,
        state: LSTMState | LSTMStateTuple | LSTMStateDict | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        batch = observations.shape[0]
        picture = self._tokens_to_grid(observations.reshape(-1, *observations.shape[-2:]))
        around = torch.relu(self._cnn_fc(self._cnn(picture).flatten(1)))
        own = torch.relu(self._self_encoder(picture[:, :, self._height // 2, self._width // 2]))
        before = LSTMState.from_any(state, LAYERS)
        seen = torch.cat([around, own], dim=1).reshape(batch, -1, self.hidden_size)
        resets = state.get("resets") if isinstance(state, dict) else None
        out, after = run_lstm(
            self._rnn,
            seen,
            None if before is None else (before.hidden[0], before.cell[0]),
            None if resets is None else resets.reshape(seen.shape[:2]),
        )
        if isinstance(state, dict) and "lstm_h" in state:
            LSTMState(after[0][None], after[1][None]).write_dict(state)
        out = out.reshape(-1, self.hidden_size)
        return self._action_head(out), self._value_head(out)

    def forward(
        self, observations: torch.Tensor, state: LSTMStateTuple | LSTMStateDict | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        return self.forward_eval(observations, state)

    def _tokens_to_grid(self, tokens: torch.Tensor) -> torch.Tensor:
        """Convert [batch, tokens, 3] to [batch, channels, height, width]."""
        location, feature, value = tokens.long().unbind(-1)
        row, col = location >> 4, location & 15
        is_cell = (row < self._height) & (col < self._width) & (feature < self._channels)
        scaled = torch.where(is_cell, value / self._feature_scale[feature], 0.0)
        # Tokens without a cell add zero to the first cell.
        place = torch.where(is_cell, (feature * self._height + row) * self._width + col, 0)
        picture = scaled.new_zeros(len(tokens), self._channels * self._height * self._width)
        picture.scatter_add_(1, place, scaled)
        return picture.reshape(-1, self._channels, self._height, self._width)


class TutorialAgentPolicy(StatefulPolicyImpl[LSTMState]):
    """Samples the action of one agent from the network's logits."""

    def __init__(self, net: TutorialPolicyNet, device: torch.device, policy_env_info: PolicyEnvInterface) -> None:
        self._net = net
        self._device = device
        self._policy_env_info = policy_env_info

    def initial_agent_state(self) -> LSTMState:
        zeros = torch.zeros(LAYERS, self._net.hidden_size, device=self._device)
        return LSTMState(zeros, zeros.clone())

    def step_with_state(self, obs: AgentObservation, state: LSTMState) -> tuple[Action, LSTMState]:
        rows = token_rows(obs, self._policy_env_info.observation_shape, PADDING)
        memory: LSTMStateDict = {"lstm_h": state.hidden, "lstm_c": state.cell}
        with torch.no_grad():
            logits, _ = self._net.forward_eval(torch.from_numpy(rows).to(self._device)[None], memory)
        after = LSTMState.from_dict(memory, LAYERS)
        assert after is not None
        return Action(name=self._policy_env_info.action_names[sampled_action(logits)]), after


class TutorialPolicy(MultiAgentPolicy):
    """Every agent plays with the same network and its own memory."""

    short_names: ClassVar[list[str] | None] = ["tutorial"]

    def __init__(self, policy_env_info: PolicyEnvInterface, device: str = "cpu", **kwargs: object) -> None:
        super().__init__(policy_env_info, device, **kwargs)
        self._device = torch.device(device)
        self._net = TutorialPolicyNet(policy_env_info).to(self._device)
        self._agent_policy = TutorialAgentPolicy(self._net, self._device, policy_env_info)

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
