"""Play a recorded game again: forward with verified hashes, and to any step."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bitworld.errors import BadReplay, BitWorldError
from bitworld.game import Game
from bitworld.registry import new_game
from bitworld.replays.read import Part, Replay
from bitworld.replays.records import Chat, Input, Join, Leave, Record

__all__ = ["ReplayGame"]

SNAPSHOT_STEPS = 240
"""steps between two snapshots; a seek plays at most this many again"""


@dataclass(frozen=True, slots=True)
class _Mark:
    snapshot: bytes
    masks: tuple[int, ...]
    part: int
    step: int


class ReplayGame:
    """A replay as a game at a position: the number of steps since the beginning of the file.

    `game` is the state to draw; do not change it. A file that was recorded by a published server may have repaired the
    votes when a player left, or not; the hash decides.
    """

    def __init__(self, replay: Replay, game: Game | None = None, *, more_config: dict[str, Any] | None = None) -> None:
        """Begin at position 0. Without `game`, create the one that the file names; `more_config` replaces settings."""
        self.replay = replay
        self._first = game if game is not None else new_game(replay.game, {**replay.config, **(more_config or {})})
        if self._first.name != replay.game:
            raise BadReplay(f"The replay is of the game {replay.game!r}, not {self._first.name!r}")
        if self._first.version != replay.game_version:
            raise BadReplay(
                f"The replay is of version {replay.game_version!r} of {replay.game}; "
                f"this is version {self._first.version!r}"
            )
        self.game = self._first
        self.length = replay.length
        self.position = 0
        self.masks: list[int] = []
        """the buttons that each player holds"""
        self._part, self._step = 0, 0
        self._beginning = self.game.snapshot()
        self._marks = {0: self._mark()}

    @property
    def is_at_end(self) -> bool:
        return self.position >= self.length

    def seek(self, position: int, *, seconds: float = math.inf) -> bool:
        """Go to a position between 0 and `length`; other values mean the nearest of them.

        Return whether it was reached in the given time; if not, call it again.
        """
        position = min(max(position, 0), self.length)
        deadline = time.monotonic() + seconds
        if not self._nearest_mark(position) <= self.position <= position:
            self._restore(self._nearest_mark(position))
        while self.position < position and time.monotonic() < deadline:
            self.step()
        return self.position == position

    def step(self) -> None:
        """Play one recorded step. Raises `BadReplay` if its state is not the recorded one; the position stays."""
        if self.is_at_end:
            raise BadReplay(f"The replay ends after {self.length} steps")
        self._enter_part()
        part = self.replay.parts[self._part]
        events = part.events.get(self._step, ())
        repaired = self.replay.version >= 4
        # The snapshot costs more than a step, so take one only where the step may have to be repeated.
        before = None if repaired or not any(isinstance(event, Leave) for event in events) else self._mark()
        try:
            self._advance(events, repaired)
            difference = self._difference(part)
            if difference and before is not None:
                self._set(before)
                self._advance(events, True)
                difference = self._difference(part)
            if difference:
                raise BadReplay(difference)
        except BitWorldError:
            self._return_to(self.position)
            raise
        self._step += 1
        self.position += 1
        if self.position % SNAPSHOT_STEPS == 0 and self.position not in self._marks:
            self._marks[self.position] = self._mark()

    def next_events(self) -> Sequence[Record]:
        """Return the records that the next step applies, after a restart that comes before it."""
        if self.is_at_end:
            return ()
        self._enter_part()
        return self.replay.parts[self._part].events.get(self._step, ())

    def _enter_part(self) -> None:
        while self._step >= self.replay.parts[self._part].length:
            self._part += 1
            self._step = 0
            if self.replay.parts[self._part].is_restart:
                self.game.restore(self._beginning)
                self.masks = []
            elif self.game.wants_players_again:
                self.game.rejoin_done()

    def _advance(self, events: Sequence[Record], repaired: bool) -> None:
        for kind in (Leave, Join, Input, Chat):
            for event in events:
                if isinstance(event, kind):
                    self._apply(event, repaired)
        self.game.step(self.masks)
        if len(self.game.seats) != len(self.masks):  # the game has returned to the lobby
            self.masks = [0] * len(self.game.seats)

    def _apply(self, event: Record, repaired: bool) -> None:
        count = len(self.game.seats)
        if isinstance(event, Join):
            if event.player != count:
                raise BadReplay(
                    f"The join at byte {event.offset} is of player {event.player}, but there are {count} players"
                )
            if not -1 <= event.slot < self.game.max_players:
                raise BadReplay(f"The join at byte {event.offset} is for slot {event.slot}, which does not exist")
            try:
                self.game.join(event.name, event.slot, event.token)
            except BitWorldError as error:
                raise BadReplay(f"The join at byte {event.offset} is not possible: {error}") from None
            self.masks.append(0)
            return
        assert isinstance(event, Leave | Input | Chat)
        if event.player >= count:
            kind = type(event).__name__.lower()
            raise BadReplay(
                f"The {kind} at byte {event.offset} is of player {event.player}, but there are {count} players"
            )
        if isinstance(event, Leave):
            (self.game.leave if repaired else self.game.leave_unrepaired)(event.player)
            del self.masks[event.player]
        elif isinstance(event, Input):
            self.masks[event.player] = event.mask
        else:
            self.game.chat(event.player, event.text)

    def _difference(self, part: Part) -> str:
        """Return a sentence if the state after the step is not the recorded one, else nothing."""
        expected = part.hashes.get(self._step)
        if expected is None:
            return ""
        if self.game.tick != expected.tick:
            return f"The game is at tick {self.game.tick}, but the replay at tick {expected.tick}"
        actual = self.game.state_hash()
        if actual == expected.hash:
            return ""
        return f"The state differs at tick {expected.tick}: its hash is {actual:016X}, recorded {expected.hash:016X}"

    def _mark(self) -> _Mark:
        return _Mark(self.game.snapshot(), tuple(self.masks), self._part, self._step)

    def _nearest_mark(self, position: int) -> int:
        return max(known for known in self._marks if known <= position)

    def _return_to(self, position: int) -> None:
        """Restore the nearest snapshot and play from there to a position that was reached before."""
        self._restore(self._nearest_mark(position))
        while self.position < position:
            self.step()

    def _restore(self, position: int) -> None:
        self.position = position
        self._set(self._marks[position])

    def _set(self, mark: _Mark) -> None:
        self.game.restore(mark.snapshot)
        self.masks = list(mark.masks)
        self._part, self._step = mark.part, mark.step
