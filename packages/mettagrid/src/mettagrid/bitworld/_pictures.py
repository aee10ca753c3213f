"""The pictures that a player receives: two pixels in a byte, the left one in the low half."""

import numpy as np

SCREEN_WIDTH = 128
SCREEN_HEIGHT = 128
FRAME_PIXELS = SCREEN_WIDTH * SCREEN_HEIGHT
PACKED_FRAME_BYTES = FRAME_PIXELS // 2
PROTOCOL_BYTES = PACKED_FRAME_BYTES
PACKED_FRAME_SHAPE = (PACKED_FRAME_BYTES,)
UNPACKED_FRAME_SHAPE = (1, SCREEN_HEIGHT, SCREEN_WIDTH)

PICO8_PALETTE_HEX = (
    "#000000", "#1d2b53", "#7e2553", "#008751", "#ab5236", "#5f574f", "#c2c3c7", "#fff1e8",
    "#ff004d", "#ffa300", "#ffec27", "#00e436", "#29adff", "#83769c", "#ff77a8", "#ffccaa",
)  # fmt: skip
"""the colours in Pico-8 order; pixels of a picture index another order of them, `bitworld.picture.PALETTE`"""


def pack_frame_pixels(pixels: bytes | bytearray | memoryview) -> bytes:
    """Return the form on the wire of one byte per pixel, row by row."""
    if len(pixels) != FRAME_PIXELS:
        raise ValueError(f"expected {FRAME_PIXELS} unpacked pixels, received {len(pixels)}")
    indices = np.frombuffer(pixels, np.uint8)
    if indices.max() > 15:
        raise ValueError("BitWorld frame pixels must be 4-bit palette indices")
    return (indices[0::2] | indices[1::2] << 4).tobytes()


def unpack_frame_pixels(packet: bytes | bytearray | memoryview) -> bytes:
    """Return one byte per pixel, row by row."""
    if len(packet) != PACKED_FRAME_BYTES:
        raise ValueError(f"BitWorld frames must be {PACKED_FRAME_BYTES} packed bytes, received {len(packet)}")
    pairs = np.frombuffer(packet, np.uint8)
    return np.stack([pairs & 15, pairs >> 4], axis=1).tobytes()
