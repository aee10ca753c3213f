"""Means over the episodes of an epoch."""

import numpy as np
import pytest

from cogames_training.statistics import episode_means
from cogames_training.tasks import Task
from cogames_training.worlds import Episode
from mettagrid.config.mettagrid_config import MettaGridConfig

TASKS = [Task(name, MettaGridConfig()) for name in ("left", "right")]


def episode(
    task: int, rewards: list[float], *, stats: dict[str, object] | None = None, is_whole: bool = True
) -> Episode:
    return Episode(0, task, 10 * (task + 1), np.array(rewards, np.float32), stats, is_whole)


def test_rewards_are_means_over_agents_then_over_whole_episodes():
    episodes = [episode(0, [1, 3]), episode(1, [8]), episode(0, [100, 100], is_whole=False)]
    assert episode_means(episodes, TASKS) == {"reward": 5, "length": 15, "reward/left": 2, "reward/right": 8}
    assert episode_means(episodes[:1], TASKS[:1]) == {"reward": 2, "length": 10}
    assert episode_means(episodes[2:], TASKS) == {}


def test_stats_have_the_published_names_and_are_means_over_the_episodes_that_have_them():
    first = {"game": {"cogs/aligned": 4.0, "tick.rate": 1.0}, "agent": [{"heart.gained": 2.0}, {"heart.gained": 4.0}]}
    second = {"game": {"cogs/aligned": 2.0}, "agent": [{}]}
    episodes = [episode(0, [0, 0], stats=first), episode(0, [0], stats=second), episode(0, [0])]
    means = episode_means(episodes, TASKS[:1])
    assert means["env_collective/cogs/aligned"] == 3
    assert means["env_game/tick.rate"] == 0.5
    assert means["env_agent/heart.gained"] == pytest.approx(1.5)
