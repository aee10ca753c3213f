"""Reward factors for agents that play like their own group and unlike the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

__all__ = ["calculate_diversity_bonus"]

_EPSILON = 1e-6


def calculate_diversity_bonus(
    episode_rewards: np.ndarray, agent_groups: np.ndarray, similarity_coef: float, diversity_coef: float
) -> np.ndarray:
    """Return a factor of at least 1 for each agent: 1 + similarity_coef * s + diversity_coef * d.

    s is exp(-z), z the distance of the agent's reward from its group's mean in standard deviations of the group; d is
    the mean of 1 - exp(-z) over all other groups, 0 without one. `episode_rewards` and `agent_groups` have one entry
    per agent.
    """
    import numpy as np

    rewards = np.asarray(episode_rewards, np.float64)
    groups = np.unique(agent_groups)
    own = np.asarray(agent_groups)[:, None] == groups  # [agents, groups]
    members = [rewards[own[:, index]] for index in range(len(groups))]
    means = np.array([group.mean() for group in members])
    deviations = np.array([group.std() for group in members])
    likeness = np.exp(-np.abs(rewards[:, None] - means) / (deviations + _EPSILON))
    others = len(groups) - 1
    diversity = np.where(own, 0.0, 1.0 - likeness).sum(axis=1) / others if others else 0.0
    return 1.0 + similarity_coef * likeness[own] + diversity_coef * diversity
