"""Estimates of everything that `cogames run` averages over the episodes of a mission."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from pydantic import BaseModel

from mettagrid.simulator.multi_episode.rollout import EpisodeRolloutResult
from softmax.stats import LEVEL, Estimate, estimate_mean

__all__ = ["MissionStatistics", "PolicyStatistics", "mission_statistics"]


class PolicyStatistics(BaseModel):
    """A policy's mean reward, and each agent stat averaged over its agents, then over episodes."""

    reward: Estimate
    agent_metrics: dict[str, Estimate]
    timeouts_per_episode: Estimate


class MissionStatistics(BaseModel):
    """A mission's statistics over its episodes."""

    level: float
    policies: list[PolicyStatistics]
    game_stats: dict[str, Estimate]
    time_averaged_game_stats: dict[str, Estimate]


def mission_statistics(
    episodes: Sequence[EpisodeRolloutResult], num_policies: int, *, level: float = LEVEL
) -> MissionStatistics:
    """Estimate every average over the episodes of a mission.

    A stat that an episode lacks counts as zero, as in the engine. A policy's averages cover the
    episodes in which it had agents.
    """
    return MissionStatistics(
        level=level,
        policies=[_policy_statistics(episodes, policy, level) for policy in range(num_policies)],
        game_stats=_estimates([episode.stats["game"] for episode in episodes], level),
        time_averaged_game_stats=_estimates([episode.time_averaged_game_stats for episode in episodes], level),
    )


def _policy_statistics(episodes: Sequence[EpisodeRolloutResult], policy: int, level: float) -> PolicyStatistics:
    rewards, timeouts, metrics = [], [], []
    for episode in episodes:
        agents = [agent for agent, assigned in enumerate(episode.assignments) if assigned == policy]
        if not agents:
            continue
        rewards.append(math.fsum(episode.rewards[agent] for agent in agents) / len(agents))
        timeouts.append(float(sum(episode.action_timeouts[agent] for agent in agents)))
        metrics.append(_means([episode.stats["agent"][agent] for agent in agents]))
    return PolicyStatistics(
        reward=estimate_mean(rewards, level=level),
        agent_metrics=_estimates(metrics, level),
        timeouts_per_episode=estimate_mean(timeouts, level=level),
    )


def _means(tables: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: math.fsum(table.get(name, 0.0) for table in tables) / len(tables) for name in _names(tables)}


def _estimates(tables: Sequence[Mapping[str, float]], level: float) -> dict[str, Estimate]:
    return {
        name: estimate_mean([table.get(name, 0.0) for table in tables], level=level) for name in sorted(_names(tables))
    }


def _names(tables: Sequence[Mapping[str, float]]) -> dict[str, None]:
    return dict.fromkeys(name for table in tables for name in table)
