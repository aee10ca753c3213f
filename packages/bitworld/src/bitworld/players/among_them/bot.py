"""A scripted player of Among Them. It knows the map, which is public, and what its scene shows; nothing else."""

import random
from dataclasses import dataclass

from bitworld.games.among_them.map import DEFAULT_MAP
from bitworld.players.among_them.crew import Crew
from bitworld.players.among_them.imposter import Imposter
from bitworld.players.among_them.meeting import Meeting
from bitworld.players.among_them.memory import Memory
from bitworld.players.among_them.routes import routes_of
from bitworld.players.among_them.sight import Screen, Sight, read_sight
from bitworld.players.among_them.temper import Temper
from bitworld.scene import Scene

__all__ = ["THINK_TICKS", "AmongThemBot", "Move"]

THINK_TICKS = 2
"""ticks between two looks at the screen; the buttons stay held in between"""

TEMPER = Temper()


@dataclass(frozen=True, slots=True)
class Move:
    mask: int = 0
    text: str | None = None


class AmongThemBot:
    """Call `act` for every `THINK_TICKS`th tick and hold the buttons until the next call."""

    def __init__(self, seed: int = 0, map_path: str = DEFAULT_MAP, temper: Temper = TEMPER) -> None:
        self._seed = seed
        self._temper = temper
        self._meeting: Meeting | None = None
        self._routes = routes_of(map_path)
        self._begin()

    def act(self, scene: Scene) -> Move:
        """Return what to do after a look at the screen."""
        self._tick += THINK_TICKS
        sight = read_sight(scene, self._number)
        if sight.screen is not Screen.VOTING and self._meeting is not None:
            self._meeting = None
            self._memory.end_meeting()
        if sight.screen is Screen.PLAYING and sight.me is not None:
            return Move(self._play(sight))
        if sight.screen is Screen.ROLE:
            self._learn_role(sight)
        elif sight.screen is Screen.VOTING:
            return Move(*self._meet(sight))
        elif sight.screen is Screen.WAITING and self._number is not None:
            self._begin()
        return Move()

    def _begin(self) -> None:
        """Forget the last game."""
        self._tick = 0
        self._number: int | None = None
        self._colour = ""
        self._is_imposter = False
        self._memory = Memory()
        self._random = random.Random(self._seed)
        self._crew = Crew(self._routes, self._memory, self._temper, self._seed)
        self._imposter = Imposter(self._routes, self._memory, self._temper, self._seed)
        self._meeting = None

    def _learn_role(self, sight: Sight) -> None:
        self._is_imposter = sight.is_imposter
        if sight.is_imposter:
            self._imposter.partners = set(sight.icons)

    def _play(self, sight: Sight) -> int:
        assert sight.me is not None
        self._number, self._colour = sight.me.number, sight.me.colour
        self._is_imposter = self._is_imposter or sight.is_imposter
        self._memory.look(self._tick, sight, self._room, self._stations)
        return self._imposter.act(self._tick, sight) if self._is_imposter else self._crew.act(self._tick, sight)

    def _meet(self, sight: Sight) -> tuple[int, str | None]:
        if self._number is None:
            return 0, None
        if self._meeting is None:
            self._meeting = Meeting(
                self._memory,
                self._number,
                self._colour,
                place=self._own_room,
                partners=self._imposter.partners,
                is_imposter=self._is_imposter,
                temper=self._temper,
                rng=self._random,
            )
        return self._meeting.act(self._tick, sight)

    @property
    def _stations(self) -> list[tuple[int, int]]:
        return self._crew.stations

    def _room(self, x: int, y: int) -> str:
        return self._routes.map.room_at(x, y) or "a corridor"

    def _own_room(self) -> str:
        """Return a room to name: where this player was lately, and for an imposter not where the body lies."""
        path = self._memory.path
        if not path:
            return "Commons"
        place = path[0] if self._is_imposter else path[-1]
        return self._room(place.x, place.y)
