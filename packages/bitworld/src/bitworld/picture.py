"""The picture that a player sees: 128 x 128 pixels of 16 colours, and its form on the wire."""

import numpy as np
from numpy.typing import NDArray

from bitworld._native import SHADOW, SLOT_COLOURS, pack_picture

__all__ = ["PACKED_BYTES", "PALETTE", "SHADOW", "SIDE", "SLOT_COLOURS", "Picture", "blank", "pack", "unpack"]

# SLOT_COLOURS has the colour of each player by slot, SHADOW the darker colour of each colour.

SIDE = 128
"""width and height of a picture, in pixels"""

PACKED_BYTES = SIDE * SIDE // 2

Picture = NDArray[np.uint8]
"""[SIDE, SIDE], row by row; each value is an index of `PALETTE`"""

PALETTE = tuple(
    "#000000 #c2c3c7 #fff1e8 #ff004d #ff77a8 #5f574f #ab5236 #ffa300 "
    "#ffec27 #7e2553 #008751 #00e436 #1d2b53 #83769c #29adff #ffccaa".split()
)
"""the 16 colours; their order differs from the order of the published constant `PICO8_PALETTE_HEX`"""


def blank() -> Picture:
    return np.zeros((SIDE, SIDE), np.uint8)


def pack(picture: Picture) -> bytes:
    """Return the form on the wire: two pixels in a byte, the left one in the low half."""
    return pack_picture(np.ascontiguousarray(picture, np.uint8))


def unpack(packed: bytes) -> Picture:
    """Return the picture of `PACKED_BYTES` bytes."""
    if len(packed) != PACKED_BYTES:
        raise ValueError(f"a packed picture has {PACKED_BYTES} bytes, not {len(packed)}")
    both = np.frombuffer(packed, np.uint8)
    return np.stack([both & 15, both >> 4], axis=1).reshape(SIDE, SIDE)
