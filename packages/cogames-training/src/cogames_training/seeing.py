"""What a network sees of the worlds: their observations, in its own numbers, with what the agents remember."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cogames_training.worlds import ArrayMaker, TrainingWorlds
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.sparse_memory import SparseMemory

__all__ = ["MemoryMaker", "Sight", "SightMaker"]

MemoryMaker = Callable[..., SparseMemory | None]
"""`make(rows, threads=...)`: the memory of a policy whose network sees more than the plain observations, or None"""


SightMaker = Callable[..., "Sight"]
"""`make(worlds, make_array=..., task=...)`: with `task`, all worlds have that task"""


class Sight:
    """The observations of some worlds as the network sees them, in `observations`, after each `look`."""

    def __init__(
        self,
        worlds: TrainingWorlds,
        *,
        interface: PolicyEnvInterface | None = None,
        make_memory: MemoryMaker | None = None,
        translation: np.ndarray | None = None,
        make_array: ArrayMaker | None = None,
    ) -> None:
        """`translation` is `interfaces.translation` of the worlds' tasks; it needs the joined `interface`."""
        self._worlds = worlds
        self._translation = translation
        self._memory = None
        if make_memory is not None:
            self._memory = make_memory(worlds.rows, threads=worlds.settings.threads)
        if self._memory is None and translation is not None:
            assert interface is not None
            self._memory = SparseMemory(interface, worlds.rows, threads=worlds.settings.threads, keep=False)
        self.observations = worlds.observations
        if self._memory is not None:
            shape = worlds.observations.shape
            self.observations = np.zeros(shape, np.uint8) if make_array is None else make_array("seen", shape, np.uint8)

    def look(self, begun: list[int]) -> None:
        """See the current observations; `begun` are the places whose episode begins with them."""
        if self._memory is None:
            return
        if begun:
            size = self._worlds.rows_per_world
            self._memory.forget((np.array(begun)[:, None] * size + np.arange(size)).reshape(-1))
        self._memory.see(self._worlds.observations, self.observations, **self._tables(self._worlds.row_tasks))

    def finals(self) -> list[tuple[int, np.ndarray]]:
        """Return place and last observations, as seen, of the worlds whose episode has just ended; before `look`."""
        seen = []
        for place, task, observations in self._worlds.finals:
            if self._memory is not None:
                part = self._worlds.places_rows(place)
                rows, plain = np.arange(part.start, part.stop), observations
                observations = np.empty_like(plain)
                self._memory.see(plain, observations, rows=rows, **self._tables(np.full(len(rows), task)))
            seen.append((place, observations))
        return seen

    def _tables(self, tasks: np.ndarray) -> dict[str, Any]:
        return {} if self._translation is None else {"translation": self._translation, "tables": tasks}
