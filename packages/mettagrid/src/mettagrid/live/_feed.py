"""The recording of a running game, which any number of watchers read."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from mettagrid.live._chunks import WHOLE, chunk_messages
from mettagrid.replay import EpisodeRecorder, replay_bytes

if TYPE_CHECKING:
    from mettagrid.simulator.simulator import Simulation

__all__ = ["WHOLE", "Feed"]

MAX_TICKS = 1000
"""most steps in one chunk; a watcher that fell behind gets several chunks"""


class Feed:
    """The replay so far, and the changes since any tick.

    The game calls `record` after each step. Any thread may call the other methods at any time; they block the game
    only for as long as it takes to read a number. The feed holds no state per watcher.
    """

    def __init__(self, simulation: Simulation) -> None:
        self._engine = simulation._c_sim
        self._recorder = EpisodeRecorder.of(simulation)
        self._agents = simulation.num_agents
        self._marks = [self._recorder.mark]
        self._totals = [np.zeros(self._agents)]
        self.hashes: list[int] = [self._engine.state_hash()]
        """of the engine's whole state, one per tick"""
        self.stats: dict[str, Any] = self._engine.get_episode_stats()
        self.observations: np.ndarray = self._engine.observations().copy()
        """uint8 [agents, tokens, 3] at the last tick"""
        self._encoded: tuple[int, bytes] | None = None
        self._making_whole = threading.Lock()

    @property
    def tick(self) -> int:
        """The last recorded tick."""
        return self._marks[-1].tick

    @property
    def first_tick(self) -> int:
        return self._marks[0].tick

    @property
    def scores(self) -> list[float]:
        """The sum of each agent's rewards."""
        scores: list[float] = self._totals[len(self._marks) - 1].tolist()
        return scores

    def record(self) -> None:
        """Record a step."""
        self._recorder.record()
        rewards = self._engine.rewards()
        total = self._totals[-1]
        self._totals.append(total + rewards if rewards.any() else total)
        self.hashes.append(self._engine.state_hash())
        self.stats = self._engine.get_episode_stats()
        self.observations = self._engine.observations().copy()
        self._marks.append(self._recorder.mark)  # last, because other threads may read the step from now on

    def close(self) -> None:
        """Release the engine after the episode; the recording stays. Calling it again has no effect."""
        if hasattr(self, "_engine"):
            self._recorder.close()
            del self._engine

    def whole(self) -> tuple[int, bytes]:
        """Return (last tick, the `.cogreplay` up to it)."""
        with self._making_whole:
            mark = self._marks[-1]
            if self._encoded is None or self._encoded[0] != mark.tick:
                replay = self._recorder.capture_until(mark, self.stats).replay()
                self._encoded = (mark.tick, replay_bytes(replay, ".cogreplay"))
            return self._encoded

    def since(self, tick: int) -> tuple[int, list[bytes]]:
        """Return (last tick covered, messages): the changes after a tick, new objects first; empty without changes.

        The last tick may be earlier than that of the game; call it again for the rest.
        """
        begin = tick - self.first_tick
        end = min(len(self._marks) - 1, begin + MAX_TICKS)
        if end <= begin:
            return tick, []
        written, notes = self._recorder.written_between(self._marks[begin], self._marks[end])
        first, last = self._marks[begin].tick + 1, self._marks[end].tick
        return last, chunk_messages(written, notes, first=first, last=last, totals=self._totals[begin])
