"""What a player remembers: who was seen where, and what speaks for or against each of the others."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bitworld.players.among_them.sight import Figure, Sight

__all__ = ["CERTAIN", "Memory", "Sighting", "Stations"]

CERTAIN = 10.0
"""suspicion of a player who was seen at a kill or in a vent"""
TOUCH = 24
"""pixels between two players that a kill needs, with what they walk in between"""
CLOSE = 70
JUMP = 60
"""pixels that no player walks between two looks"""
TASK_DISTANCE = 12
TOGETHER = 24
"""ticks between the sightings of two players who were together"""
LAST_COMPANY = 2.0
"""suspicion of those who were last seen with a victim, together"""
FINISHED, FINISHED_MOST = -0.5, -1.5
"""change of the suspicion of a player who seems to finish a task, and the lowest value that this gives"""


RoomAt = Callable[[int, int], str]
Stations = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Sighting:
    tick: int
    x: int
    y: int


@dataclass
class Memory:
    suspicion: dict[int, float] = field(default_factory=dict)
    """player -> how likely an imposter, as a score; below zero for proven crew"""
    seen: dict[int, Sighting] = field(default_factory=dict)
    reasons: dict[int, str] = field(default_factory=dict)
    """player -> what was seen, as the end of a sentence"""
    colours: dict[int, str] = field(default_factory=dict)
    known_bodies: set[str] = field(default_factory=set)
    told: set[int] = field(default_factory=set)
    """players whose case a meeting has heard"""
    path: list[Sighting] = field(default_factory=list)
    """where this player was itself, newest last"""
    living: set[int] = field(default_factory=set)
    """players seen since the last meeting, after which all start from home; not those whose body was seen"""
    dead: set[int] = field(default_factory=set)
    """players who were dead in the last meeting"""
    company: dict[int, int] = field(default_factory=dict)
    """player -> looks since the last meeting in which that player was in view"""
    _before: Sight | None = None

    def suspect(self, player: int, amount: float, reason: str = "") -> None:
        self.suspicion[player] = self.suspicion.get(player, 0.0) + amount
        if reason and player not in self.reasons:
            self.reasons[player] = reason

    def look(self, tick: int, sight: Sight, room_at: RoomAt, stations: Stations) -> None:
        """Note what is seen while walking around."""
        assert sight.me is not None
        self.path.append(Sighting(tick, sight.me.x, sight.me.y))
        del self.path[:-40]
        before = self._before if self._before is not None and self._before.me is not None else None
        for other in sight.others:
            self.colours[other.number] = other.colour
            self.living.add(other.number)
            self._notice_vent(tick, other, room_at)
            self.seen[other.number] = Sighting(tick, other.x, other.y)
            self.company[other.number] = self.company.get(other.number, 0) + 1
        for body in sight.bodies:
            if body.colour not in self.known_bodies:
                self.known_bodies.add(body.colour)
                self.living -= {number for number, colour in self.colours.items() if colour == body.colour}
                self._notice_body(body, sight, before, room_at)
        if before is not None:
            self._notice_task(sight, before, stations)
        self._before = sight

    @property
    def has_news(self) -> bool:
        """Whether this player knows an imposter that no meeting has heard of."""
        return any(score >= CERTAIN and player not in self.told for player, score in self.suspicion.items())

    def begin_meeting(self, dead: set[int]) -> None:
        """Note who is missing, and suspect the company in which this player saw them last."""
        for victim in sorted(dead - self.dead):
            last = self.seen.get(victim)
            if last is None:
                continue
            company = [
                player
                for player, sighting in self.seen.items()
                if player not in dead
                and abs(sighting.tick - last.tick) <= TOGETHER
                and max(abs(sighting.x - last.x), abs(sighting.y - last.y)) <= CLOSE
            ]
            for player in company:
                self.suspect(player, LAST_COMPANY / len(company), f"was the last with {self.colours[victim]}")
        self.dead = dead

    def end_meeting(self) -> None:
        """Forget places: everyone starts from home again, and bodies are gone."""
        self.told.update(player for player, score in self.suspicion.items() if score >= CERTAIN)
        self.living.clear()
        self.seen.clear()
        self.path.clear()
        self.company.clear()
        self.known_bodies.clear()
        self._before = None

    def _notice_vent(self, tick: int, other: Figure, room_at: RoomAt) -> None:
        last = self.seen.get(other.number)
        if last is not None and tick - last.tick <= 4 and max(abs(last.x - other.x), abs(last.y - other.y)) > JUMP:
            self.suspect(other.number, CERTAIN, f"vented in {room_at(other.x, other.y)}")

    def _notice_body(self, body: Figure, sight: Sight, before: Sight | None, room_at: RoomAt) -> None:
        """Accuse the only one who can have done it, or suspect those who are near."""
        room = room_at(body.x, body.y)
        was_alive = before is not None and any(other.colour == body.colour for other in before.others)
        near = [other for other in sight.others if _distance(other, body) <= TOUCH]
        if was_alive and len(near) == 1:
            self.suspect(near[0].number, CERTAIN, f"killed {body.colour} in {room}")
            return
        for other in sight.others:
            if _distance(other, body) <= CLOSE:
                self.suspect(other.number, 1.5, f"was next to {body.colour} in {room}")

    def _notice_task(self, sight: Sight, before: Sight, stations: Stations) -> None:
        """Clear a player who stands at a station while the number of open tasks falls, if it is the only one."""
        if sight.tasks_left is None or before.tasks_left is None or sight.tasks_left >= before.tasks_left:
            return
        if len(sight.tasks) < len(before.tasks):
            return  # it was the own task
        earlier = {other.number: other for other in before.others}
        still = [
            other
            for other in sight.others
            if other.number in earlier
            and (earlier[other.number].x, earlier[other.number].y) == (other.x, other.y)
            and any(abs(other.x - x) <= TASK_DISTANCE and abs(other.y - y) <= TASK_DISTANCE for x, y in stations)
        ]
        if len(still) == 1:
            player = still[0].number
            # Tasks that others finish at the same moment speak for a pretender too, so this never proves much.
            self.suspicion[player] = max(self.suspicion.get(player, 0.0) + FINISHED, FINISHED_MOST)


def _distance(one: Figure, other: Figure) -> int:
    return max(abs(one.x - other.x), abs(one.y - other.y))
