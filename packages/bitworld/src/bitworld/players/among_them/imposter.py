"""An imposter between meetings: pretend to work, follow a victim who is alone, kill unseen, leave by a vent."""

import random

from bitworld.players.among_them.countdown import Countdown
from bitworld.players.among_them.memory import Memory
from bitworld.players.among_them.routes import Routes
from bitworld.players.among_them.sight import Figure, Sight
from bitworld.players.among_them.temper import Temper
from bitworld.players.among_them.walking import walk
from bitworld.wire.player import Button

__all__ = ["Imposter"]

KILL = 18
"""pixels at which a kill works, with some to spare"""
WORK_TICKS = 72
"""how long a task takes: a pretended one too"""
ESCAPE_TICKS = 120
VENT = 12
STATION_HALF = 8
SHADOWING = 0.7
"""how often a pretended task is near another player"""
BESIDE = 26
"""pixels from a victim at which an imposter waits for the end of its cooldown"""
REPORT = 22
"""pixels from a body, with some to spare, at which A would report it instead of killing"""
STALE = 150
"""ticks after which it is useless to look for a player where it was seen"""
FAR_AWAY = 60
"""cells from a body that are far enough"""


class Imposter:
    def __init__(self, routes: Routes, memory: Memory, temper: Temper, seed: int) -> None:
        self._routes = routes
        self._memory = memory
        self._temper = temper
        self._stations = routes.stations
        self._random = random.Random(seed)
        self._countdown = Countdown(temper.cooldown, temper.pace)
        self._target: tuple[int, int] | None = None
        self._arrived: int | None = None
        self._crowd_since: int | None = None
        self._escape_until = 0
        self._could_kill = False
        self._pressed = False
        self.partners: set[int] = set()
        self.last_kill: tuple[int, int] | None = None
        """where the last victim fell"""

    def act(self, tick: int, sight: Sight) -> int:
        me = sight.me
        assert me is not None
        if me.is_ghost:
            return 0
        if self._could_kill and not sight.can_kill and sight.bodies:
            self._escape(tick, me)
        self._could_kill = sight.can_kill
        self._countdown.look(tick, is_ready=sight.can_kill)
        if tick < self._escape_until:
            return self._run(sight, me)
        victims = [other for other in sight.others if other.number not in self.partners]
        if self._countdown.left(tick) > self._temper.stalk or not victims or self._is_bored(tick, victims):
            return self._pretend(tick, sight, me, victims)
        victim = min(victims, key=lambda other: (other.x - me.x) ** 2 + (other.y - me.y) ** 2)
        is_unseen = len(victims) == 1 and self._countdown.left(tick) == 0
        if sight.can_kill and (is_unseen or self._is_last_kill(sight, victims)):
            return self._hunt(sight, victim, me)
        return self._follow(victim, me)

    def _is_bored(self, tick: int, victims: list[Figure]) -> bool:
        """Whether several crewmates have stayed together for too long: another victim may be alone."""
        if len(victims) < 2:
            self._crowd_since = None
            return False
        if self._crowd_since is None or tick - self._crowd_since > 2 * self._temper.patience:
            self._crowd_since = tick
        return tick - self._crowd_since > self._temper.patience

    def _is_last_kill(self, sight: Sight, victims: list[Figure]) -> bool:
        """Whether witnesses no longer matter: a kill, or one of each imposter who is here, wins the game."""
        living = self._memory.living
        crew, imposters = len(living - self.partners), 1 + len(living & self.partners)
        here = 1 + sum(other.number in self.partners for other in sight.others)
        return bool(living) and crew - min(here, len(victims)) <= imposters

    def _hunt(self, sight: Sight, victim: Figure, me: Figure) -> int:
        is_near = (victim.x - me.x) ** 2 + (victim.y - me.y) ** 2 <= KILL**2
        would_report = any((body.x - me.x) ** 2 + (body.y - me.y) ** 2 <= REPORT**2 for body in sight.bodies)
        if is_near and not would_report and not self._routes.is_button(me.x, me.y):
            self._pressed = not self._pressed
            return int(Button.A) if self._pressed else 0
        return walk(self._routes, me, (victim.x, victim.y), is_moving=True)

    def _follow(self, victim: Figure, me: Figure) -> int:
        """Stay beside a victim until the cooldown ends or its company leaves."""
        if max(abs(victim.x - me.x), abs(victim.y - me.y)) <= BESIDE:
            return 0
        return walk(self._routes, me, (victim.x, victim.y), is_moving=True)

    def _escape(self, tick: int, me: Figure) -> None:
        self.last_kill = (me.x, me.y)
        self._escape_until = tick + ESCAPE_TICKS
        distant = [place for place in self._stations if self._routes.distance((me.x, me.y), place) > FAR_AWAY]
        self._target = self._random.choice(distant or self._stations)
        self._arrived = None

    def _run(self, sight: Sight, me: Figure) -> int:
        """Leave the body: through a vent that is near and unwatched, else on foot."""
        watched = any(other.number not in self.partners for other in sight.others)
        vent = min(self._routes.vents, key=lambda place: self._routes.distance((me.x, me.y), place))
        if not watched and self.last_kill is not None and self._routes.distance((me.x, me.y), vent) < FAR_AWAY // 3:
            if max(abs(vent[0] - me.x), abs(vent[1] - me.y)) <= VENT:
                self.last_kill = None
                return int(Button.B)
            return walk(self._routes, me, vent)
        assert self._target is not None
        return walk(self._routes, me, self._target)

    def _pretend(self, tick: int, sight: Sight, me: Figure, victims: list[Figure]) -> int:
        """Stand at a station as long as a task takes, then choose the next, near players when a kill is possible."""
        if self._target is None or (self._arrived is not None and tick - self._arrived >= WORK_TICKS):
            self._target = self._next_station(tick, me)
            self._arrived = None
        if max(abs(me.x - self._target[0]), abs(me.y - self._target[1])) <= STATION_HALF // 2:
            if self._arrived is None:
                self._arrived = tick
            if self._countdown.left(tick) <= self._temper.stalk and not victims:
                self._arrived -= WORK_TICKS  # no one to pretend for
            return 0
        return walk(self._routes, me, self._target)

    def _next_station(self, tick: int, me: Figure) -> tuple[int, int]:
        """Stay close to someone: work where a player was seen last, so that a kill is near when it is possible."""
        seen = [
            sighting
            for player, sighting in self._memory.seen.items()
            if player not in self.partners and tick - sighting.tick <= STALE
        ]
        is_time = self._countdown.left(tick) <= self._temper.stalk
        if seen and (is_time or self._random.random() < SHADOWING):
            last = max(seen, key=lambda sighting: sighting.tick)
            near = sorted(self._stations, key=lambda place: self._routes.distance((last.x, last.y), place))
            return self._random.choice(near[:4])
        near = sorted(self._stations, key=lambda place: self._routes.distance((me.x, me.y), place))
        return self._random.choice(near[4:20] if is_time else near[1:12])
