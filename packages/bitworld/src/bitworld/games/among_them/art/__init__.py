"""The sprites of Among Them and the picture behind its screens with text."""

from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from bitworld.art import Sprite, font, read_sprites
from bitworld.picture import SIDE, Picture

__all__ = ["TINTED", "TINTED_DARK", "backdrop", "glyphs", "sprites"]

TINTED, TINTED_DARK = 3, 9
"""colours of a sprite that are replaced by the colour of the player and by its shadow"""

NAVY, MAUVE = 12, 13


@cache
def sprites() -> dict[str, Sprite]:
    return read_sprites(files(__name__).joinpath("sprites.txt").read_text(encoding="ascii"))


def glyphs() -> list[NDArray[np.uint8]]:
    """Return the shapes of the printable ASCII characters in their order, as the native artist takes them."""
    return [np.ascontiguousarray(font()[chr(code)], np.uint8) for code in range(0x20, 0x7F)]


@cache
def backdrop() -> Picture:
    """Return a night sky over mountains. It is dark where text stands."""
    y, x = np.mgrid[:SIDE, :SIDE]
    peaks = [(-8, 108), (12, 116), (26, 104), (44, 119), (60, 112), (76, 121), (98, 102), (112, 114), (136, 98)]
    ridge = np.interp(x[0], [peak[0] for peak in peaks], [peak[1] for peak in peaks])
    picture = np.where(y > ridge, NAVY, 0)
    # Stars, denser toward the corners.
    mixed = (x * 374761393 + y * 668265263) & 0xFFFFFFFF
    noise = (((mixed ^ mixed >> 13) * 1274126177 & 0xFFFFFFFF) >> 12) % 1009
    to_middle = np.sqrt((x - 63.5) ** 2 + (y - 63.5) ** 2)
    is_star = (noise < np.clip(to_middle - 58, 0, 30)) & (y < ridge - 3)
    picture[is_star] = np.where(noise[is_star] % 5 == 0, MAUVE, NAVY)
    result = picture.astype(np.uint8)
    result.setflags(write=False)
    return result
