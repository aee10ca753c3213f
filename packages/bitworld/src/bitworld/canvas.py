"""Draw on a picture: text, sprites, rectangles. Everything outside the picture is clipped.

Native games draw with the same font and sprites, so their screens and those of games in Python look alike.
"""

from collections.abc import Mapping

import numpy as np

from bitworld.art import CLEAR, FONT_HEIGHT, Sprite, font, read_sprites
from bitworld.picture import Picture

__all__ = [
    "CLEAR",
    "FONT_HEIGHT",
    "Sprite",
    "draw_rectangle",
    "draw_sprite",
    "draw_text",
    "draw_text_centred",
    "fill",
    "read_sprites",
    "text_width",
]


def fill(picture: Picture, x: int, y: int, width: int, height: int, colour: int) -> None:
    """Fill a rectangle."""
    picture[max(y, 0) : max(y + height, 0), max(x, 0) : max(x + width, 0)] = colour


def draw_rectangle(picture: Picture, x: int, y: int, width: int, height: int, colour: int) -> None:
    """Draw the outline of a rectangle, one pixel wide, inside its edges."""
    fill(picture, x, y, width, 1, colour)
    fill(picture, x, y + height - 1, width, 1, colour)
    fill(picture, x, y, 1, height, colour)
    fill(picture, x + width - 1, y, 1, height, colour)


def draw_sprite(
    picture: Picture, sprite: Sprite, x: int, y: int, *, flip: bool = False, colours: Mapping[int, int] | None = None
) -> None:
    """Draw a sprite with its top-left corner at (x, y), mirrored if `flip`, with some colours replaced."""
    if flip:
        sprite = sprite[:, ::-1]
    top, left = max(-y, 0), max(-x, 0)
    visible = sprite[top : max(picture.shape[0] - y, 0), left : max(picture.shape[1] - x, 0)]
    if not visible.size:
        return
    area = picture[y + top : y + top + visible.shape[0], x + left : x + left + visible.shape[1]]
    pixels = visible
    if colours:
        table = np.arange(256, dtype=np.uint8)
        table[list(colours)] = list(colours.values())
        pixels = table[visible]
    np.copyto(area, pixels, where=visible != CLEAR)


def text_width(text: str) -> int:
    """Return the width of a line of text in pixels, without the gap after the last character."""
    return max(sum(_glyph(character).shape[1] + 1 for character in text) - 1, 0)


def draw_text(picture: Picture, x: int, y: int, text: str, colour: int) -> int:
    """Draw a line of text with its top-left corner at (x, y); return the x where more text continues.

    Characters that are not printable ASCII appear as `?`.
    """
    for character in text:
        glyph = _glyph(character)
        draw_sprite(picture, np.where(glyph, np.uint8(colour), np.uint8(CLEAR)), x, y)
        x += glyph.shape[1] + 1
    return x


def draw_text_centred(picture: Picture, y: int, text: str, colour: int) -> None:
    """Draw a line of text in the middle of the picture's width."""
    draw_text(picture, (picture.shape[1] - text_width(text)) // 2, y, text, colour)


def _glyph(character: str) -> np.ndarray:
    glyphs = font()
    return glyphs.get(character, glyphs["?"])
