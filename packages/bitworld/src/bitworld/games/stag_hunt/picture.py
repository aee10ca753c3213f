"""How stag hunt looks."""

from functools import lru_cache

import numpy as np

from bitworld.canvas import draw_sprite
from bitworld.games.shared.image import Image, block, load_images, text_image
from bitworld.games.shared.view import View
from bitworld.games.stag_hunt.world import BEASTS, MAX_ENERGY, MOVE_TICKS, SIDE, Beast, Hunter, World, trees
from bitworld.picture import SIDE as SCREEN
from bitworld.picture import SLOT_COLOURS

__all__ = ["view"]

TILE = 8
MAP = SIDE * TILE
GRASS, WOOD = 10, 12
IMAGES = load_images("bitworld.games.stag_hunt")


def view(world: World, player: int | None, seconds_left: int | None) -> View:
    hunter = None if player is None else world.players[player]
    focus = (MAP // 2, MAP // 2) if hunter is None else _middle(hunter)
    seen = View(MAP, MAP, focus, backdrop=WOOD)
    seen.add(_ground(world.map_seed), 0, 0, -1)
    for x, y in sorted(trees(world.map_seed)):
        seen.add(IMAGES["tree"], x * TILE - 1, y * TILE - 3)
    for beast in world.beasts:
        _show_beast(seen, beast, world.players)
    for other in world.players:
        _show_hunter(seen, other)
    if hunter is not None:
        _show_others(seen, hunter, world.players)
        seen.write(str(hunter.score), 2, 1, 8)
        colour = 11 if hunter.energy > MAX_ENERGY // 4 else 3
        seen.bar(2, SCREEN - 7, 64, hunter.energy, MAX_ENERGY, colour)
    if seconds_left is not None:
        seen.write_right(f"{seconds_left // 60}:{seconds_left % 60:02}", SCREEN - 1, 1)
    return seen


def _show_hunter(seen: View, hunter: Hunter) -> None:
    x, y = _place(hunter)
    image = IMAGES["hunter"].for_slot(hunter.slot)
    seen.add(image.flipped if hunter.is_facing_left else image, x, y)
    if hunter.strike:
        spear = IMAGES["spear"]
        seen.add(spear.flipped if hunter.is_facing_left else spear, x - 4 if hunter.is_facing_left else x + 6, y - 2, 1)
    if hunter.gain_shown:
        seen.add(text_image(f"+{hunter.gain}", 8), x, y - 10 - (30 - hunter.gain_shown) // 6, 2)
    elif hunter.whistle:
        seen.add(text_image("!", 7), x + 2, y - 9, 2)


def _show_beast(seen: View, beast: Beast, hunters: list[Hunter]) -> None:
    x, y = _place(beast)
    kind = BEASTS[beast.kind]
    image = IMAGES[kind.name]
    left, top = x + (TILE - image.width) // 2, y + TILE - image.height
    seen.add(image.flipped if beast.is_facing_left else image, left, top)
    if kind.hunters > 1:
        strikers = sum(hunter.strike > 0 and hunter.target == beast.number for hunter in hunters)
        start = x + TILE // 2 - (3 * kind.hunters + 1) // 2
        seen.add(block(3 * kind.hunters + 1, 4, 0), start, y + TILE, 1)
        for pip in range(kind.hunters):
            seen.add(block(2, 2, 8 if pip < strikers else 5), start + 1 + 3 * pip, y + TILE + 1, 2)


def _show_others(seen: View, hunter: Hunter, hunters: list[Hunter]) -> None:
    """Mark the direction of hunters outside the picture on its edge; a whistle makes the mark larger."""
    left, top = seen.corner
    for other in hunters:
        x, y = (place - corner for place, corner in zip(_middle(other), (left, top), strict=True))
        if 0 <= x < SCREEN and 0 <= y < SCREEN:
            continue
        size = 6 if other.whistle // 4 % 2 else 3
        place = [min(max(part, 1), SCREEN - 1 - size) for part in (x, y)]
        seen.show(block(size + 2, size + 2, 0), place[0] - 1, place[1] - 1)
        seen.show(block(size, size, SLOT_COLOURS[other.slot]), place[0], place[1])


def _place(body: Hunter | Beast) -> tuple[int, int]:
    """Return the pixel of the top-left corner; a body glides from its last tile to the next."""
    behind = body.moving * TILE // MOVE_TICKS
    return body.x * TILE - body.dx * behind, body.y * TILE - body.dy * behind


def _middle(hunter: Hunter) -> tuple[int, int]:
    x, y = _place(hunter)
    return x + TILE // 2, y + TILE // 2


@lru_cache(maxsize=16)
def _ground(map_seed: int) -> Image:
    pixels = np.full((MAP, MAP), GRASS, np.uint8)
    pattern = np.random.default_rng(map_seed)
    for name, amount in (("tuft", 260), ("flower", 24)):
        for x, y in pattern.integers(2, MAP - 5, (amount, 2)):
            draw_sprite(pixels, IMAGES[name].pixels, int(x), int(y))
    return Image(pixels, "ground")
