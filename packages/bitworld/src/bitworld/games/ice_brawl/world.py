"""The state and the fixed numbers of ice brawl. Places and speeds are in 1/256 pixel."""

from dataclasses import dataclass, field
from enum import IntEnum

from bitworld._native import Random
from bitworld.games.shared.python_game import Contestant
from bitworld.games.shared.settings import GameSettings, number

__all__ = [
    "BALL_TICKS",
    "CENTRE",
    "COUNTDOWN_TICKS",
    "DIRECTIONS",
    "FIRST_SIDE",
    "LAST_SIDE",
    "ONE",
    "PAUSE_TICKS",
    "SHRINK_TICKS",
    "SHRINK_TILES",
    "TILE",
    "Ball",
    "Brawler",
    "Penguin",
    "Settings",
    "Stage",
    "World",
]

ONE = 256
"""one pixel"""
CENTRE = 64 * ONE
TILE = 2
"""pixels of a tile"""
FIRST_SIDE, LAST_SIDE, SHRINK_TILES, SHRINK_TICKS = 48, 36, 2, 240
COUNTDOWN_TICKS = PAUSE_TICKS = 72
BALL_TICKS = 30

# 16 directions around the compass, as multiples of 1/256.
_QUARTER = [(256, 0), (237, 98), (181, 181), (98, 237)]
DIRECTIONS = [
    *_QUARTER,
    *((-y, x) for x, y in _QUARTER),
    *((-x, -y) for x, y in _QUARTER),
    *((y, -x) for x, y in _QUARTER),
]


class Stage(IntEnum):
    COUNTDOWN = 0
    BRAWL = 1
    PAUSE = 2


@dataclass(frozen=True, kw_only=True)
class Settings(GameSettings):
    rounds: int = number(5, 1, 100)
    penguins: int = number(3, 0, 8)
    round_ticks: int = number(2400, 24)
    """a round ends after this many ticks; all who are left have survived"""


@dataclass(kw_only=True)
class Body:
    x: int
    y: int
    vx: int = 0
    vy: int = 0


@dataclass(kw_only=True)
class Brawler(Contestant, Body):
    facing: int = 0
    """one of the 16 directions"""
    is_out: bool = True
    """has fallen, or waits for the next round"""
    falling: int = 0
    """ticks of the splash that are left"""
    dash: int = 0
    """ticks for which a bump hits harder"""
    dash_wait: int = 0
    throw_wait: int = 0
    wins: int = 0
    knocks: int = 0
    """players that fell soon after this one hit them"""
    hit_by: int = -1
    """slot of the last player that hit this one"""
    hit_ago: int = 0


@dataclass(kw_only=True)
class Penguin(Body):
    way: int = 0
    """one of the 16 directions"""
    waits: int = 0
    """ticks until it turns, or comes back from a dive"""
    is_diving: bool = False
    sliding: int = 0
    pushed_by: int = -1
    """slot of the player whose snowball set it sliding"""


@dataclass(kw_only=True)
class Ball(Body):
    slot: int
    left: int = BALL_TICKS


@dataclass(kw_only=True)
class World:
    random: Random
    round: int = 0
    stage: Stage = Stage.COUNTDOWN
    clock: int = 0
    """ticks of this stage"""
    side: int = FIRST_SIDE
    """width and height of the platform, in tiles"""
    starters: int = 0
    """players that began the round"""
    fallen: int = 0
    players: list[Brawler] = field(default_factory=list)
    penguins: list[Penguin] = field(default_factory=list)
    balls: list[Ball] = field(default_factory=list)
