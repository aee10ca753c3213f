"""Evaluate a network during training: whole episodes on maps that training never uses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from cogames_training.actor import Actor
from cogames_training.args import TrainArgs
from cogames_training.curriculum import Rotation
from cogames_training.tasks import Task
from cogames_training.worlds import TrainingWorlds, WorldSettings

__all__ = ["HELD_OUT", "evaluate"]

HELD_OUT = 1_000_000_007
"""first map seed of evaluations; the maps of training have far lower seeds"""


def evaluate(
    actor: Actor, tasks: Sequence[Task], args: TrainArgs, *, seeds: int, threads: int = 1, translation: Any = None
) -> dict[str, Any]:
    """Return the mean reward per agent over `seeds` episodes of each mission, with its 95% interval.

    Map and world of episode i have the seed `HELD_OUT` + i, whatever the run's seed.
    """
    missions = {}
    for number, task in enumerate(tasks):
        table = None if translation is None else translation[number : number + 1]
        missions[task.name] = _summary(_play(actor, task, seeds, threads, table))
    everything = [score for mission in missions.values() for score in mission["scores"]]
    result = _summary(everything)
    for mission in (*missions.values(), result):
        del mission["scores"]
    return result | {"missions": missions}


def _play(actor: Actor, task: Task, seeds: int, threads: int, translation: np.ndarray | None) -> list[float]:
    settings = WorldSettings(HELD_OUT, HELD_OUT, max(seeds, 1), seeds, threads, staggered=False)
    worlds = TrainingWorlds(Rotation([task]), range(seeds), settings, stats_worlds=0)
    table = None if translation is None else torch.from_numpy(translation[0]).to(actor.device)
    generator = torch.Generator(actor.device).manual_seed(HELD_OUT)
    state = actor.initial_state(worlds.rows)
    vibe_offset = len([name for name in worlds.programs[0].action_names if not name.startswith("change_vibe_")]) - 1
    scores: dict[int, float] = {}
    try:
        while len(scores) < seeds:
            seen = torch.from_numpy(worlds.observations).to(actor.device)
            if table is not None:
                pairs = table[seen[..., 1].long() * 256 + seen[..., 2].long()]
                seen = torch.cat([seen[..., :1], pairs], -1)
            chosen = actor.step(seen, state).sample(generator).cpu().numpy()
            worlds.actions[:] = chosen[:, 0]
            worlds.vibe_actions[:] = np.where(chosen[:, 1] > 0, vibe_offset + chosen[:, 1], 0)
            worlds.step()
            for episode in worlds.episodes:
                scores.setdefault(episode.world, float(episode.rewards.mean()))
            worlds.episodes = []
            if worlds.ended.any():
                keep = torch.from_numpy(~worlds.ended).to(actor.device)
                state = {name: t * keep.reshape(-1, *[1] * (t.ndim - 1)) for name, t in state.items()}
    finally:
        worlds.close()
    return [scores[world] for world in sorted(scores)]


def _summary(scores: Sequence[float]) -> dict[str, Any]:
    mean = sum(scores) / len(scores)
    deviation = math.sqrt(sum((score - mean) ** 2 for score in scores) / max(1, len(scores) - 1))
    margin = _T95[min(len(scores), len(_T95) - 1)] * deviation / math.sqrt(len(scores))
    return {"score": mean, "low": mean - margin, "high": mean + margin, "episodes": len(scores), "scores": list(scores)}


# Student's t for 95%, by number of values; from 30 on nearly the normal distribution's.
_T95 = [0.0, 0.0, 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11]
_T95 += [2.10, 2.09, 2.09, 2.08, 2.07, 2.07, 2.06, 2.06, 2.06, 2.05, 2.05, 1.96]
