"""How fancy cookout looks. The whole kitchen is on the screen."""

from functools import cache

import numpy as np

from bitworld.canvas import draw_sprite
from bitworld.games.fancy_cookout.world import CHOP_WORK, KITCHEN, MOVE_TICKS, SIDE, WASH_WORK, Cook, Item, World
from bitworld.games.shared.image import Image, block, load_images, text_image
from bitworld.games.shared.view import View
from bitworld.picture import SIDE as SCREEN

__all__ = ["view"]

TILE = 7
EDGE = (SCREEN - SIDE * TILE) // 2
IMAGES = load_images("bitworld.games.fancy_cookout")
TILES = {
    "#": "counter",
    "S": "sink",
    "B": "board",
    "L": "lettuce_crate",
    "T": "tomato_crate",
    "P": "plates",
    "D": "window",
    "X": "bin",
}


def view(world: World, player: int | None, seconds_left: int | None) -> View:
    seen = View(SCREEN, SCREEN, (SCREEN // 2, SCREEN // 2))
    seen.add(_kitchen(), 0, 0, -2)
    for place, item in enumerate(world.items):
        if item is not Item.NOTHING:
            x, y = EDGE + place % SIDE * TILE, EDGE + place // SIDE * TILE
            seen.add(_item(item), x + 1, y + 1, -1)
            _show_work(seen, world, place, x, y)
    for number, cook in enumerate(world.players):
        _show(seen, cook, number == player)
    if player is not None:
        seen.write(str(world.players[player].score), 1, SCREEN - 10, 8)
    if seconds_left is not None:
        seen.write_right(f"{seconds_left // 60}:{seconds_left % 60:02}", SCREEN - 1, SCREEN - 10)
    return seen


def _show(seen: View, cook: Cook, is_own: bool) -> None:
    behind = cook.moving * TILE // MOVE_TICKS
    x = EDGE + cook.x * TILE - cook.dx * behind
    y = EDGE + cook.y * TILE - cook.dy * behind
    seen.add(IMAGES["back" if cook.dy < 0 else "cook"].for_slot(cook.slot), x, y)
    if cook.item is not Item.NOTHING:
        # Over the head for a cook that looks up, else in front of the body.
        seen.add(_item(cook.item), x + 1 + 3 * cook.dx, y - 4 if cook.dy < 0 else y + 3, 0 if cook.dy < 0 else 1)
    if cook.is_working:
        seen.add(IMAGES["sparks"], x + 1 + 5 * cook.dx, y + 2 + 5 * cook.dy, 2)
    if cook.cheer:
        seen.add(text_image("+3", 8), x - 2, y - 9 - (36 - cook.cheer) // 8, 3)
    elif is_own:
        seen.add(block(3, 1, 0), x + 2, y - 2, 2)
        seen.add(block(1, 1, 0), x + 3, y - 1, 2)


def _show_work(seen: View, world: World, place: int, x: int, y: int) -> None:
    if world.work[place]:
        needed = WASH_WORK if KITCHEN[place // SIDE][place % SIDE] == "S" else CHOP_WORK
        seen.add(block(TILE, 3, 0), x, y - 3, 2)
        seen.add(block(max(1, world.work[place] * (TILE - 2) // needed), 1, 11), x + 1, y - 2, 3)


def _item(item: Item) -> Image:
    return IMAGES[item.name.lower()]


@cache
def _kitchen() -> Image:
    pixels = np.zeros((SCREEN, SCREEN), np.uint8)
    for y, row in enumerate(KITCHEN):
        for x, tile in enumerate(row):
            name = TILES.get(tile) or ("floor_a" if (x + y) % 2 else "floor_b")
            draw_sprite(pixels, IMAGES[name].pixels, EDGE + x * TILE, EDGE + y * TILE)
    return Image(pixels, "kitchen")
