"""When a tick begins."""

import asyncio
import time
from abc import ABC, abstractmethod
from contextlib import suppress

from bitworld.game import TICKS_PER_SECOND
from bitworld.server.clients import Player
from bitworld.server.match import Match
from bitworld.server.room import Room

__all__ = ["Clock", "RealTime", "Stepped"]


class Clock(ABC):
    @abstractmethod
    async def wait(self, room: Room) -> None:
        """Return when the next tick of a room may begin."""


class RealTime(Clock):
    """24 ticks a second, times `speed`, whatever the players do."""

    MAX_LAG_SECONDS = 0.25
    """a longer pause is not made up for"""

    def __init__(self, speed: float = 1.0) -> None:
        if not speed > 0:
            raise ValueError(f"The speed must be positive, not {speed}")
        self._seconds = 1 / (TICKS_PER_SECOND * speed)
        self._due = 0.0

    async def wait(self, room: Room) -> None:
        now = time.monotonic()
        self._due = max((self._due or now) + self._seconds, now - self.MAX_LAG_SECONDS)
        await asyncio.sleep(max(self._due - now, 0))


class Stepped(Clock):
    """A tick begins when every seated player has answered the picture of the last one.

    The first tick waits for `players` players. A player that has not answered after `deadline` seconds keeps its
    buttons, and the clock stops waiting for it until it answers again. All waiting for one player together is at most
    `patience` seconds.
    """

    def __init__(self, *, players: int = 1, deadline: float = 5.0, patience: float = 60.0) -> None:
        self._players = players
        self._deadline = deadline
        self._patience = patience
        self._is_started = False
        self._idle = RealTime()

    async def wait(self, room: Room) -> None:
        if not isinstance(room, Match):
            await self._idle.wait(room)
            return
        while not self._is_started:
            self._is_started = room.count_acceptable() >= self._players
            if not self._is_started:
                await self._change(room)
        while room.pauses_alone and not any(player.close_reason is None for player in room.players):
            await self._change(room)
        if not room.seated and not room.has_arrivals:  # spectators only
            await self._idle.wait(room)
        await self._answers(room)

    async def _answers(self, room: Match) -> None:
        began = time.monotonic()
        while True:
            waiting = [player for player in room.seated if self._is_awaited(player)]
            spent = time.monotonic() - began
            if not waiting:
                break
            if spent >= self._deadline:
                for player in waiting:
                    player.is_late = True
                    player.seconds_waited += spent
                break
            await self._change(room, self._deadline - spent)
        await asyncio.sleep(0)  # let the sockets work even if nothing has to be waited for

    def _is_awaited(self, player: Player) -> bool:
        is_here = player.is_connected and player.close_reason is None
        return is_here and not player.has_answered and not player.is_late and player.seconds_waited < self._patience

    async def _change(self, room: Room, seconds: float | None = None) -> None:
        room.changed.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):  # `wait_for` of Python 3.11 may lose a cancellation
                await room.changed.wait()
