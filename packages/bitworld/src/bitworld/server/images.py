"""Sprites of pictures, for clients of the sprite protocol."""

import numpy as np
from numpy.typing import NDArray

from bitworld.picture import PALETTE, SIDE, Picture
from bitworld.scene import Layer, LayerType, Object, Scene, Sprite

__all__ = ["CLEAR", "scene_of", "sprite_of"]

CLEAR = 255
"""a transparent pixel"""

_COLOURS = np.zeros((256, 4), np.uint8)
_COLOURS[: len(PALETTE)] = [[*bytes.fromhex(colour[1:]), 255] for colour in PALETTE]


def sprite_of(pixels: NDArray[np.uint8], label: str = "") -> Sprite:
    """Return the sprite of palette indexes."""
    return Sprite(pixels.shape[1], pixels.shape[0], _COLOURS[pixels].tobytes(), label)


def scene_of(picture: Picture, label: str) -> Scene:
    """Return a scene that shows a picture."""
    return Scene({0: Layer(LayerType.MAP, SIDE, SIDE)}, {1: sprite_of(picture, label)}, {1: Object(0, 0, 0, 0, 1)})
