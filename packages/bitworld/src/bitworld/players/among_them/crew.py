"""A crewmate between meetings: report bodies, call a meeting with proof, avoid suspects, finish tasks."""

from bitworld.players.among_them.memory import Memory
from bitworld.players.among_them.routes import FAR, Routes
from bitworld.players.among_them.sight import Figure, Sight
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
INSIDE = 4
"""pixels from the middle of a station at which work begins"""


class Crew:
    def __init__(self, routes: Routes, memory: Memory, seed: int) -> None:
        self._routes = routes
        self._memory = memory
        self.stations = routes.stations
        self._patrol = seed
        self._target: int | None = None
        self._pressed = False
        self._calls = 0

    def act(self, sight: Sight) -> int:
        me = sight.me
        assert me is not None
        if not me.is_ghost:
            urgent = self._report(sight, me) or self._alarm(me) or self._flee(sight, me)
            if urgent is not None:
                return urgent
        return self._work(sight, me)

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
        button = self._routes.map.button
        if button.x <= me.x < button.x + button.w and button.y <= me.y < button.y + button.h:
            self._calls += 1
            return self._press()
        return walk(self._routes, me, self._routes.button)

    def _flee(self, sight: Sight, me: Figure) -> int | None:
        """Leave a suspect, but only where no one else would see what happens."""
        feared = [
            other
            for other in sight.others
            if self._memory.suspicion.get(other.number, 0.0) >= SUSPECT
            and max(abs(other.x - me.x), abs(other.y - me.y)) < AFRAID
        ]
        if not feared or len(sight.others) > len(feared):
            return None
        danger = (feared[0].x, feared[0].y)
        away = max(self.stations, key=lambda place: self._routes.distance(danger, place) % FAR)
        return walk(self._routes, me, away)

    def _work(self, sight: Sight, me: Figure) -> int:
        if self._target not in sight.tasks:
            self._target = min(sight.tasks, key=lambda task: self._cost(me, task), default=None)
        if self._target is None:
            return self._wander(me)
        place, station = self.stations[self._target], self._routes.map.tasks[self._target]
        is_near = abs(me.x - place[0]) <= INSIDE and abs(me.y - place[1]) <= INSIDE
        if is_near and 0 <= me.x - station.x < station.w and 0 <= me.y - station.y < station.h:
            return int(Button.A)
        return walk(self._routes, me, place, slack=INSIDE - 1)

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
