"""The field as a view, for scenes: settled cells in square chunks, pieces one by one."""

from functools import lru_cache

import numpy as np

from bitworld._native import BLOCK_COLOURS, BLOCK_EDGES, BLOCK_SHAPES, BlocksWorld
from bitworld.canvas import CLEAR
from bitworld.games.infinite_blocks.player import players_of
from bitworld.games.shared.image import Image, block, text_image
from bitworld.games.shared.view import View
from bitworld.picture import SLOT_COLOURS

__all__ = ["view"]

CELL = 4
CHUNK = 25
"""cells on each side of a chunk"""
WHITE = 2


def view(world: BlocksWorld, width: int, height: int, player: int | None) -> View:
    players = players_of(world)
    seen = View(CELL * width, CELL * (height + 1), (CELL * width // 2, CELL * height))
    if player is not None:
        own = players[player]
        seen.focus = CELL * (own.x + 2), CELL * (own.y + 10)
        seen.write(str(own.score), 2, 1, 8)
    _add_settled(seen, world, width, height)
    seen.add(block(CELL * width, CELL, 6), 0, CELL * height, -1)
    for number, other in enumerate(players):
        if not other.pause:
            colour = SLOT_COLOURS[other.slot]
            edge = WHITE if number == player else colour
            seen.add(_piece(other.kind, other.rotation, edge), CELL * other.x, CELL * other.y, 1)
            if number != player:
                seen.add(text_image(str(other.slot), colour), CELL * other.x, CELL * other.y - 10, 2)
    return seen


def _add_settled(seen: View, world: BlocksWorld, width: int, height: int) -> None:
    first = world.highest_row() // CHUNK * CHUNK
    for top in range(first, height, CHUNK):
        for left in range(0, width, CHUNK):
            columns, rows = min(CHUNK, width - left), min(CHUNK, height - top)
            cells = world.area(left, top, columns, rows)
            if any(cells):
                seen.add(_chunk(cells, columns), CELL * left, CELL * top)


@lru_cache(maxsize=4096)
def _chunk(cells: bytes, columns: int) -> Image:
    values = np.frombuffer(cells, np.uint8).reshape(-1, columns)
    colours = np.array([CLEAR, *BLOCK_COLOURS], np.uint8)[values]
    edges = np.array([CLEAR, *BLOCK_EDGES], np.uint8)[values]
    return Image(_bevelled(colours, edges), "blocks")


@lru_cache(maxsize=512)
def _piece(kind: int, rotation: int, edge: int) -> Image:
    colours, edges = np.full((2, 4, 4), CLEAR, np.uint8)
    for x, y in BLOCK_SHAPES[kind][rotation]:
        colours[y, x], edges[y, x] = BLOCK_COLOURS[kind], edge
    return Image(_bevelled(colours, edges), "piece")


def _bevelled(colours: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Return cells of 4 x 4 pixels with darker edges below and to the right and a light corner."""
    pixels = colours.repeat(CELL, 0).repeat(CELL, 1)
    border = edges.repeat(CELL, 0).repeat(CELL, 1)
    pixels[CELL - 1 :: CELL] = border[CELL - 1 :: CELL]
    pixels[:, CELL - 1 :: CELL] = border[:, CELL - 1 :: CELL]
    pixels[::CELL, ::CELL][colours != CLEAR] = WHITE
    return pixels
