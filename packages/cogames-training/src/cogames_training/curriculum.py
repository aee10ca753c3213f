"""Choose the task of each world's next episode: in turn, at random, or by learning progress.

    tasks = make_tasks([("arena", env)], {"bucketed": {"buckets": {"game.max_steps": [500, 1000]}}}, seed=1)
    curriculum = make_curriculum("learning_progress", tasks, seed=1)
    task = curriculum.next_task(world=0, episode=0)
    curriculum.finished(task, score=1.5)

All choices depend on the seed and on the scores in the order in which they arrive; `state` is JSON.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, Protocol

import numpy as np

from cogames_training.args import SettingError
from cogames_training.tasks import Task, checked_tasks, make_tasks

__all__ = [
    "Curriculum",
    "DiscreteRandom",
    "LearningProgress",
    "LearningProgressSettings",
    "Rotation",
    "Task",
    "make_curriculum",
    "make_tasks",
]


class Curriculum(Protocol):
    """Chooses the task of each episode."""

    @property
    def tasks(self) -> Sequence[Task]: ...

    def next_task(self, world: int, episode: int) -> int:
        """Return the number of the task that a world plays in its episode (from 0). Call it once for each."""

    def finished(self, task: int, score: float) -> None:
        """Record the score of a finished episode. Scores must arrive in an order that does not depend on timing."""

    def state(self) -> dict[str, Any]:
        """Return the state as JSON values."""

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Continue from `state`."""


class Rotation:
    """World i begins with task i (modulo their number) and takes the next at each reset; weights do not matter."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self.tasks = checked_tasks(tasks)

    def next_task(self, world: int, episode: int) -> int:
        return (world + episode) % len(self.tasks)

    def finished(self, task: int, score: float) -> None:
        pass

    def state(self) -> dict[str, Any]:
        return {}

    def load_state(self, state: Mapping[str, Any]) -> None:
        pass


class DiscreteRandom:
    """Every episode draws a task by its weight."""

    def __init__(self, tasks: Sequence[Task], *, seed: int) -> None:
        self.tasks = checked_tasks(tasks)
        self._seed = seed
        self._shares = np.cumsum([task.weight for task in tasks]) / sum(task.weight for task in tasks)

    def next_task(self, world: int, episode: int) -> int:
        return _pick(self._shares, _draw(self._seed, world, episode).random())

    def finished(self, task: int, score: float) -> None:
        pass

    def state(self) -> dict[str, Any]:
        return {}

    def load_state(self, state: Mapping[str, Any]) -> None:
        pass


@dataclass(frozen=True)
class LearningProgressSettings:
    """Settings of `LearningProgress`."""

    ema_timescale: float = 0.001
    """rate of the fast running mean of a task's scores"""
    slow_timescale_factor: float = 0.2
    """rate of the slow running mean, as a part of the fast one's"""
    exploration_bonus: float = 0.1
    """progress that a task with fewer than two scores counts with; the largest measured progress is 1"""
    progress_smoothing: float = 0.05
    """how much changes near the lowest scores count more than changes near the highest; below 0.5"""
    rand_task_rate: float = 0.25
    """part of the choices that ignores the progress"""
    memory: int = 25
    """scores of each task that define the range of scores"""
    num_active_tasks: int = 64
    """tasks from which the choice is made; the others wait"""
    min_presentations_for_eviction: int = 5
    """episodes before the task with the least progress makes room for a waiting one"""

    def check(self) -> None:
        """Raise `SettingError` for a value that cannot work."""
        for name in ("ema_timescale", "slow_timescale_factor"):
            if not 0 < getattr(self, name) <= 1:
                raise SettingError(f"curriculum: {name}", f"must be above 0 and at most 1, not {getattr(self, name)}")
        if not 0 <= self.progress_smoothing < 0.5:
            raise SettingError(
                "curriculum: progress_smoothing", f"must be from 0 to below 0.5, not {self.progress_smoothing}"
            )
        if not 0 <= self.rand_task_rate <= 1:
            raise SettingError("curriculum: rand_task_rate", f"must be from 0 to 1, not {self.rand_task_rate}")
        for name in ("memory", "num_active_tasks", "min_presentations_for_eviction"):
            if getattr(self, name) < 1:
                raise SettingError(f"curriculum: {name}", f"must be at least 1, not {getattr(self, name)}")
        if self.exploration_bonus < 0:
            raise SettingError("curriculum: exploration_bonus", f"must be 0 or more, not {self.exploration_bonus}")


@dataclass
class _Record:
    """Scores of one task."""

    fast: float = 0.0
    slow: float = 0.0
    episodes: int = 0


