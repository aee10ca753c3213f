"""The recording of an episode of a competition, for people who watch while it is played."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from mettagrid.live._chunks import WHOLE, chunk_messages
from mettagrid.replay import replay_bytes, without_seeds
from mettagrid.replay._model import Note, Replay
from mettagrid.replay._rows import Field

if TYPE_CHECKING:
    from mettagrid.replay import EpisodeRecorder
    from mettagrid.replay._recorder import Mark

__all__ = ["Broadcast", "Piece"]

MAX_TICKS = 1000
"""most steps in one piece, unless it was marked with more"""
_PRIVATE = [Field.ASKED, Field.ASKED_VIBE, Field.OBSERVED, Field.RADIUS]
"""fields about policies, which spectators do not see"""


@dataclass(frozen=True)
class Piece:
    """Messages of `/global` (see `docs/concepts/live.md`) up to a tick, and when that tick was played."""

    tick: int
    played_at: float
    """of the monotonic clock"""
    messages: Sequence[bytes]


@dataclass(frozen=True)
class _Moment:
    mark: Mark
    totals: np.ndarray
    at: float


class Broadcast:
    """The board of an episode, tick by tick, without anything that only its policies know.

    The episode calls `begin`, `step` and `end`; one other thread calls `mark_soon` and `read`. Reading a piece is what
    costs time, and happens in that thread. Seeds, observations, requested actions, infos and monologues of policies are
    left out: `names` are the names that spectators see.
    """

    def __init__(self) -> None:
        self.has_ended = False
        self._is_due = False
        self._recorder: EpisodeRecorder | None = None
        self._names: Sequence[str] = ()
        self._moments: list[_Moment] = []
        self._read = -1
        """the last moment that was read; -1 before the first piece"""

    def begin(self, recorder: EpisodeRecorder, names: Sequence[str]) -> None:
        """Start with the state that the recorder has recorded; `names` are those of each agent's policy."""
        self._recorder, self._names = recorder, names
        self._note()

    def step(self) -> None:
        """Take a mark if the reader has asked for one; called after each recorded step."""
        if self._is_due:
            self._note()

    def end(self) -> None:
        """Take the last mark; the recorder may be closed then."""
        self._note()
        self.has_ended = True

    def mark_soon(self) -> None:
        """Ask for a mark after the current step: pieces end at marks. Ticks have the age of the next mark."""
        self._is_due = True

    def rewind(self) -> None:
        """Let `read` begin with the first tick again."""
        self._read = -1

    @property
    def has_more(self) -> bool:
        """Return whether there is something to read."""
        return self._read < len(self._moments) - 1

    def read(self) -> Iterator[Piece]:
        """Yield what has happened up to the last mark and was not read before; the state at the beginning first."""
        last = len(self._moments) - 1  # the episode may add others meanwhile
        if self._read < 0 <= last:
            self._read = 0
            yield Piece(self._moments[0].mark.tick, self._moments[0].at, [WHOLE + self._opening()])
        while self._read < last:
            begin = end = self._read
            while end < last and (end == begin or self._ticks(begin, end + 1) <= MAX_TICKS):
                end += 1
            self._read = end
            if self._ticks(begin, end):
                yield self._piece(self._moments[begin], self._moments[end])

    def _note(self) -> None:
        assert self._recorder is not None
        self._is_due = False
        totals = self._recorder.episode_rewards.astype(np.float64)
        self._moments.append(_Moment(self._recorder.mark, totals, time.monotonic()))

    def _ticks(self, begin: int, end: int) -> int:
        return self._moments[end].mark.tick - self._moments[begin].mark.tick

    def _opening(self) -> bytes:
        assert self._recorder is not None
        mark = self._moments[0].mark
        replay = self._recorder.capture_until(mark, {"game": {}, "agent": []}).replay()
        return replay_bytes(self._public(without_seeds(replay)), ".cogreplay")

    def _public(self, replay: Replay) -> Replay:
        rows = replay.rows.take(~np.isin(replay.rows.field, _PRIVATE))
        named = [
            Note(replay.first_tick, agent, "infos", {"policy_name": name}) for agent, name in enumerate(self._names)
        ]
        return replace(replay, rows=rows, notes=named, has_asked=False, observed_values=None)

    def _piece(self, begin: _Moment, end: _Moment) -> Piece:
        assert self._recorder is not None
        written, notes = self._recorder.written_between(begin.mark, end.mark)
        written = written[~np.isin(written["field"], _PRIVATE)]
        # Spawned objects are marked for the derivation of observations, which this replay does not offer.
        is_spawned = (written["field"] == Field.ALIVE) & (written["value"] > 1)
        written["value"][is_spawned] = 1
        spoken = [note for note in notes if note.kind == "talk"]
        first, last = begin.mark.tick + 1, end.mark.tick
        messages = chunk_messages(written, spoken, first=first, last=last, totals=begin.totals)
        return Piece(last, end.at, messages)
