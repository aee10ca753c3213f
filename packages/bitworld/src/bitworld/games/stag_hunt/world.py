"""The state and the fixed numbers of stag hunt."""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from bitworld._native import Random
from bitworld.games.shared.python_game import Contestant
from bitworld.games.shared.settings import GameSettings, number

__all__ = [
    "BEASTS",
    "MAX_ENERGY",
    "MOVE_COST",
    "MOVE_TICKS",
    "SIDE",
    "Beast",
    "Hunter",
    "Kind",
    "Settings",
    "World",
    "trees",
]

SIDE = 32
"""width and height of the map, in tiles"""
MAX_ENERGY = 200
MOVE_COST = 2
MOVE_TICKS = 4
"""ticks for one tile"""


class Kind(NamedTuple):
    name: str
    points: int
    hunters: int
    """hunters that must strike within the same half second"""
    population: int
    period: int
    """ticks between two moves"""
    sight: int
    """distance in tiles at which it flees from a hunter"""
    energy: int
    """what each hunter regains by eating it"""


BEASTS = (
    Kind("rabbit", 1, 1, 12, 9, 3, 20),
    Kind("boar", 3, 2, 6, 10, 2, 30),
    Kind("stag", 5, 3, 4, 8, 4, 40),
    Kind("moose", 10, 4, 2, 12, 3, 60),
    Kind("mammoth", 18, 5, 1, 20, 1, 100),
)


@dataclass(frozen=True, kw_only=True)
class Settings(GameSettings):
    max_ticks: int = number(7200)


@dataclass(kw_only=True)
class Hunter(Contestant):
    x: int
    y: int
    dx: int = 0
    dy: int = 0
    moving: int = 0
    """ticks until the next tile may be entered"""
    is_facing_left: bool = False
    energy: int = MAX_ENERGY
    rest: int = 0
    """ticks without a move, since the last point of energy it regained"""
    strike: int = 0
    """ticks for which a strike still counts"""
    target: int = -1
    """number of the struck beast"""
    whistle: int = 0
    gain: int = 0
    """points of the last catch, shown for some ticks"""
    gain_shown: int = 0
    rabbits: int = 0
    beasts: int = 0


@dataclass(kw_only=True)
class Beast:
    number: int
    kind: int
    x: int
    y: int
    dx: int = 0
    dy: int = 0
    moving: int = 0
    wait: int = 0
    is_facing_left: bool = False


@dataclass(kw_only=True)
class World:
    random: Random
    map_seed: int
    clock: int = 0
    beasts_born: int = 0
    players: list[Hunter] = field(default_factory=list)
    beasts: list[Beast] = field(default_factory=list)


@lru_cache(maxsize=64)
def trees(map_seed: int) -> frozenset[tuple[int, int]]:
    """Return the tiles with trees. No two touch, so that every other tile can be reached."""
    random = Random(map_seed)
    placed: set[tuple[int, int]] = set()
    for _ in range(SIDE * SIDE // 6):
        x, y = (1 + random.below_or_equal(SIDE - 3) for _ in range(2))
        if not any((x + dx, y + dy) in placed for dx in (-1, 0, 1) for dy in (-1, 0, 1)):
            placed.add((x, y))
    return frozenset(placed)
