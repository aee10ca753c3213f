"""Lists of tasks for a curriculum: single missions, weighted sets, variations of an environment, and merged lists.

    tasks = make_tasks([("arena", env)], {"bucketed": {"buckets": {"game.max_steps": [500, 1000]}}}, seed=1)

Tasks are drawn once, so that the trainer can compile all of them before it starts.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np
from pydantic import ValidationError

from cogames_training.args import SettingError
from mettagrid.config.mettagrid_config import MettaGridConfig

__all__ = ["Task", "bucketed", "checked_tasks", "make_tasks", "merge", "task_set"]

MAX_TASKS = 1000
"""most tasks of a curriculum"""
MAX_TASK_ID = 1_000_000
"""bucketed tasks are drawn from this many"""
BUCKETED_TASKS = 64
"""tasks that one bucketed generator draws, unless it says otherwise"""


@dataclass(frozen=True)
class Task:
    """An environment to train on, and how often a random choice takes it compared with the others."""

    name: str
    config: MettaGridConfig
    weight: float = 1.0


def checked_tasks(tasks: Sequence[Task]) -> list[Task]:
    """Return the tasks; raise `SettingError` for none or too many."""
    if not 1 <= len(tasks) <= MAX_TASKS:
        raise SettingError("curriculum", f"needs 1 to {MAX_TASKS} tasks, not {len(tasks)}")
    return list(tasks)


def make_tasks(
    missions: Sequence[tuple[str, MettaGridConfig]], generator: Mapping[str, Any] | None = None, *, seed: int = 0
) -> list[Task]:
    """Return the tasks of a generator over the missions.

    A generator is one of

        {single: MISSION}
        {set: {MISSION: WEIGHT, ...}}, or a list of {tasks: GENERATOR, weight: WEIGHT}
        {bucketed: {mission: MISSION, buckets: {PATH: [VALUE, ...] or {range: [LOW, HIGH]}, ...}, count: N}}
        {merge: [GENERATOR, ...]}

    A bucketed generator without a mission varies each of them. Without a generator every mission is a task.
    """
    known = dict(missions)
    if generator is None:
        return checked_tasks([Task(name, config) for name, config in missions])
    return checked_tasks(_generate(generator, known, seed))


def task_set(parts: Sequence[tuple[Sequence[Task], float]]) -> list[Task]:
    """Return the tasks of all parts; each part as a whole has the given weight."""
    tasks = []
    for part, weight in parts:
        if weight <= 0:
            raise SettingError("curriculum set", f"weights must be above 0, not {weight}")
        total = sum(task.weight for task in part)
        tasks += [replace(task, weight=weight * task.weight / total) for task in part]
    return tasks


def merge(parts: Sequence[Sequence[Task]]) -> list[Task]:
    """Return the tasks of all parts, each with its weight."""
    return [task for part in parts for task in part]


def bucketed(
    name: str, config: MettaGridConfig, buckets: Mapping[str, Any], *, count: int = BUCKETED_TASKS, seed: int = 0
) -> list[Task]:
    """Return variations of an environment: each dotted path gets one of its values, or a number from its range.

    All combinations where there are at most `count`, otherwise `count` different ones, drawn with the seed. Ranges
    include both ends; whole numbers give whole numbers.
    """
    if not buckets:
        raise SettingError("curriculum buckets", "name at least one path")
    if not 1 <= count <= MAX_TASKS:
        raise SettingError("curriculum count", f"must be from 1 to {MAX_TASKS}, not {count}")
    choices = {path: _values(path, bucket) for path, bucket in buckets.items()}
    sizes = [len(values) for values in choices.values() if not isinstance(values, tuple)]
    if len(sizes) == len(choices) and prod(sizes) <= count:
        drawn = list(itertools.product(*choices.values()))
    else:
        drawn = _draw_different(choices, count, seed)
    tasks = []
    for values in drawn:
        changed = config.model_copy(deep=True)
        for path, value in zip(choices, values, strict=True):
            _assign(changed, path, value)
        text = ",".join(f"{path.rpartition('.')[2]}={value}" for path, value in zip(choices, values, strict=True))
        tasks.append(Task(f"{name}[{text}]", changed))
    return tasks


def _generate(generator: Mapping[str, Any], known: Mapping[str, MettaGridConfig], seed: int) -> list[Task]:
    if not isinstance(generator, Mapping) or len(generator) != 1:
        raise SettingError("curriculum tasks", "write one of {single: ..}, {set: ..}, {bucketed: ..}, {merge: [..]}")
    ((kind, body),) = generator.items()
    if kind == "single":
        return [Task(body, _mission(body, known))]
    if kind == "set" and isinstance(body, Mapping):
        return task_set([([Task(name, _mission(name, known))], float(weight)) for name, weight in body.items()])
    if kind == "set" and isinstance(body, Sequence):
        parts = [
            (_generate(part["tasks"], known, seed + n), float(part.get("weight", 1))) for n, part in enumerate(body)
        ]
        return task_set(parts)
    if kind == "merge" and isinstance(body, Sequence):
        return merge([_generate(part, known, seed + n) for n, part in enumerate(body)])
    if kind == "bucketed" and isinstance(body, Mapping):
        unknown = set(body) - {"mission", "buckets", "count"}
        if unknown:
            raise SettingError(
                f"curriculum bucketed: {min(unknown)}", "is not a key; these are: mission, buckets, count"
            )
        names = [body["mission"]] if body.get("mission") is not None else list(known)
        count = int(body.get("count", BUCKETED_TASKS))
        return merge(
            [
                bucketed(name, _mission(name, known), body.get("buckets", {}), count=count, seed=seed + n)
                for n, name in enumerate(names)
            ]
        )
    raise SettingError(f"curriculum tasks: {kind}", "is not a generator; write single, set, bucketed or merge")


def _mission(name: str, known: Mapping[str, MettaGridConfig]) -> MettaGridConfig:
    if name not in known:
        raise SettingError("curriculum", f"{name!r} is not one of the run's missions: {', '.join(known)}")
    return known[name]


def _values(path: str, bucket: Any) -> list[Any] | tuple[float, float]:
    """Return the values of a bucket, or the ends of its range."""
    if isinstance(bucket, Mapping):
        ends = bucket.get("range")
        if set(bucket) != {"range"} or not isinstance(ends, Sequence) or len(ends) != 2 or not ends[0] < ends[1]:
            raise SettingError(
                f"curriculum bucket {path}", "write [VALUE, ...] or {range: [LOW, HIGH]}, LOW below HIGH"
            )
        return ends[0], ends[1]
    values = list(bucket) if isinstance(bucket, Sequence) and not isinstance(bucket, str) else [bucket]
    if not values:
        raise SettingError(f"curriculum bucket {path}", "needs at least one value")
    return values


def _draw_different(choices: Mapping[str, Any], count: int, seed: int) -> list[tuple[Any, ...]]:
    """Draw task ids without repetition; each id decides its values. Fewer than `count` if values repeat."""
    drawn: dict[tuple[str, ...], tuple[Any, ...]] = {}
    ids = np.random.default_rng([seed, count]).choice(MAX_TASK_ID, size=min(4 * count, MAX_TASK_ID), replace=False)
    for task_id in ids:
        draw = np.random.default_rng([seed, int(task_id)])
        values = tuple(_value(bucket, draw) for bucket in choices.values())
        drawn.setdefault(tuple(map(repr, values)), values)
        if len(drawn) == count:
            break
    return list(drawn.values())


def _value(bucket: list[Any] | tuple[float, float], draw: np.random.Generator) -> Any:
    if not isinstance(bucket, tuple):
        return bucket[int(draw.integers(len(bucket)))]
    low, high = bucket
    if isinstance(low, int) and isinstance(high, int):
        return int(draw.integers(low, high + 1))
    return float(draw.uniform(low, high))


def _assign(config: MettaGridConfig, path: str, value: Any) -> None:
    """Set the field at a dotted path; a part of the path is a field, a key of a mapping or a position in a list."""
    target: Any = config
    *parents, last = path.split(".")
    for part in parents:
        target = _child(target, part, path)
    _child(target, last, path)
    if isinstance(target, dict):
        target[last] = value
    elif isinstance(target, list):
        target[int(last)] = value
    else:
        try:
            type(target).__pydantic_validator__.validate_assignment(target, last, value)
        except ValidationError as error:
            raise SettingError(f"curriculum bucket {path}", f"{value!r}: {error.errors()[0]['msg']}") from None


def _child(target: Any, part: str, path: str) -> Any:
    if isinstance(target, dict) and part in target:
        return target[part]
    if isinstance(target, list) and part.isdigit() and int(part) < len(target):
        return target[int(part)]
    names = list(getattr(type(target), "model_fields", {}))
    if part in names:
        return getattr(target, part)
    known = names or (list(target) if isinstance(target, dict) else [])
    allowed = f"; there are: {', '.join(map(str, known))}" if known else ""
    raise SettingError(f"curriculum bucket {path}", f"the environment has no {part!r} there{allowed}")
