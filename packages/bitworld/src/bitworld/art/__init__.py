"""Sprites and the font as text files, one character per pixel, so that a diff shows what changed."""

from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

__all__ = ["CLEAR", "FONT_HEIGHT", "FONT_SPACE", "Sprite", "font", "read_sprites"]

CLEAR = 255
"""the value of a transparent pixel of a sprite"""

FONT_HEIGHT = 7
FONT_SPACE = 3
"""width of the space character, in pixels"""

Sprite = NDArray[np.uint8]
"""[height, width]; palette indexes and `CLEAR`"""


def read_sprites(text: str) -> dict[str, Sprite]:
    """Read sprites from text. `= name` begins one; its rows follow: a hexadecimal digit per pixel, `.` for clear.

    A blank line ends a sprite. Lines outside sprites are comments.
    """
    sprites: dict[str, Sprite] = {}
    for name, rows in _sections(text):
        if not rows or len({len(row) for row in rows}) != 1:
            raise ValueError(f"the rows of sprite {name!r} have different lengths")
        sprites[name] = np.array(
            [[CLEAR if pixel == "." else int(pixel, 16) for pixel in row] for row in rows], np.uint8
        )
    return sprites


@cache
def font() -> dict[str, NDArray[np.bool_]]:
    """Return the shape of each printable ASCII character, [FONT_HEIGHT, its width], true where there is ink."""
    glyphs = {" ": np.zeros((FONT_HEIGHT, FONT_SPACE), np.bool_)}
    for characters, rows in _sections(files(__name__).joinpath("font.txt").read_text(encoding="ascii")):
        columns = [row.split(" ") for row in rows]
        for place, character in enumerate(characters):
            shape = [[pixel == "#" for pixel in row[place]] for row in columns]
            glyphs[character] = np.array(shape, np.bool_).reshape(FONT_HEIGHT, -1)
    return glyphs


def _sections(text: str) -> list[tuple[str, list[str]]]:
    sections: list[tuple[str, list[str]]] = []
    is_open = False
    for line in text.splitlines():
        if line.startswith("= "):
            sections.append((line[2:].strip(), []))
            is_open = True
        elif not line.strip():
            is_open = False
        elif is_open:
            sections[-1][1].append(line.strip())
    return sections
