"""Means over the episodes of a mission, as the published interface defines them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from pydantic import BaseModel

from mettagrid.simulator.multi_episode.rollout import EpisodeRolloutResult, MultiEpisodeRolloutResult

__all__ = [
    "MultiEpisodeRolloutPolicySummary",
    "MultiEpisodeRolloutSummary",
    "build_multi_episode_rollout_summaries",
]


class MultiEpisodeRolloutPolicySummary(BaseModel):
    """One policy over all episodes.

    `agent_count` is its number of agents in the first episode. `avg_agent_metrics` is each agent stat summed over all
    its agents and all episodes, divided by `agent_count` but not by the number of episodes.
    """

    agent_count: int
    avg_agent_metrics: dict[str, float]
    action_timeouts: int


class MultiEpisodeRolloutSummary(BaseModel):
    """One mission. A stat that an episode does not have counts as zero in the means."""

    episodes: int
    policy_summaries: list[MultiEpisodeRolloutPolicySummary]
    avg_game_stats: dict[str, float]
    avg_time_averaged_game_stats: dict[str, float] = {}
    per_episode_per_policy_avg_rewards: dict[int, list[float | None]]


def build_multi_episode_rollout_summaries(
    rollout_results: list[MultiEpisodeRolloutResult], num_policies: int
) -> list[MultiEpisodeRolloutSummary]:
    """Return one summary for each mission's results, in order; raises ValueError for a mission without episodes."""
    return [_summary(result.episodes, num_policies) for result in rollout_results]


def _summary(episodes: list[EpisodeRolloutResult], num_policies: int) -> MultiEpisodeRolloutSummary:
    if not episodes:
        raise ValueError("Cannot summarize a mission that has no episodes")
    strangers = {policy for episode in episodes for policy in episode.assignments if not 0 <= policy < num_policies}
    if strangers:
        raise ValueError(f"Agents are assigned to policies {sorted(strangers)}, but there are {num_policies} policies")
    return MultiEpisodeRolloutSummary(
        episodes=len(episodes),
        policy_summaries=[_policy_summary(episodes, policy) for policy in range(num_policies)],
        avg_game_stats=_means((episode.stats["game"] for episode in episodes), len(episodes)),
        avg_time_averaged_game_stats=_means((episode.time_averaged_game_stats for episode in episodes), len(episodes)),
        per_episode_per_policy_avg_rewards={
            number: [_mean_reward(episode, policy) for policy in range(num_policies)]
            for number, episode in enumerate(episodes)
        },
    )


def _policy_summary(episodes: list[EpisodeRolloutResult], policy: int) -> MultiEpisodeRolloutPolicySummary:
    agent_count = episodes[0].assignments.count(policy)
    stats = (episode.stats["agent"][agent] for episode in episodes for agent in _agents_of(episode, policy))
    return MultiEpisodeRolloutPolicySummary(
        agent_count=agent_count,
        avg_agent_metrics=_means(stats, agent_count) if agent_count else {},
        action_timeouts=sum(
            episode.action_timeouts[agent] for episode in episodes for agent in _agents_of(episode, policy)
        ),
    )


def _mean_reward(episode: EpisodeRolloutResult, policy: int) -> float | None:
    rewards = [episode.rewards[agent] for agent in _agents_of(episode, policy)]
    return sum(rewards) / len(rewards) if rewards else None


def _agents_of(episode: EpisodeRolloutResult, policy: int) -> list[int]:
    return [agent for agent, assigned in enumerate(episode.assignments) if assigned == policy]


def _means(tables: Iterable[Mapping[str, float]], count: int) -> dict[str, float]:
    sums: defaultdict[str, float] = defaultdict(float)
    for table in tables:
        for name, value in table.items():
            sums[name] += value
    return {name: total / count for name, total in sums.items()}