class LearningProgress:
    """Prefer the tasks whose scores change: the difference of a fast and a slow running mean, in either direction.

    Scores are scaled by the range of the recent scores of all tasks. At most `num_active_tasks` are in use. A task
    that has had enough episodes, and has the least progress of all such tasks, makes room for the next waiting one.
    """

    def __init__(self, tasks: Sequence[Task], *, seed: int, settings: LearningProgressSettings | None = None) -> None:
        self.tasks = checked_tasks(tasks)
        self.settings = settings or LearningProgressSettings()
        self.settings.check()
        self._seed = seed
        order = [int(number) for number in np.random.default_rng([seed, len(tasks)]).permutation(len(tasks))]
        self._active = sorted(order[: self.settings.num_active_tasks])
        self._waiting = order[self.settings.num_active_tasks :]
        self._records = [_Record() for _ in tasks]
        self._recent: list[deque[float]] = [deque(maxlen=self.settings.memory) for _ in tasks]
        self._shares: np.ndarray | None = None

    @property
    def active(self) -> list[int]:
        """Numbers of the tasks in use, in order."""
        return list(self._active)

    def next_task(self, world: int, episode: int) -> int:
        draw = _draw(self._seed, world, episode)
        if draw.random() < self.settings.rand_task_rate:
            return self._active[int(draw.integers(len(self._active)))]
        if self._shares is None:
            self._shares = np.cumsum(self.probabilities())
        return self._active[_pick(self._shares, draw.random())]

    def finished(self, task: int, score: float) -> None:
        record, rate = self._records[task], self.settings.ema_timescale
        if record.episodes == 0:
            record.fast = record.slow = score
        else:
            record.fast += rate * (score - record.fast)
            record.slow += rate * self.settings.slow_timescale_factor * (score - record.slow)
        record.episodes += 1
        self._recent[task].append(score)
        self._shares = None
        self._evict(task)

    def progress(self) -> np.ndarray:
        """Return the learning progress of each active task; the largest is 1, if any has changed."""
        recent = [score for number in self._active for score in self._recent[number]]
        low, high = (min(recent), max(recent)) if recent else (0.0, 0.0)
        fast, slow = (
            np.array([getattr(self._records[number], name) for number in self._active]) for name in ("fast", "slow")
        )
        changes = np.abs(self._level(fast, low, high) - self._level(slow, low, high))
        changes[[self._records[number].episodes < 2 for number in self._active]] = 0
        return changes / changes.max() if changes.max() > 0 else changes

    def probabilities(self) -> np.ndarray:
        """Return how likely each active task is, apart from the random choices."""
        weights = self.progress()
        new = [self._records[number].episodes < 2 for number in self._active]
        weights[new] += self.settings.exploration_bonus
        total = weights.sum()
        return weights / total if total > 0 else np.full(len(weights), 1 / len(weights))

    def state(self) -> dict[str, Any]:
        return {
            "active": list(self._active),
            "waiting": list(self._waiting),
            "records": [[record.fast, record.slow, record.episodes] for record in self._records],
            "recent": [list(scores) for scores in self._recent],
        }

    def load_state(self, state: Mapping[str, Any]) -> None:
        if len(state["records"]) != len(self.tasks):
            raise SettingError(
                "curriculum", f"the run was saved with {len(state['records'])} tasks, not {len(self.tasks)}"
            )
        self._active, self._waiting = list(state["active"]), list(state["waiting"])
        self._records = [_Record(*record) for record in state["records"]]
        self._recent = [deque(scores, maxlen=self.settings.memory) for scores in state["recent"]]
        self._shares = None

    def _level(self, scores: np.ndarray, low: float, high: float) -> np.ndarray:
        """Scale scores to 0..1 and stretch the lower end."""
        if high <= low:
            return np.zeros_like(scores)
        level = np.clip((scores - low) / (high - low), 0, 1)
        smoothing = self.settings.progress_smoothing
        return level * (1 - smoothing) / (level + smoothing * (1 - 2 * level)) if smoothing else level

    def _evict(self, task: int) -> None:
        enough = self.settings.min_presentations_for_eviction
        if not self._waiting or task not in self._active or self._records[task].episodes < enough:
            return
        progress = self.progress()
        position = self._active.index(task)
        known = [self._records[number].episodes >= enough for number in self._active]
        if progress[position] <= progress[known].min():
            self._active[position] = self._waiting.pop(0)
            self._active.sort()
            self._waiting.append(task)
            self._records[task].episodes = min(self._records[task].episodes, 1)  # it must earn its place again


def make_curriculum(
    kind: Literal["rotation", "random", "learning_progress"],
    tasks: Sequence[Task],
    *,
    seed: int,
    settings: Mapping[str, Any] | None = None,
) -> Curriculum:
    """Return the curriculum of that kind. `settings` are fields of `LearningProgressSettings`."""
    if kind != "learning_progress":
        if settings:
            raise SettingError("curriculum settings", f"need the curriculum learning_progress, not {kind}")
        return Rotation(tasks) if kind == "rotation" else DiscreteRandom(tasks, seed=seed)
    names = [item.name for item in fields(LearningProgressSettings)]
    for name in settings or {}:
        if name not in names:
            raise SettingError(f"curriculum: {name}", f"is not a setting; these are: {', '.join(names)}")
    return LearningProgress(tasks, seed=seed, settings=LearningProgressSettings(**(settings or {})))


def _draw(seed: int, world: int, episode: int) -> np.random.Generator:
    return np.random.default_rng([seed, world, episode])


def _pick(shares: np.ndarray, draw: float) -> int:
    """Return the first position whose cumulative share is above the draw."""
    return min(int(np.searchsorted(shares, draw, side="right")), len(shares) - 1)
