"""How ice brawl looks. The whole arena is on the screen."""

from functools import lru_cache

import numpy as np

from bitworld.canvas import draw_sprite
from bitworld.games.ice_brawl.world import (
    COUNTDOWN_TICKS,
    LAST_SIDE,
    ONE,
    SHRINK_TICKS,
    TILE,
    Body,
    Brawler,
    Stage,
    World,
)
from bitworld.games.shared.image import Image, load_images
from bitworld.games.shared.view import View
from bitworld.picture import SIDE

__all__ = ["view"]

WATER, ICE, RIM, DEPTH, CRACK = 14, 2, 1, 13, 13
WARNING_TICKS = 48
IMAGES = load_images("bitworld.games.ice_brawl")


def view(world: World, player: int | None, rounds: int) -> View:
    seen = View(SIDE, SIDE, (SIDE // 2, SIDE // 2), backdrop=WATER)
    side = world.side
    melts_soon = (
        world.stage is Stage.BRAWL and side > LAST_SIDE and SHRINK_TICKS - world.clock % SHRINK_TICKS <= WARNING_TICKS
    )
    seen.add(_arena(side, melts_soon and world.clock // 4 % 2 == 0), 0, 0, -2)
    for penguin in world.penguins:
        if penguin.is_diving:
            continue
        image = IMAGES["sliding" if penguin.sliding else "penguin"]
        is_left = penguin.vx < 0
        _put(seen, image.flipped if is_left else image, penguin)
    for ball in world.balls:
        _put(seen, IMAGES["ball"], ball, 1)
    for number, brawler in enumerate(world.players):
        _show(seen, brawler, number == player)
    _show_texts(seen, world, player, rounds)
    return seen


def _show(seen: View, brawler: Brawler, is_own: bool) -> None:
    if brawler.falling:
        _put(seen, IMAGES["splash"], brawler, -1)
    if brawler.is_out:
        return
    image = IMAGES["brawler"].for_slot(brawler.slot)
    is_left = 4 < brawler.facing < 12
    _put(seen, image.flipped if is_left else image, brawler)
    if brawler.dash:
        x = brawler.x // ONE + (5 if is_left else -8)
        seen.add(IMAGES["dash"].flipped if is_left else IMAGES["dash"], x, brawler.y // ONE - 3)
    if is_own:
        seen.add(IMAGES["marker"], brawler.x // ONE - 2, brawler.y // ONE - 11, 2)


def _show_texts(seen: View, world: World, player: int | None, rounds: int) -> None:
    seen.write(f"ROUND {min(world.round + 1, rounds)}/{rounds}", 1, 0)
    if player is not None:
        seen.write_right(str(world.players[player].score), SIDE - 1, 0, 8)
        if world.players[player].is_out and world.stage is Stage.BRAWL:
            seen.write_centred("OUT - WAIT FOR NEXT ROUND", SIDE - 10, 8)
    if world.stage is Stage.COUNTDOWN:
        seen.write_centred(str(min(3, 1 + (COUNTDOWN_TICKS - world.clock) // 24)), 58, 3)
    elif world.stage is Stage.PAUSE:
        left = [brawler for brawler in world.players if not brawler.is_out]
        text = "SURVIVED!" if len(left) == 1 else f"{len(left)} SURVIVED" if left else "ALL IN THE WATER"
        seen.write_centred(text, 58, 3)
        for number, brawler in enumerate(left):
            seen.show(IMAGES["brawler"].for_slot(brawler.slot), SIDE // 2 - 5 * len(left) + 10 * number, 48)


def _put(seen: View, image: Image, body: Body, z: int = 0) -> None:
    """Show an image with its middle at a body."""
    seen.add(image, body.x // ONE - image.width // 2, body.y // ONE - image.height // 2, z)


@lru_cache(maxsize=32)
def _arena(side: int, shows_cracks: bool) -> Image:
    pixels = np.full((SIDE, SIDE), WATER, np.uint8)
    pattern = np.random.default_rng(7)
    for x, y in pattern.integers(0, SIDE, (28, 2)):
        draw_sprite(pixels, IMAGES["wave"].pixels, int(x), int(y))
    first, last = SIDE // 2 - side * TILE // 2, SIDE // 2 + side * TILE // 2
    pixels[first : last + 4, first:last] = DEPTH
    pixels[first:last, first:last] = RIM
    pixels[first + 1 : last - 1, first + 1 : last - 1] = ICE
    for x, y in pattern.integers(first + 4, last - 8, (14, 2)):
        pixels[y, x : x + 5] = RIM
        pixels[y + 1, x + 2 : x + 4] = RIM
    if shows_cracks:
        rim = 2 * TILE // 2
        inner = pixels[first + rim : last - rim, first + rim : last - rim].copy()
        pixels[first:last, first:last] = WATER
        pixels[first + rim : last - rim, first + rim : last - rim] = inner
    return Image(pixels, "arena")
