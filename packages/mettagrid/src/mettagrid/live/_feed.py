"""What has happened in a game that goes on, for any number of people who watch."""

from __future__ import annotations

import struct
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from mettagrid.replay import EpisodeRecorder, replay_bytes
from mettagrid.replay._compact_write import chunk_bytes
from mettagrid.replay._rows import Field, Rows

if TYPE_CHECKING:
    from mettagrid.simulator.simulator import Simulation

__all__ = ["WHOLE", "Feed"]

MOST_TICKS = 1000
"""in one chunk: a watcher who fell behind gets several"""
WHOLE, CHUNK, OBJECTS = b"\x01", b"\x02", b"\x03"
"""what a message of bytes begins with"""


class Feed:
    """The replay so far, and what came since any tick.

    `record` is called by the game after each step; everything else may be called by any thread at any time, and holds
    the game up for no longer than it takes to look at a number. What watchers cost is up to them: nothing is kept here
    for any of them.
    """

    def __init__(self, simulation: Simulation) -> None:
        self._engine = simulation._c_sim
        self._recorder = EpisodeRecorder.of(simulation)
        self._agents = simulation.num_agents
        self._marks = [self._recorder.mark]
        self._totals = [np.zeros(self._agents)]
        self.hashes: list[int] = [self._engine.state_hash()]
        """of the engine's whole state, tick by tick"""
        self.stats: dict[str, Any] = self._engine.get_episode_stats()
        self.observations: np.ndarray = self._engine.observations().copy()
        """uint8 [agents, tokens, 3] at the last tick"""
        self._whole: tuple[int, bytes] | None = None
        self._making_whole = threading.Lock()

    @property
    def tick(self) -> int:
        """The last tick that can be asked for."""
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
        """Take down a step."""
        self._recorder.record()
        rewards = self._engine.rewards()
        total = self._totals[-1]
        self._totals.append(total + rewards if rewards.any() else total)
        self.hashes.append(self._engine.state_hash())
        self.stats = self._engine.get_episode_stats()
        self.observations = self._engine.observations().copy()
        self._marks.append(self._recorder.mark)  # last: from now on others may read it

    def close(self) -> None:
        """The episode is over: let go of the engine. Everything that was recorded stays; a second time does nothing."""
        if hasattr(self, "_engine"):
            self._recorder.close()
            del self._engine

    def whole(self) -> tuple[int, bytes]:
        """(last tick, a `.cogreplay` of everything up to it)."""
        with self._making_whole:
            mark = self._marks[-1]
            if self._whole is None or self._whole[0] != mark.tick:
                replay = self._recorder.capture_until(mark, self.stats).replay()
                self._whole = (mark.tick, replay_bytes(replay, ".cogreplay"))
            return self._whole

    def since(self, tick: int) -> tuple[int, list[bytes]]:
        """(last tick covered, messages): what happened after a tick, new objects first. No messages when nothing did.

        The last tick may be earlier than that of the game: ask again.
        """
        begin = tick - self.first_tick
        end = min(len(self._marks) - 1, begin + MOST_TICKS)
        if end <= begin:
            return tick, []
        written, notes = self._recorder.written_between(self._marks[begin], self._marks[end])
        begins = written["field"] == Field.TICK
        ticks = written["value"][begins][np.cumsum(begins) - 1]
        messages = []
        new = written[written["field"] == Field.OBJECT]
        if len(new):
            agents = {int(row["object"]): int(row["value"]) for row in written[written["field"] == Field.AGENT]}
            of_agents = [agents.get(number, -1) for number in new["object"].tolist()]
            columns = (new["value"], new["key"], np.array(of_agents))
            packed = b"".join(column.astype("<i4").tobytes() for column in columns)
            messages.append(OBJECTS + struct.pack("<I", len(new)) + packed)
        told = written["field"] >= Field.ALIVE
        kept = written[told]
        rows = Rows.make(kept["field"], kept["object"], kept["key"], ticks[told], kept["value"])
        content = chunk_bytes(self._marks[begin].tick + 1, self._marks[end].tick, rows, self._totals[begin], notes)
        return self._marks[end].tick, [*messages, CHUNK + content]
