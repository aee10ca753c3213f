"""The state and the fixed numbers of fancy cookout."""

from dataclasses import dataclass, field
from enum import IntEnum

from bitworld._native import Random
from bitworld.games.shared.python_game import Contestant
from bitworld.games.shared.settings import GameSettings, number

__all__ = [
    "CHOP_WORK",
    "KITCHEN",
    "MOVE_TICKS",
    "SALAD_POINTS",
    "SIDE",
    "WASH_WORK",
    "Cook",
    "Item",
    "Settings",
    "World",
    "tile_at",
]

SIDE = 18
WASH_WORK, CHOP_WORK = 28, 20
"""ticks that one cook needs"""
SALAD_POINTS = 3
MOVE_TICKS = 4

# L and T are crates of lettuce and tomatoes, P plates, D the window for deliveries, S sinks, B boards, X bins,
# # counters, . the floor. Two cooks can work at one station in the middle, or hand things over there.
KITCHEN = (
    "###LL##DDDD##TT###",
    "#................#",
    "#................#",
    "#................#",
    "S................B",
    "S................B",
    "#................#",
    "#................#",
    "#BS#..#SBBS#..#SB#",
    "#................#",
    "#................#",
    "B................S",
    "B................S",
    "#................#",
    "#....#X....X#....#",
    "#................#",
    "#................#",
    "###TT##PPPP##LL###",
)


class Item(IntEnum):
    NOTHING = 0
    LETTUCE = 1
    WASHED_LETTUCE = 2
    CHOPPED_LETTUCE = 3
    TOMATO = 4
    WASHED_TOMATO = 5
    CHOPPED_TOMATO = 6
    PLATE = 7
    LETTUCE_PLATE = 8
    TOMATO_PLATE = 9
    SALAD = 10


@dataclass(frozen=True, kw_only=True)
class Settings(GameSettings):
    max_ticks: int = number(4320)


@dataclass(kw_only=True)
class Cook(Contestant):
    x: int
    y: int
    dx: int = 0
    dy: int = 1
    """where it looks"""
    moving: int = 0
    """ticks until the next tile may be entered"""
    item: Item = Item.NOTHING
    is_working: bool = False
    cheer: int = 0
    """ticks for which a delivery is shown"""
    salads: int = 0
    washes: int = 0
    chops: int = 0


@dataclass(kw_only=True)
class World:
    random: Random
    items: list[Item] = field(default_factory=lambda: [Item.NOTHING] * (SIDE * SIDE))
    """on each tile, row by row"""
    work: list[int] = field(default_factory=lambda: [0] * (SIDE * SIDE))
    """ticks of work on the item of each tile"""
    players: list[Cook] = field(default_factory=list)


def tile_at(x: int, y: int) -> str:
    """Return the letter of a tile; outside the kitchen there are counters that cannot be reached."""
    return KITCHEN[y][x] if 0 <= x < SIDE and 0 <= y < SIDE else "#"
