"""The caution of a crewmate: look around before and after a task, check on others, hurry when time runs short."""

import random

from bitworld.players.among_them.memory import Memory, Stations
from bitworld.players.among_them.sight import Figure, Sight
from bitworld.players.among_them.temper import Temper

__all__ = ["Caution"]

MET = 40
"""pixels from the place of a visit that are near enough"""


class Caution:
    """Times and places of the pauses of one crewmate between its tasks."""

    def __init__(self, stations: Stations, memory: Memory, temper: Temper, rng: random.Random) -> None:
        self._stations = stations
        self._memory = memory
        self._temper = temper
        self._random = rng
        self._rest_until = 0
        self._visit: tuple[int, int] | None = None
        self._visit_until = 0

    def is_resting(self, tick: int, sight: Sight) -> bool:
        """Whether this player stands and looks around now."""
        return tick < self._rest_until and not self.is_hasty(tick, sight)

    def is_hasty(self, tick: int, sight: Sight) -> bool:
        temper = self._temper
        if tick > temper.hasty_after or (sight.tasks_left or 0) <= temper.hasty_tasks:
            return True
        return len(self._memory.dead) * temper.alarm > tick

    def look_around(self, tick: int, sight: Sight, me: Figure) -> None:
        """Stand still for a while, for a shorter one in company."""
        low, high = self._temper.ghost_rest if me.is_ghost else self._temper.look
        share = self._temper.company if len(sight.others) > 1 and not me.is_ghost else 1.0
        self._rest_until = tick + round(share * self._random.randint(low, high))

    def plan_visit(self, tick: int, me: Figure) -> None:
        """Perhaps check on the player who was not seen for the longest time, at a station near its last place."""
        seen = self._memory.seen
        if not me.is_ghost and seen and self._random.random() < self._temper.visits:
            last = min(seen.values(), key=lambda sighting: sighting.tick)
            self._visit = min(self._stations, key=lambda place: abs(place[0] - last.x) + abs(place[1] - last.y))
            self._visit_until = tick + self._temper.visit_ticks

    def visit(self, tick: int, sight: Sight, me: Figure) -> tuple[int, int] | None:
        """Return where to go for a visit, or None without one."""
        place = self._visit
        if place is None:
            return None
        is_there = max(abs(me.x - place[0]), abs(me.y - place[1])) <= MET
        if is_there or me.is_ghost or tick > self._visit_until or self.is_hasty(tick, sight):
            self._visit = None
        return self._visit
