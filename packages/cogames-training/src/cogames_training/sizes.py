"""How many worlds, rows and minibatches a run has."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cogames_training.args import SettingError, TrainArgs

if TYPE_CHECKING:
    import torch

__all__ = ["Sizes", "choose_sizes"]

WORLDS = 256


@dataclass(frozen=True)
class Sizes:
    """Numbers that follow from the settings."""

    worlds: int
    rows: int
    """agents of all worlds"""
    horizon: int
    segments: int
    """rows per minibatch"""
    threads: int
    parts: int
    """groups of worlds that step in turn"""

    @property
    def batch(self) -> int:
        return self.rows * self.horizon

    @property
    def minibatches(self) -> int:
        return math.ceil(self.rows / self.segments)


def choose_sizes(args: TrainArgs, *, rows_per_world: int, device: torch.device) -> Sizes:
    """Return the sizes of a run: `batch_size` decides the number of worlds unless `parallel_envs` does."""
    worlds, horizon = args.parallel_envs, args.horizon
    if worlds is None and args.batch_size is not None:
        worlds = max(1, args.batch_size // (rows_per_world * horizon))
        if args.batch_size < rows_per_world * horizon:  # one world would be too large: shorter segments
            horizon = max(1, args.batch_size // rows_per_world)
    if worlds is None:
        worlds = WORLDS
    rows = worlds * rows_per_world
    if args.batch_size is not None and args.parallel_envs is not None:
        horizon = max(1, args.batch_size // rows)
    if horizon < 1:
        raise SettingError("horizon", "must be at least 1")
    segments = min(rows, max(1, math.ceil(min(args.minibatch_size, rows * horizon) / horizon)))
    parts = 2 if device.type == "cuda" and worlds > 1 else 1
    return Sizes(worlds, rows, horizon, segments, args.threads or _cores(), parts)


def _cores() -> int:
    """Return the number of processors that this process may use."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores // int(os.environ.get("LOCAL_WORLD_SIZE", "1")))  # torchrun's processes share them
