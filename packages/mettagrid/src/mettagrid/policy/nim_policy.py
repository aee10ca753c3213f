"""Policies compiled to a native library and reached through ctypes, as Nim policies are."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from mettagrid.mettagrid_c import dtype_observations
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.simulator.interface import EMPTY_LOCATION, AgentObservation
from mettagrid.types import Action

__all__ = ["NimMultiAgentPolicy"]

_EMPTY_TOKEN = EMPTY_LOCATION  # padding tokens repeat this byte
_IdPointer = ctypes.POINTER(ctypes.c_int32)


class NimMultiAgentPolicy(MultiAgentPolicy):
    """Wraps a native policy object that decides for many agents in one call.

    `nim_policy_factory(config_json)` makes it; the text is `PolicyEnvInterface.to_json()` unless `init_config_json` is
    given. The object has `step_batch(ids, n, num_agents, num_tokens, token_dim, observations, num_actions, actions)`:
    `ids` points to n int32 (None when n is 0), `observations` is the address of uint8 [num_agents, num_tokens,
    token_dim] and `actions` of int32 [num_agents], where it writes positions in `all_action_names` for the agents in
    `ids`. An object with `get_infos_json(agent_id)` also returns the infos of an agent's last step.
    """

    def __init__(
        self,
        policy_env_info: PolicyEnvInterface,
        nim_policy_factory: Callable[[str], Any],
        agent_ids: Sequence[int] | None = None,
        device: str = "cpu",
        init_config_json: str | None = None,
    ) -> None:
        super().__init__(policy_env_info, device=device)
        self._nim_policy = nim_policy_factory(
            policy_env_info.to_json() if init_config_json is None else init_config_json
        )
        self._num_agents = policy_env_info.num_agents
        # Native code sees two dimensions: the first, and all others as one.
        self._num_tokens, *others = policy_env_info.observation_shape
        self._token_dim = prod(others)
        ids = range(self._num_agents) if agent_ids is None else agent_ids
        self._default_subset = np.array(ids, np.int32)
        self._full_obs_buffer = np.full(
            (self._num_agents, self._num_tokens, self._token_dim), _EMPTY_TOKEN, dtype_observations
        )
        self._full_action_buffer = np.zeros(self._num_agents, np.int32)

    def agent_policy(self, agent_id: int) -> AgentPolicy:
        return _NimAgentPolicy(self, agent_id)

    def step_batch(self, raw_observations: np.ndarray, raw_actions: np.ndarray) -> None:
        """Decide for this policy's agents: one row for each agent of the game, or one for each of this policy's."""
        ids = self._default_subset
        rows = len(raw_observations)
        if rows != len(raw_actions) or rows not in (self._num_agents, len(ids)):
            raise ValueError(
                f"{rows} observations and {len(raw_actions)} actions given; expected {self._num_agents} of each, "
                f"or {len(ids)} for the agents of this policy"
            )
        where: Any = slice(None) if rows == self._num_agents else ids
        self._full_obs_buffer[where] = raw_observations.reshape(rows, self._num_tokens, self._token_dim)
        self._full_action_buffer[where] = raw_actions
        self._invoke_step_batch(ids, self._full_obs_buffer, self._full_action_buffer)
        raw_actions[:] = self._full_action_buffer[where]

    def step_single(self, agent_id: int, obs: AgentObservation) -> int:
        """Return the action of one agent; tokens that do not fit the buffer are dropped."""
        row = self._full_obs_buffer[agent_id]
        tokens = obs.token_array()[: self._num_tokens]
        row[: len(tokens)] = tokens
        row[len(tokens) :] = _EMPTY_TOKEN
        self._full_action_buffer[agent_id] = 0
        self._invoke_step_batch(np.array([agent_id], np.int32), self._full_obs_buffer, self._full_action_buffer)
        return int(self._full_action_buffer[agent_id])

    def _invoke_step_batch(self, agent_ids: np.ndarray, raw_observations: np.ndarray, raw_actions: np.ndarray) -> None:
        self._nim_policy.step_batch(
            agent_ids.ctypes.data_as(_IdPointer) if len(agent_ids) else None,
            len(agent_ids),
            self._num_agents,
            self._num_tokens,
            self._token_dim,
            raw_observations.ctypes.data,
            len(self._policy_env_info.all_action_names),
            raw_actions.ctypes.data,
        )


class _NimAgentPolicy(AgentPolicy):
    """One agent of a native policy."""

    def __init__(self, parent: NimMultiAgentPolicy, agent_id: int) -> None:
        super().__init__(parent.policy_env_info)
        self._parent = parent
        self._agent_id = agent_id

    def step(self, obs: AgentObservation) -> Action:
        index = self._parent.step_single(self._agent_id, obs)
        names = self._policy_env_info.all_action_names
        if not 0 <= index < len(names):
            raise ValueError(
                f"The native policy chose action {index} for agent {self._agent_id}; "
                f"actions are from 0 to {len(names) - 1}"
            )
        self._infos = self._read_infos()
        return Action(name=names[index])

    def _read_infos(self) -> dict[str, Any]:
        read = getattr(self._parent._nim_policy, "get_infos_json", None)
        text = read(self._agent_id) if read is not None else ""
        infos = json.loads(text) if text else {}
        return infos if isinstance(infos, dict) else {}
