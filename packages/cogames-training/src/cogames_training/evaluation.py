"""Evaluate a network during training: whole episodes on maps that training never uses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from cogames_training.actor import Actor
from cogames_training.curriculum import Rotation
from cogames_training.deciding import engine_actions
from cogames_training.seeing import Sight, SightMaker
from cogames_training.tasks import Task
from cogames_training.worlds import TrainingWorlds, WorldSettings

__all__ = ["HELD_OUT", "MOST_TASKS", "evaluate"]

HELD_OUT = 1_000_000_007
"""first map seed of evaluations; the maps of training have far lower seeds"""
MOST_TASKS = 16
"""tasks of a long list that are played, evenly spread over it"""
UNUSED = 255  # the location byte of an unused token


def evaluate(
    actor: Actor,
    tasks: Sequence[Task],
    *,
    action_names: Sequence[str],
    seeds: int,
    threads: int = 1,
    make_sight: SightMaker = lambda worlds, task: Sight(worlds),
    greedy: bool = False,
) -> dict[str, Any]:
    """Return the mean reward per agent over `seeds` episodes of each mission, with its 95% interval.

    Map and world of episode i have the seed `HELD_OUT` + i, whatever the run's seed. The network plays as its policy
    does: it draws actions from its probabilities, or takes the most likely ones if `greedy`. `action_names`
    are those that are not vibes.
    """
    actor.set_training(False)
    actions = len(action_names), action_names.index("noop") if "noop" in action_names else 0
    missions = {}
    for number in _chosen(len(tasks)):
        scores = _play(actor, tasks[number], seeds, threads, lambda w, n=number: make_sight(w, task=n), actions, greedy)
        missions[tasks[number].name] = _summary(scores)
    everything = [score for mission in missions.values() for score in mission["scores"]]
    result = _summary(everything)
    for mission in (*missions.values(), result):
        del mission["scores"]
    return result | {"missions": missions}


def _chosen(count: int) -> list[int]:
    return list(range(count)) if count <= MOST_TASKS else [count * n // MOST_TASKS for n in range(MOST_TASKS)]


def _play(
    actor: Actor,
    task: Task,
    seeds: int,
    threads: int,
    make_sight: SightMaker,
    actions: tuple[int, int],
    greedy: bool,
) -> list[float]:
    """Return the mean reward of the agents in each of `seeds` episodes."""
    settings = WorldSettings(HELD_OUT, HELD_OUT, seeds, seeds, threads, staggered=False)
    worlds = TrainingWorlds(Rotation([task]), range(seeds), settings, stats_worlds=0)
    sight = make_sight(worlds)
    sight.look(list(range(seeds)))
    generator = torch.Generator(actor.device).manual_seed(HELD_OUT)
    state = actor.initial_state(worlds.rows)
    scores: dict[int, float] = {}
    try:
        while len(scores) < seeds:
            heads = actor.step(_seen(actor, sight.observations), state)
            chosen = (heads.likeliest() if greedy else heads.sample(generator)).cpu().numpy()
            worlds.actions[:], worlds.vibe_actions[:] = engine_actions(chosen, *actions)
            worlds.step()
            sight.look(worlds.just_begun)
            for episode in worlds.episodes:
                scores.setdefault(episode.world, float(episode.rewards.mean()))
            worlds.episodes = []
            if worlds.ended.any():
                keep = torch.from_numpy(~worlds.ended).to(actor.device)
                state = {name: t * keep.reshape(-1, *[1] * (t.ndim - 1)) for name, t in state.items()}
    finally:
        worlds.close()
    return [scores[world] for world in sorted(scores)]


def _seen(actor: Actor, observations: np.ndarray) -> torch.Tensor:
    """Return observations on the device; without unused tokens if the network allows that."""
    if actor.reads_prefix:
        used = np.flatnonzero((observations[..., 0] != UNUSED).any(0))
        observations = observations[:, : int(used[-1]) + 1 if len(used) else 1]
    return torch.from_numpy(observations).to(actor.device)


def _summary(scores: Sequence[float]) -> dict[str, Any]:
    mean = sum(scores) / len(scores)
    deviation = math.sqrt(sum((score - mean) ** 2 for score in scores) / max(1, len(scores) - 1))
    margin = _T95[min(len(scores), len(_T95) - 1)] * deviation / math.sqrt(len(scores))
    return {"score": mean, "low": mean - margin, "high": mean + margin, "episodes": len(scores), "scores": list(scores)}


# Student's t for 95%, by number of values; from 30 on nearly the normal distribution's.
_T95 = [0.0, 0.0, 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11]
_T95 += [2.10, 2.09, 2.09, 2.08, 2.07, 2.07, 2.06, 2.06, 2.06, 2.05, 2.05, 1.96]
