"""Means over the episodes that ended in an epoch, under the names that reports use."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from cogames_training.tasks import Task
from cogames_training.worlds import Episode

__all__ = ["episode_means"]


def episode_means(episodes: Sequence[Episode], tasks: Sequence[Task]) -> dict[str, float]:
    """Return reward, length and the engine's stats; empty if no episode ended.

    Episodes that were cut to stagger the worlds do not count. `cogs/aligned.junction.held` of the game becomes
    `env_collective/cogs/aligned.junction.held`; stats of agents are means over them.
    """
    whole = [episode for episode in episodes if episode.is_whole]
    if not whole:
        return {}
    means = {
        "reward": sum(float(episode.rewards.mean()) for episode in whole) / len(whole),
        "length": sum(episode.steps for episode in whole) / len(whole),
    }
    if len(tasks) > 1:
        by_task: defaultdict[str, list[float]] = defaultdict(list)
        for episode in whole:
            by_task[tasks[episode.task].name].append(float(episode.rewards.mean()))
        means |= {f"reward/{name}": sum(rewards) / len(rewards) for name, rewards in by_task.items()}
    told = [episode.stats for episode in whole if episode.stats is not None]
    sums: defaultdict[str, float] = defaultdict(float)
    for stats in told:
        for name, value in stats["game"].items():
            sums[_game_name(name)] += value / len(told)
        for agent in stats["agent"]:
            for name, value in agent.items():
                sums[f"env_agent/{name}"] += value / len(told) / len(stats["agent"])
    return means | dict(sums)


def _game_name(name: str) -> str:
    team, slash, _ = name.partition("/")
    return f"env_collective/{name}" if slash and team else f"env_game/{name}"
