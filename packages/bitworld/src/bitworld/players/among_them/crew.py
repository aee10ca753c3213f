"""A crewmate between meetings: report bodies, call a meeting with proof, avoid suspects, finish tasks with caution."""

import random

from bitworld.players.among_them.caution import Caution
from bitworld.players.among_them.memory import Memory
from bitworld.players.among_them.routes import FAR, LOOK_AHEAD, Routes
from bitworld.players.among_them.sight import Figure, Sight
from bitworld.players.among_them.temper import Temper
from bitworld.players.among_them.walking import walk
from bitworld.wire.player import Button

__all__ = ["Crew"]

REPORT = 17
"""pixels from a body at which a report works, with some to spare"""
AFRAID = 60
"""distance to keep from suspects"""
SUSPECT = 2.0
STATION_HALF = 8
MOST_CALLS = 10
"""looks at which the emergency button is pressed or released before this player stops trying"""
LOST = 900
"""ticks on the way to a task after which this player walks exactly from cell to cell: a corner may have misled it"""
INSIDE = 4
"""pixels from the middle of a station at which work begins"""


class Crew:
    def __init__(self, routes: Routes, memory: Memory, temper: Temper, seed: int) -> None:
        self._routes = routes
        self._memory = memory
        self.stations = routes.stations
        self._temper = temper
        self._patrol = seed
        self._flight = -FAR
        """when this player began to flee"""
        self._caution = Caution(routes.stations, memory, temper, random.Random(seed))
        self._target: int | None = None
        self._chosen = 0
        self._looked_at: int | None = None
        """the task before which this player has looked around"""
        self._pressed = False
        self._calls = 0

    def act(self, tick: int, sight: Sight) -> int:
        me = sight.me
        assert me is not None
        if not me.is_ghost:
            urgent = self._report(sight, me) or self._alarm(me) or self._flee(tick, sight, me)
            if urgent is not None:
                return urgent
        return self._work(tick, sight, me)

    def _report(self, sight: Sight, me: Figure) -> int | None:
        if not sight.bodies:
            return None
        body = min(sight.bodies, key=lambda body: abs(body.x - me.x) + abs(body.y - me.y))
        if (body.x - me.x) ** 2 + (body.y - me.y) ** 2 <= REPORT**2:
            return self._press()
        return walk(self._routes, me, (body.x, body.y), is_moving=True)

    def _alarm(self, me: Figure) -> int | None:
        """Call a meeting to tell what was seen. The button works once; after that, pressing it is given up."""
        if not self._memory.has_news or self._calls >= MOST_CALLS:
            return None
        if self._routes.is_button(me.x, me.y):
            self._calls += 1
            return self._press()
        return walk(self._routes, me, self._routes.button)

    def _flee(self, tick: int, sight: Sight, me: Figure) -> int | None:
        """Leave a suspect, but only where no one else would see what happens, and not for ever."""
        feared = [
            other
            for other in sight.others
            if self._memory.suspicion.get(other.number, 0.0) >= SUSPECT
            and max(abs(other.x - me.x), abs(other.y - me.y)) < AFRAID
        ]
        if not feared or len(sight.others) > len(feared) or self._caution.is_hasty(tick, sight):
            return None
        if tick > self._flight + self._temper.flight + self._temper.courage:
            self._flight = tick
        if tick > self._flight + self._temper.flight:
            return None
        danger, here = (feared[0].x, feared[0].y), (me.x, me.y)
        away = max(self.stations, key=lambda place: self._lead(place, here, danger))
        return walk(self._routes, me, away)

    def _lead(self, place: tuple[int, int], here: tuple[int, int], danger: tuple[int, int]) -> int:
        """Return how much nearer a place is to this player than to a danger."""
        return self._routes.distance(danger, place) - self._routes.distance(here, place)

    def _work(self, tick: int, sight: Sight, me: Figure) -> int:
        if self._caution.is_resting(tick, sight):
            return 0
        if self._target is not None and self._target not in sight.tasks:
            self._target = None
            self._caution.look_around(tick, sight, me)
            self._caution.plan_visit(tick, me)
            return 0
        place = self._caution.visit(tick, sight, me)
        if place is not None:
            return walk(self._routes, me, place)
        if self._target is None:
            self._target = min(sight.tasks, key=lambda task: self._cost(me, task), default=None)
            self._chosen = tick
        if self._target is None:
            return self._wander(me)
        place, station = self.stations[self._target], self._routes.map.tasks[self._target]
        is_near = abs(me.x - place[0]) <= INSIDE and abs(me.y - place[1]) <= INSIDE
        if is_near and 0 <= me.x - station.x < station.w and 0 <= me.y - station.y < station.h:
            if self._looked_at != self._target and not me.is_ghost:
                self._looked_at = self._target
                self._caution.look_around(tick, sight, me)
                return 0
            return int(Button.A)
        look_ahead = 1 if tick - self._chosen > LOST else LOOK_AHEAD
        return walk(self._routes, me, place, slack=INSIDE - 1, look_ahead=look_ahead)

    def _cost(self, me: Figure, task: int) -> int:
        place = self.stations[task]
        if me.is_ghost:
            return max(abs(place[0] - me.x), abs(place[1] - me.y))
        return self._routes.distance((me.x, me.y), place)

    def _wander(self, me: Figure) -> int:
        """Look after the others from station to station."""
        place = self.stations[self._patrol % len(self.stations)]
        if max(abs(me.x - place[0]), abs(me.y - place[1])) <= 2 * STATION_HALF:
            self._patrol += 7
        return walk(self._routes, me, place)

    def _press(self) -> int:
        """Press and release in turn: only a new press counts."""
        self._pressed = not self._pressed
        return int(Button.A) if self._pressed else 0
