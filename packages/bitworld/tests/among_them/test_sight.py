"""What a player sees equals the published rule for every pixel: a line per pixel, as the specification has it."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from bitworld.games.among_them.artist import artist_of
from bitworld.games.among_them.map import GameMap, load_map

ORIGIN_X, ORIGIN_Y, SIDE = 60, 66, 128
"""the player's point in the window, and the window's size"""


def lit_by_lines(wall: NDArray[np.uint8], x: int, y: int) -> NDArray[np.bool_]:
    """Walk the line to every pixel of the window, one step of all lines at a time."""
    padded = np.pad(wall, SIDE, constant_values=1)
    dy, dx = np.mgrid[-ORIGIN_Y : SIDE - ORIGIN_Y, -ORIGIN_X : SIDE - ORIGIN_X]
    steps = np.maximum(np.maximum(abs(dx), abs(dy)), 1)
    lit = np.ones((SIDE, SIDE), np.bool_)
    for step in range(1, SIDE):
        along_x = np.sign(dx) * (abs(dx) * step // steps)
        along_y = np.sign(dy) * (abs(dy) * step // steps)
        is_on_line = step < steps
        hit = padded[np.where(is_on_line, y + along_y, 0) + SIDE, np.where(is_on_line, x + along_x, 0) + SIDE] != 0
        lit &= ~(is_on_line & hit)
    return lit


def points(game_map: GameMap, count: int, seed: int) -> list[tuple[int, int]]:
    rng = np.random.default_rng(seed)
    rows, columns = np.nonzero(game_map.walk)
    chosen = rng.choice(len(rows), count, replace=False)
    anywhere = np.stack([rng.integers(0, game_map.width, 8), rng.integers(0, game_map.height, 8)], axis=1)
    corners = [(0, 0), (game_map.width - 1, 0), (0, game_map.height - 1), (game_map.width - 1, game_map.height - 1)]
    walkable = [(int(columns[i]), int(rows[i])) for i in chosen]
    return [*walkable, *((int(x), int(y)) for x, y in anywhere), *corners]


def assert_sight(game_map: GameMap, places: list[tuple[int, int]]) -> None:
    artist = artist_of(game_map)
    for x, y in places:
        different = artist.lit(x, y) != lit_by_lines(game_map.wall, x, y)
        assert not different.any(), f"at ({x}, {y}): {np.argwhere(different)[:5]} (row, column)"


def test_sight_on_our_map_equals_the_rule_of_lines() -> None:
    own = load_map()
    assert_sight(own, [own.home, *points(own, 24, 1)])


def test_sight_on_the_recorded_map_equals_the_rule_of_lines(oracle_dir: Path) -> None:
    recorded = load_map(str(oracle_dir / "bitworld" / "map" / "map.json"))
    assert_sight(recorded, [recorded.home, *points(recorded, 24, 2)])


@pytest.mark.parametrize("density", [0.001, 0.02, 0.3])
def test_sight_among_scattered_walls_equals_the_rule_of_lines(density: float) -> None:
    """Single pixels split the view into very many parts."""
    own = load_map()
    wall = (np.random.default_rng(4).random((160, 170)) < density).astype(np.uint8)
    walk = (1 - wall).astype(np.uint8)
    scattered = GameMap("scattered", walk, wall, wall, own.button, (80, 80), (), (), ())
    assert_sight(scattered, points(scattered, 8, 5))
