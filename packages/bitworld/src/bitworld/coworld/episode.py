"""The match of an episode: all seats are taken from the beginning, and players connect to them."""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import BinaryIO

from bitworld.game import Game
from bitworld.server import Clock, Match, Room
from bitworld.server.clients import Client, Player

__all__ = ["EpisodeMatch", "WaitForSeats"]

SEAT_TAKEN = 4001
"""close code: a newer connection has the seat"""


class EpisodeMatch(Match):
    """One game. A player that disconnects keeps its seat, without pressed buttons, and may return."""

    has_controls = False
    pauses_alone = False

    def __init__(
        self,
        new_game: Callable[[], Game],
        names: Sequence[str],
        *,
        replay_file: BinaryIO | None = None,
        is_stepped: bool = True,
    ) -> None:
        super().__init__(new_game, replay_file=replay_file, is_stepped=is_stepped)
        self.ticks = 0
        self.late_ticks = [0] * len(names)
        """ticks for which a connected player did not answer in time"""
        self.absent_ticks = [0] * len(names)
        """ticks without a connected player"""
        for slot, name in enumerate(names):
            seat = self._recorder.join(name, slot)
            player = Player(name, slot)
            player.is_connected = False
            self.seated.insert(seat, player)

    @property
    def missing(self) -> list[int]:
        """The slots without a connected player."""
        return [player.slot for player in self.seated if not player.is_connected]

    def add(self, client: Client) -> None:
        """Give a player its seat; the slot and token were checked before."""
        if not isinstance(client, Player):
            super().add(client)
            return
        seat = next(index for index, player in enumerate(self.seated) if player.slot == client.slot)
        before = self.seated[seat]
        if before.is_connected:
            before.close("A newer connection has this seat", SEAT_TAKEN)
        client.identity = before.identity
        client.is_stepped = self.is_stepped
        client.changed = self.changed
        client.has_answered = self.ticks == 0  # the first tick needs no answer
        self.seated[seat] = client
        Room.add(self, client)
        if self.ticks:
            self._show_player(client, seat)

    def count_acceptable(self) -> int:
        return len(self.seated) - len(self.missing)

    def tick(self) -> None:
        for player in self.seated:
            if not player.is_connected:
                player.mask = 0
                self.absent_ticks[player.slot] += 1
            elif self.is_stepped and self.ticks and not player.has_answered:
                self.late_ticks[player.slot] += 1
        self.ticks += 1
        super().tick()

    def _is_reset_wanted(self) -> bool:
        return False

    def _let_leave(self) -> bool:
        return False


class WaitForSeats(Clock):
    """Begin when all seats of an episode are connected, or after some seconds; then ask another clock."""

    def __init__(self, then: Clock, *, seconds: float) -> None:
        self._then = then
        self._seconds = seconds
        self._is_started = False

    async def wait(self, room: Room) -> None:
        assert isinstance(room, EpisodeMatch)
        deadline = time.monotonic() + self._seconds
        while not self._is_started and room.missing and time.monotonic() < deadline:
            room.changed.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(deadline - time.monotonic()):
                    await room.changed.wait()
        self._is_started = True
        await self._then.wait(room)
