"""A supervisor policy whose actions are labels for training."""

from typing import Protocol, runtime_checkable

import numpy as np

from mettagrid.config.mettagrid_config import MettaGridConfig


@runtime_checkable
class BatchPolicy(Protocol):
    def step_batch(self, raw_observations: np.ndarray, raw_actions: np.ndarray) -> None:
        """Write a flat action index for each agent's observation, uint8 [agents, tokens, 3], into int32 [agents]."""


def load_supervisor(supervisor: object, config: MettaGridConfig | None = None) -> BatchPolicy | None:
    """Return the supervisor, or None for None. With a `config`, a `PolicySpec` is loaded for its game."""
    if supervisor is None or isinstance(supervisor, BatchPolicy):
        return supervisor
    from mettagrid.policy.policy_spec import PolicySpec

    if config is None or not isinstance(supervisor, PolicySpec):
        raise TypeError(
            f"A {type(supervisor).__name__} cannot be the supervisor; "
            "pass an object with `step_batch(raw_observations, raw_actions)`"
        )
    from mettagrid.policy.loader import initialize_or_load_policy
    from mettagrid.policy.policy_env_interface import PolicyEnvInterface

    return initialize_or_load_policy(PolicyEnvInterface.from_mg_cfg(config), supervisor)


def split_supervisor_actions_inplace(
    teacher_actions: np.ndarray,
    vibe_actions: np.ndarray,
    *,
    num_primary_actions: int,
    vibe_action_ids_by_index: np.ndarray,
) -> None:
    """Write the vibe stream from labels 0 to P-1 (primary) and P to P+V-1 (vibe): the engine's ids, 0 for no change.

    The labels do not change. Raises ValueError for invalid labels.
    """
    limit = num_primary_actions + len(vibe_action_ids_by_index)
    wrong = np.flatnonzero((teacher_actions < 0) | (teacher_actions >= limit))
    if len(wrong):
        agent = int(wrong[0])
        raise ValueError(
            f"The supervisor produced invalid action id {teacher_actions[agent]} for agent {agent}; "
            f"action ids are from 0 to {limit - 1}"
        )
    is_vibe = teacher_actions >= num_primary_actions
    vibe_actions[:] = 0
    vibe_actions[is_vibe] = vibe_action_ids_by_index[teacher_actions[is_vibe] - num_primary_actions]
