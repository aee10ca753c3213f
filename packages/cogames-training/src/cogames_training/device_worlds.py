"""Worlds of a run that are played on a GPU: their observations stay there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from mettagrid._native import Map

from cogames_training.worlds import ArrayMaker, TrainingWorlds
from mettagrid.compiler import Program
from mettagrid.gpu import Batch
from mettagrid.mettagrid_c import MettaGrid

__all__ = ["DeviceWorlds"]


class DeviceWorlds(TrainingWorlds):
    """Training worlds of one task on a GPU. `observations` is a tensor there; the other arrays are small and copied.

    All maps of the task are built before the first step.
    """

    device = "cuda"

    def _open(self, make_array: ArrayMaker) -> _DeviceBatch:
        places = range(len(self.numbers))
        for place in places:
            self._choose_task(place)
        pool = list(self._pools[0])
        maps = [self._map(place) for place in places]
        return _DeviceBatch(
            self.programs[0], pool, maps, [self._seed(place) for place in places], self.device, make_array
        )

    def _copied(self, rows: slice) -> Any:
        return self.observations[rows].clone()

    def _flush(self) -> None:
        self.batch.begin_due()


class _DeviceBatch:
    """A batch on a GPU behind the interface that training worlds use: worlds by place, small arrays on the host."""

    def __init__(
        self,
        program: Program,
        pool: Sequence[Map],
        maps: Sequence[Map],
        seeds: Sequence[int],
        device: str,
        make_array: ArrayMaker,
    ) -> None:
        self._map_numbers = {id(built): number for number, built in enumerate(pool)}
        numbers = [self._map_numbers[id(built)] for built in maps]
        self._batch = Batch(program, pool, seeds, map_of=numbers, auto_reset=False, device=device)
        rows = self._batch.num_agents
        self.observations = self._batch.observations
        self.rewards = make_array("rewards", (rows,), np.float32)
        self.terminals = make_array("terminals", (rows,), np.bool_)
        self.truncations = make_array("truncations", (rows,), np.bool_)
        self.actions = make_array("actions", (rows,), np.int32)
        self.vibe_actions = make_array("vibe_actions", (rows,), np.int32)
        self.worlds = [_DeviceWorld(self, place) for place in range(len(seeds))]
        self._due: dict[int, tuple[int, int]] = {}

    def step(self) -> None:
        batch = self._batch
        for name in ("actions", "vibe_actions"):
            getattr(batch, name).copy_(torch.from_numpy(getattr(self, name)), non_blocking=True)
        batch.step()
        for name in ("rewards", "terminals", "truncations"):
            torch.from_numpy(getattr(self, name)).copy_(getattr(batch, name), non_blocking=True)
        batch.check()  # waits for the copies

    def begin(self, place: int, built: Map, seed: int) -> None:
        """Begin an episode with the next call of `begin_due`, which begins all of them together."""
        self._due[place] = self._map_numbers[id(built)], seed

    def begin_due(self) -> None:
        if not self._due:
            return
        maps, seeds = zip(*self._due.values(), strict=True)
        self._batch.reset(seeds=seeds, worlds=self._due, maps=maps)
        self._due.clear()

    def world(self, place: int) -> MettaGrid:
        return self._batch.world(place)

    @property
    def program(self) -> Program:
        return self._batch.program

    def close(self) -> None:
        self._batch.close()


class _DeviceWorld:
    """One world of the batch, as far as training worlds use it."""

    def __init__(self, batch: _DeviceBatch, place: int) -> None:
        self._batch, self._place = batch, place
        self.program = batch.program
        self.num_agents = batch.program.num_agents

    def begin(self, built: Map, seed: int) -> None:
        self._batch.begin(self._place, built, seed)

    def get_episode_stats(self) -> dict[str, Any]:
        return self._batch.world(self._place).get_episode_stats()

    def get_game_stat(self, key: str) -> float | None:
        return self._batch.world(self._place).get_game_stat(key)
