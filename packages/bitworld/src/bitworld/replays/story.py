"""The events of a whole replay, read once by playing it."""

import math
import time
from dataclasses import dataclass

from bitworld.errors import BitWorldError
from bitworld.events import Event
from bitworld.picture import PALETTE
from bitworld.replays.play import ReplayGame
from bitworld.replays.records import Chat, Join, Leave

__all__ = ["Listed", "Story"]


@dataclass(frozen=True, slots=True)
class Listed:
    """An event and its place: the position in the replay, and the tick of the game there."""

    position: int
    tick: int
    event: Event


class Story:
    """Plays a replay from its beginning and lists its events. The playback belongs to it alone."""

    MAX_EVENTS = 20_000

    def __init__(self, playback: ReplayGame) -> None:
        self._playback = playback
        self._watcher = playback.game.watcher()
        self._phase = ""
        self.events: list[Listed] = []
        self.players: dict[str, tuple[int, str]] = {}
        """name: slot and colour; the colour is empty if the game does not say it"""
        self.error = ""
        """why the rest of the replay cannot be played"""

    @property
    def position(self) -> int:
        return self._playback.position

    @property
    def is_complete(self) -> bool:
        return self._playback.is_at_end or bool(self.error) or len(self.events) >= self.MAX_EVENTS

    def read(self, *, seconds: float = math.inf) -> bool:
        """List further events for some time; return whether all are listed."""
        deadline = time.monotonic() + seconds
        while not self.is_complete and time.monotonic() < deadline:
            self._step()
        return self.is_complete

    def _step(self) -> None:
        playback = self._playback
        records = playback.next_events()
        names = [seat.name for seat in playback.game.seats]
        try:
            playback.step()
        except BitWorldError as error:
            self.error = str(error)
            return
        game = playback.game
        for record in records:
            if isinstance(record, Leave) and record.player < len(names):
                name = names.pop(record.player)
                self._add(Event("leave", f"{name} left", name))
        for record in records:
            if isinstance(record, Join):
                names.append(record.name)
                self._add(Event("join", f"{record.name} joined", record.name))
        for record in records:
            if isinstance(record, Chat) and record.player < len(names):
                self._add(Event("chat", record.text, names[record.player]))
        if any(isinstance(record, Join | Leave) for record in records):
            self._note_players()
        for event in self._watcher.look(game, playback.masks):
            self._add(event)
        if game.phase != self._phase:
            self._phase = game.phase
            self._add(Event("phase", game.phase))

    def _note_players(self) -> None:
        game = self._playback.game
        for index, seat in enumerate(game.seats):
            colour = self._watcher.colour(game, index)
            self.players[seat.name] = (seat.slot, "" if colour is None else PALETTE[colour])

    def _add(self, event: Event) -> None:
        self.events.append(Listed(self._playback.position, self._playback.game.tick, event))
