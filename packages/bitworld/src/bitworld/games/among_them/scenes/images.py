"""The images of scenes. Each is made once and kept, so that a viewer receives it once."""

from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from bitworld.art import CLEAR
from bitworld.art import Sprite as Shape
from bitworld.canvas import draw_sprite, draw_text, fill, text_width
from bitworld.games.among_them.art import TINTED, TINTED_DARK, sprites
from bitworld.games.among_them.map import GameMap
from bitworld.games.among_them.scenes.ids import SpriteId
from bitworld.games.among_them.slots import COLOURS
from bitworld.picture import PALETTE, SHADOW, SLOT_COLOURS, Picture
from bitworld.scene import Sprite

__all__ = [
    "bar",
    "figures",
    "map_image",
    "picture_image",
    "player_images",
    "shadow_image",
    "spectator_images",
    "text_image",
]

BLACK, GRAY, WHITE, RED, STONE, YELLOW, GREEN = 0, 1, 2, 3, 5, 8, 10

_NAMES = {index: name for name, index in COLOURS.items()}

_RGBA = np.zeros((256, 4), np.uint8)
_RGBA[:16, :3] = [[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in PALETTE]
_RGBA[:16, 3] = 255


def picture_image(picture: NDArray[np.uint8], label: str) -> Sprite:
    height, width = picture.shape
    return Sprite(width, height, _RGBA[picture].tobytes(), label)


@cache
def figures() -> dict[int, Sprite]:
    """Return players, ghosts and bodies in all colours."""
    images = {}
    for place, colour in enumerate(SLOT_COLOURS):
        name = _NAMES[colour]
        for side, direction in enumerate(("right", "left")):
            for base, kind, line in (
                (SpriteId.PLAYER, "player", None),
                (SpriteId.GHOST, "ghost", None),
                (SpriteId.SELECTED_PLAYER, "selected player", YELLOW),
                (SpriteId.SELECTED_GHOST, "selected ghost", YELLOW),
            ):
                shape = sprites()["ghost" if "ghost" in kind else "crew"]
                figure = _figure(shape, colour, is_mirrored=side == 1, line=line)
                images[base + 2 * place + side] = picture_image(figure, f"{kind} {name} {direction}")
        images[SpriteId.BODY + place] = picture_image(_figure(sprites()["body"], colour), f"body {name}")
    return images


def _figure(shape: Shape, colour: int, *, is_mirrored: bool = False, line: int | None = None) -> Picture:
    """Draw a figure in a colour, with a line around it."""
    figure = np.full((shape.shape[0] + 2, shape.shape[1] + 2), CLEAR, np.uint8)
    draw_sprite(figure, shape, 1, 1, flip=is_mirrored, colours={TINTED: colour, TINTED_DARK: SHADOW[colour]})
    if line is None:
        # A black figure would vanish in a black line.
        line = STONE if colour == BLACK else BLACK
    covered = figure != CLEAR
    near = np.zeros_like(covered)
    near[1:] |= covered[:-1]
    near[:-1] |= covered[1:]
    near[:, 1:] |= covered[:, :-1]
    near[:, :-1] |= covered[:, 1:]
    figure[near & ~covered] = line
    return figure


@lru_cache(maxsize=8)
def map_image(game_map: GameMap) -> Sprite:
    return picture_image(game_map.floor, "map")


@cache
def spectator_images() -> dict[int, Sprite]:
    """Return the images of the map viewer that never change, without the map."""
    trails = {
        SpriteId.TRAIL + place: picture_image(np.full((3, 3), colour, np.uint8), f"trail {_NAMES[colour]}")
        for place, colour in enumerate(SLOT_COLOURS)
    }
    return {**figures(), **trails, SpriteId.TASK: picture_image(sprites()["task"], "task bubble")}


@cache
def player_images() -> dict[int, Sprite]:
    """Return the images of a player's view that never change, without the map."""
    kill = sprites()["kill"]
    shadow = np.array([*SHADOW, *[CLEAR] * 240], np.uint8)
    return {
        **{number: image for number, image in figures().items() if number < SpriteId.SELECTED_PLAYER},
        SpriteId.TASK: picture_image(sprites()["task"], "task bubble"),
        SpriteId.IMPOSTER_ICON: picture_image(kill, "imposter icon"),
        SpriteId.IMPOSTER_ICON_COOLDOWN: picture_image(shadow[kill], "imposter icon cooldown"),
        SpriteId.GHOST_ICON: picture_image(sprites()["ghost_icon"], "ghost icon"),
        SpriteId.ARROW: picture_image(np.full((1, 1), YELLOW, np.uint8), "task arrow"),
    }


@lru_cache(maxsize=512)
def text_image(text: str, label: str | None = None, *, is_outlined: bool = False, is_struck: bool = False) -> Sprite:
    """Return a line of text; its label is the text unless another is given. An outline adds a column on the left."""
    left = int(is_outlined)
    picture = np.full((7, max(text_width(text), 1) + left), CLEAR, np.uint8)
    if is_outlined:
        for x, y in ((-1, 0), (-1, 1), (0, 1)):
            draw_text(picture, left + x, y, text, BLACK)
    draw_text(picture, left, 0, text, WHITE)
    if is_struck:
        fill(picture, left, 3, text_width(text), 1, RED)
    return picture_image(picture, text if label is None else label)


@lru_cache(maxsize=256)
def bar(width: int, height: int, filled: int, colours: tuple[int, int], label: str = "") -> Sprite:
    picture = np.full((height, width), colours[1], np.uint8)
    fill(picture, 0, 0, filled, height, colours[0])
    return picture_image(picture, label)


def shadow_image(game_map: GameMap, camera: tuple[int, int], lit: NDArray[np.bool_] | None) -> Sprite:
    """Return what covers the map where a player does not see it. Ghosts (`lit` is None) see everything."""
    if lit is None:
        return _no_shadow()
    key = (camera, lit.tobytes())
    if key not in _shadows:
        if len(_shadows) >= 64:
            _shadows.clear()
        _shadows[key] = _shadow(game_map, camera, lit)
    return _shadows[key]


_shadows: dict[tuple[tuple[int, int], bytes], Sprite] = {}


@cache
def _no_shadow() -> Sprite:
    return picture_image(np.full((128, 128), CLEAR, np.uint8), "shadow")


def _shadow(game_map: GameMap, camera: tuple[int, int], lit: NDArray[np.bool_]) -> Sprite:
    rows = np.arange(camera[1], camera[1] + lit.shape[0])
    columns = np.arange(camera[0], camera[0] + lit.shape[1])
    inside = ((rows >= 0) & (rows < game_map.height))[:, None] & (columns >= 0) & (columns < game_map.width)
    area = np.ix_(rows.clip(0, game_map.height - 1), columns.clip(0, game_map.width - 1))
    is_dark = inside & ~lit & (game_map.wall[area] == 0)
    tones = np.array(SHADOW, np.uint8)[game_map.floor[area]]
    return picture_image(np.where(is_dark, tones, np.uint8(CLEAR)), "shadow")
