"""The rules of fancy cookout.

A salad is a plate with chopped lettuce and chopped tomato; both are washed before they are chopped. A takes, puts and
combines; holding B works at a sink or board, and several cooks work faster. Whoever delivers a salad gets its points,
whoever made it: work together, and keep an eye on your plates.
"""

from collections.abc import Sequence

from bitworld._native import Random
from bitworld.games.fancy_cookout.world import (
    CHOP_WORK,
    KITCHEN,
    MOVE_TICKS,
    SALAD_POINTS,
    SIDE,
    WASH_WORK,
    Cook,
    Item,
    World,
    tile_at,
)
from bitworld.games.shared.buttons import BUTTON_A, BUTTON_B, Input

__all__ = ["free_tile", "new_world", "play"]

CHEER_TICKS = 36
CRATES = {"L": Item.LETTUCE, "T": Item.TOMATO, "P": Item.PLATE}
WASHED = {Item.LETTUCE: Item.WASHED_LETTUCE, Item.TOMATO: Item.WASHED_TOMATO}
CHOPPED = {Item.WASHED_LETTUCE: Item.CHOPPED_LETTUCE, Item.WASHED_TOMATO: Item.CHOPPED_TOMATO}
PLATED = {
    (Item.PLATE, Item.CHOPPED_LETTUCE): Item.LETTUCE_PLATE,
    (Item.PLATE, Item.CHOPPED_TOMATO): Item.TOMATO_PLATE,
    (Item.LETTUCE_PLATE, Item.CHOPPED_TOMATO): Item.SALAD,
    (Item.TOMATO_PLATE, Item.CHOPPED_LETTUCE): Item.SALAD,
}
"""what a plate becomes when an ingredient is added"""


def new_world(random: Random) -> World:
    return World(random=random)


def play(world: World, inputs: Sequence[Input]) -> None:
    for cook, buttons in zip(world.players, inputs, strict=True):
        cook.cheer = max(0, cook.cheer - 1)
        cook.is_working = False
        _move(world, cook, buttons)
        if buttons.pressed & BUTTON_A:
            _handle(world, cook)
        elif buttons.held & BUTTON_B and not cook.moving:
            _work(world, cook)


def free_tile(world: World) -> tuple[int, int]:
    """Return a random tile of the floor without a cook."""
    taken = {(cook.x, cook.y) for cook in world.players}
    tiles = [(x, y) for y in range(SIDE) for x in range(SIDE) if KITCHEN[y][x] == "." and (x, y) not in taken]
    return tiles[world.random.below_or_equal(len(tiles) - 1)]


def _move(world: World, cook: Cook, buttons: Input) -> None:
    """Turn to the held direction and go one tile, unless something is in the way."""
    cook.moving = max(0, cook.moving - 1)
    if cook.moving or not (buttons.dx or buttons.dy):
        return
    ways = [(buttons.dx, 0), (0, buttons.dy)]
    for cook.dx, cook.dy in [way for way in ways if way != (0, 0)]:
        x, y = cook.x + cook.dx, cook.y + cook.dy
        if tile_at(x, y) == "." and not any((other.x, other.y) == (x, y) for other in world.players):
            cook.x, cook.y, cook.moving = x, y, MOVE_TICKS
            return


def _handle(world: World, cook: Cook) -> None:
    """Take, put, combine or deliver at the tile in front of a cook."""
    x, y = cook.x + cook.dx, cook.y + cook.dy
    tile, place = tile_at(x, y), y * SIDE + x
    if tile in CRATES:
        if cook.item in (Item.NOTHING, CRATES[tile]):
            cook.item = CRATES[tile] if cook.item is Item.NOTHING else Item.NOTHING
    elif tile == "X":
        cook.item = Item.NOTHING
    elif tile == "D":
        if cook.item is Item.SALAD:
            cook.item = Item.NOTHING
            cook.score += SALAD_POINTS
            cook.salads += 1
            cook.cheer = CHEER_TICKS
    elif tile in "#SB":
        cook.item, world.items[place] = _exchanged(cook.item, world.items[place], tile)
        world.work[place] = 0


def _exchanged(held: Item, lying: Item, tile: str) -> tuple[Item, Item]:
    """Return what a cook holds and what lies on the tile afterwards."""
    if (lying, held) in PLATED:
        return Item.NOTHING, PLATED[lying, held]
    if (held, lying) in PLATED:
        return PLATED[held, lying], Item.NOTHING
    if held is Item.NOTHING or (lying is Item.NOTHING and (tile == "#" or held < Item.PLATE)):
        return lying, held
    return held, lying


def _work(world: World, cook: Cook) -> None:
    x, y = cook.x + cook.dx, cook.y + cook.dy
    tile, place = tile_at(x, y), y * SIDE + x
    steps, needed = (WASHED, WASH_WORK) if tile == "S" else (CHOPPED, CHOP_WORK)
    if tile not in "SB" or world.items[place] not in steps:
        return
    cook.is_working = True
    world.work[place] += 1
    if world.work[place] >= needed:
        world.items[place] = steps[world.items[place]]
        world.work[place] = 0
        cook.washes += tile == "S"
        cook.chops += tile == "B"
