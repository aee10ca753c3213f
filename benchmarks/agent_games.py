"""The games that `agents.py` plays, by name: missions with their variants, numbers of cogs and numbers of steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from cogames import missions
from mettagrid.cogame.errors import MissionError
from mettagrid.cogame.game import get_game
from mettagrid.config.mettagrid_config import MettaGridConfig

MOST = -1
"""number of cogs that stands for as many as the mission, and the map of the seed, have room for"""


@dataclass(frozen=True)
class Game:
    """A game to play with any seed. `steps` shortens missions that are longer; None leaves them."""

    mission: str
    variants: tuple[str, ...] = ()
    cogs: int | None = None
    """None for the mission's own number"""
    steps: int | None = None

    @property
    def name(self) -> str:
        cogs = "" if self.cogs is None else f" cogs={'most' if self.cogs == MOST else self.cogs}"
        return ".".join([self.mission, *self.variants]) + cogs

    def load(self, seed: int) -> MettaGridConfig:
        """Return the environment on the map of the seed; raise MissionError for what the mission refuses."""
        cogs = most_cogs(self.mission, seed) if self.cogs == MOST else self.cogs
        env = missions.load(self.mission, self.variants, cogs, seed)
        if self.steps is not None and not 0 < env.game.max_steps <= self.steps:
            env.game.max_steps = self.steps
        return env


def all_missions(steps: int | None) -> Iterator[Game]:
    """Yield every mission, and after it its sub-missions."""
    for name in missions.list():
        yield Game(name, steps=steps)
        for sub in missions.get_mission(name).sub_missions:
            yield Game(f"{name}.{sub}", steps=steps)


def all_variants(steps: int | None) -> Iterator[Game]:
    """Yield every mission with every variant that fits it, and with the fewest and the most cogs it allows."""
    for name in missions.list():
        mission = missions.get_mission(name)
        if mission.min_cogs < mission.max_cogs:
            yield Game(name, cogs=mission.min_cogs, steps=steps)
            yield Game(name, cogs=MOST, steps=steps)
        for variant in get_game(missions.DEFAULT_GAME).variants:
            if variant.compat(mission):
                yield Game(name, (variant.name,), steps=steps)


@cache
def most_cogs(name: str, seed: int) -> int:
    """Return the largest number of cogs that a mission allows on the map of a seed."""
    mission = missions.get_mission(name)
    low, high = mission.min_cogs, mission.max_cogs
    if _allows(name, high, seed):
        return high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _allows(name, middle, seed) else (low, middle)
    return low


def _allows(name: str, cogs: int, seed: int) -> bool:
    try:
        missions.load(name, cogs=cogs, seed=seed)
    except MissionError:
        return False
    return True
