"""The colours of pixels: built in, or from the palette image of a published installation."""

import os
import struct
import zlib
from pathlib import Path

COLOURS = (
    "000000 c2c3c7 fff1e8 ff004d ff77a8 5f574f ab5236 ffa300 ffec27 7e2553 008751 00e436 1d2b53 83769c 29adff ffccaa"
)
"""in the order in which servers use them, which is not the one of `PICO8_PALETTE_HEX`"""
_IMAGE = "pallete.png"  # the published spelling
_DATA_DIR = "BITWORLD_CLIENT_DATA_DIR"
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}


def palette_candidates(client_data_dir: Path | None = None) -> list[Path]:
    """Return the files that may hold the palette of a published installation, the preferred one first."""
    folders = [client_data_dir, os.environ.get(_DATA_DIR), "/opt/bitworld/clients/data"]
    return [Path(folder) / _IMAGE for folder in folders if folder]


def load_palette_lookup(client_data_dir: Path | None = None) -> dict[tuple[int, ...], int]:
    """Return {(red, green, blue, alpha): index} of an installed palette image, else of the built-in colours."""
    for path in palette_candidates(client_data_dir):
        if path.exists():
            width, _, pixels = png_rgba_pixels(path)
            return {tuple(pixels[4 * index : 4 * index + 4]): index for index in range(min(16, width))}
    return {(*bytes.fromhex(colour), 255): index for index, colour in enumerate(COLOURS.split())}


def png_rgba_pixels(path: Path) -> tuple[int, int, bytes]:
    """Return width, height and RGBA bytes of a PNG image with 8 bits per channel. Raises `ValueError` for others."""
    data = Path(path).read_bytes()
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError(f"{path} is not a PNG image")
    chunks: dict[bytes, bytes] = {}
    at = 8
    while at + 8 <= len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        chunks[kind] = chunks.get(kind, b"") + data[at + 8 : at + 8 + size]
        at += 12 + size
    width, height, depth, colour, *_, interlaced = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    if depth != 8 or interlaced or colour not in _CHANNELS:
        raise ValueError(f"{path} must be a PNG image with 8 bits per channel that is not interlaced")
    channels = _CHANNELS[colour]
    rows = _rows(zlib.decompress(chunks[b"IDAT"]), width * channels, height, channels)
    out = bytearray()
    palette, alphas = chunks.get(b"PLTE", b""), chunks.get(b"tRNS", b"")
    for row in rows:
        for x in range(0, len(row), channels):
            pixel = row[x : x + channels]
            if colour == 3:
                alpha = alphas[pixel[0]] if pixel[0] < len(alphas) else 255
                out += palette[3 * pixel[0] : 3 * pixel[0] + 3] + bytes((alpha,))
            elif colour in (0, 4):
                out += bytes(pixel[:1]) * 3 + (bytes(pixel[1:]) or b"\xff")
            else:
                out += bytes(pixel) if channels == 4 else bytes(pixel) + b"\xff"
    return width, height, bytes(out)


def _rows(data: bytes, stride: int, height: int, channels: int) -> list[bytearray]:
    """Return the lines of an image without their filters."""
    rows: list[bytearray] = []
    above = bytearray(stride)
    for y in range(height):
        start = y * (stride + 1)
        kind, row = data[start], bytearray(data[start + 1 : start + 1 + stride])
        for x in range(stride):
            left = row[x - channels] if x >= channels else 0
            corner = above[x - channels] if x >= channels else 0
            guess = (0, left, above[x], (left + above[x]) // 2, _paeth(left, above[x], corner))[kind]
            row[x] = (row[x] + guess) & 0xFF
        rows.append(row)
        above = row
    return rows


def _paeth(left: int, above: int, corner: int) -> int:
    guess = left + above - corner
    return min((left, above, corner), key=lambda value: abs(guess - value))
