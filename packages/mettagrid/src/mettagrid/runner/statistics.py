"""How sure one can be of a mean over episodes.

    mean_interval([3.1, 2.4, 2.9])                        # Student's t, for the mean of a few episodes
    bootstrap_interval(rows, lambda rows: ...)            # for anything else that is computed from episodes

Episodes are what is independent: agents of one episode are not, so their mean counts as one value. Results depend on
the values alone: the bootstrap draws from a generator with a fixed seed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Literal, TypeVar

import numpy as np
from pydantic import BaseModel

from mettagrid.simulator.multi_episode.rollout import EpisodeRolloutResult

__all__ = [
    "Interval",
    "MissionStatistics",
    "PolicyStatistics",
    "bootstrap_interval",
    "mean_interval",
    "mission_statistics",
]

Row = TypeVar("Row")

LEVEL = 0.95
RESAMPLES = 2000
BOOTSTRAP_SEED = 20260101


class Interval(BaseModel):
    """A mean (or another number) of `count` values with the interval that holds the true one in `level` of all cases.

    One value says nothing about how far the next may lie: then there are no bounds.
    """

    mean: float | None
    low: float | None = None
    high: float | None = None
    standard_error: float | None = None
    count: int
    level: float = LEVEL
    method: Literal["student", "bootstrap"] = "student"


class PolicyStatistics(BaseModel):
    """One policy: its mean reward, and each agent stat as a mean over its agents and then over episodes."""

    reward: Interval
    agent_metrics: dict[str, Interval]
    timeouts_per_episode: Interval


class MissionStatistics(BaseModel):
    """One mission, over its episodes."""

    level: float
    policies: list[PolicyStatistics]
    game_stats: dict[str, Interval]
    time_averaged_game_stats: dict[str, Interval]


def mean_interval(values: Sequence[float], *, level: float = LEVEL) -> Interval:
    """The mean of values, each from an episode of its own, with Student's interval."""
    count = len(values)
    if count == 0:
        return Interval(mean=None, count=0, level=level)
    mean = math.fsum(values) / count
    if count == 1:
        return Interval(mean=mean, count=1, level=level)
    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    error = math.sqrt(variance / count)
    reach = student_quantile(0.5 + level / 2, count - 1) * error
    return Interval(mean=mean, low=mean - reach, high=mean + reach, standard_error=error, count=count, level=level)


def bootstrap_interval(
    rows: Sequence[Row], statistic: Callable[[Sequence[Row]], float | None], *, level: float = LEVEL
) -> Interval:
    """A number computed from episodes, with the percentile interval of 2,000 resamples of them.

    Resamples for which `statistic` is None do not count; without any other there are no bounds.
    """
    value = statistic(rows)
    if len(rows) < 2:
        return Interval(mean=value, count=len(rows), level=level, method="bootstrap")
    generator = np.random.Generator(np.random.PCG64(BOOTSTRAP_SEED))
    draws = generator.integers(len(rows), size=(RESAMPLES, len(rows)))
    drawn = [statistic([rows[number] for number in draw]) for draw in draws.tolist()]
    numbers = np.array([number for number in drawn if number is not None])
    if not len(numbers):
        return Interval(mean=value, count=len(rows), level=level, method="bootstrap")
    low, high = np.quantile(numbers, [0.5 - level / 2, 0.5 + level / 2]).tolist()
    return Interval(
        mean=value,
        low=low,
        high=high,
        standard_error=float(numbers.std(ddof=1)) if len(numbers) > 1 else None,
        count=len(rows),
        level=level,
        method="bootstrap",
    )


def mission_statistics(
    episodes: Sequence[EpisodeRolloutResult], num_policies: int, *, level: float = LEVEL
) -> MissionStatistics:
    """Intervals for everything that is averaged over the episodes of a mission.

    A stat that an episode does not have counts as zero, as it does in the engine. A policy counts in the episodes in
    which it had agents.
    """
    return MissionStatistics(
        level=level,
        policies=[_policy_statistics(episodes, policy, level) for policy in range(num_policies)],
        game_stats=_intervals([episode.stats["game"] for episode in episodes], level),
        time_averaged_game_stats=_intervals([episode.time_averaged_game_stats for episode in episodes], level),
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
        reward=mean_interval(rewards, level=level),
        agent_metrics=_intervals(metrics, level),
        timeouts_per_episode=mean_interval(timeouts, level=level),
    )


def _means(tables: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: math.fsum(table.get(name, 0.0) for table in tables) / len(tables) for name in _names(tables)}


def _intervals(tables: Sequence[Mapping[str, float]], level: float) -> dict[str, Interval]:
    return {
        name: mean_interval([table.get(name, 0.0) for table in tables], level=level) for name in sorted(_names(tables))
    }


def _names(tables: Sequence[Mapping[str, float]]) -> dict[str, None]:
    return dict.fromkeys(name for table in tables for name in table)


@cache
def student_quantile(probability: float, freedom: int) -> float:
    """The number below which Student's t with `freedom` degrees lies with a probability from 0.5 to 1."""
    low, high = 0.0, 1.0
    while _student_cdf(high, freedom) < probability:
        low, high = high, 2 * high
    for _ in range(100):
        middle = (low + high) / 2
        if _student_cdf(middle, freedom) < probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _student_cdf(value: float, freedom: int) -> float:
    """For values from 0 on."""
    tail = _incomplete_beta(freedom / 2, 0.5, freedom / (freedom + value * value)) / 2
    return 1.0 - tail


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularized incomplete beta function, by its continued fraction (Abramowitz and Stegun, 26.5.8)."""
    if x <= 0.0 or x >= 1.0:
        return 0.0 if x <= 0.0 else 1.0
    if x > (a + 1) / (a + b + 2):  # where the fraction converges slowly
        return 1.0 - _incomplete_beta(b, a, 1.0 - x)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)) / a
    fraction = 1.0
    for step in range(200, 0, -1):
        half = step // 2
        if step % 2:
            term = -(a + half) * (a + b + half) * x / ((a + step - 1) * (a + step))
        else:
            term = half * (b - half) * x / ((a + step - 1) * (a + step))
        fraction = 1.0 + term / fraction
    return front / fraction
