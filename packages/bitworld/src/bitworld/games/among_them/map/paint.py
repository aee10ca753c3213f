"""Paint the floor picture of a map: night outside, walls, floors, furniture, stations, vents."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitworld.canvas import draw_rectangle, fill
from bitworld.games.among_them.map.furniture import PAINTERS
from bitworld.games.among_them.map.plan import room_shape
from bitworld.picture import Picture

__all__ = ["paint", "paint_masks"]

BLACK, GRAY, WHITE, RED, PINK, STONE, BROWN, ORANGE, YELLOW, PLUM, GREEN, LIME, NAVY, MAUVE, SKY, SAND = range(16)

FACE = 9
"""height of the front of a wall, seen above the floor on its south side"""
RIM = 5
"""thickness of the walls as seen from above"""

Coordinates = NDArray[np.int64]


def paint(plan: dict[str, Any], wall: NDArray[np.uint8]) -> Picture:
    """Paint a plan."""
    picture = _night(plan["width"], plan["height"])
    inside = np.zeros(picture.shape, np.bool_)
    for area in (*plan["corridors"], *plan["rooms"]):
        rows = slice(area["y"], area["y"] + area["h"])
        columns = slice(area["x"], area["x"] + area["w"])
        shape = room_shape(area)
        inside[rows, columns] |= shape
        y, x = np.mgrid[rows, columns]
        tone = FLOORS[area.get("floor", "corridor")](x, y)
        picture[rows, columns][shape] = tone[shape]
    _walls(picture, inside)
    _button(picture, plan["button"])
    for task in plan["tasks"]:
        _station(picture, task["x"], task["y"], inside)
    for vent in plan["vents"]:
        _vent(picture, vent["x"], vent["y"])
    for item in sorted(plan["furniture"], key=lambda item: item["y"]):
        PAINTERS[item["kind"]](picture, item["x"], item["y"], item["w"], item["h"])
    return picture


def paint_masks(document: dict[str, Any], walk: NDArray[np.uint8], wall: NDArray[np.uint8]) -> Picture:
    """Paint a map of which only the masks are known."""
    picture = np.where(wall != 0, NAVY, np.where(walk != 0, GRAY, MAUVE)).astype(np.uint8)
    _button(picture, document["button"])
    for vent in document["vents"]:
        _vent(picture, vent["x"], vent["y"])
    return picture


def _noise(x: Coordinates, y: Coordinates) -> Coordinates:
    """Return a fixed number from 0 to 1023 for each point, without visible order."""
    mixed = (x * 374761393 + y * 668265263) & 0xFFFFFFFF
    mixed = ((mixed ^ (mixed >> 13)) * 1274126177) & 0xFFFFFFFF
    return (mixed ^ (mixed >> 16)) & 1023


def _wave(at: Coordinates, period: int) -> Coordinates:
    """Return a triangle wave from -100 to 100. Integers: the picture is the same on every machine."""
    return np.abs(at % period * 400 // period - 200) - 100


def _night(width: int, height: int) -> Picture:
    y, x = np.mgrid[:height, :width]
    noise = _noise(x, y)
    # Snow drifts: sparse points, since shadows on the floor are plain navy.
    drift = _wave(x + _wave(y, 190), 300) + _wave(y - x // 4, 160) > 110
    picture = np.where(drift & (x % 3 == 0) & ((y + x // 3 % 2 * 2) % 4 == 0), NAVY, BLACK)
    picture[noise < 3] = MAUVE
    picture[noise == 3] = WHITE
    return picture.astype(np.uint8)


def _walls(picture: Picture, inside: NDArray[np.bool_]) -> None:
    """Paint the walls around the floor: a rim seen from above, and a front where a wall stands north of the floor."""
    height = len(inside)
    face = np.zeros_like(inside)
    for shift in range(1, FACE + 1):
        face[: height - shift] |= inside[shift:]
    face &= ~inside
    body = inside | face
    near = body.copy()
    for shift in range(1, RIM + 1):
        near[:, shift:] |= body[:, :-shift]
        near[:, :-shift] |= body[:, shift:]
    rim = near.copy()
    for shift in range(1, RIM + 1):
        rim[shift:] |= near[:-shift]
        rim[:-shift] |= near[shift:]
    rim &= ~body
    picture[rim] = STONE
    edge = np.zeros_like(rim)
    outside = ~(rim | body)
    edge[1:] |= outside[:-1]
    edge[:-1] |= outside[1:]
    edge[:, 1:] |= outside[:, :-1]
    edge[:, :-1] |= outside[:, 1:]
    picture[edge & rim] = MAUVE
    # The front: a light cap, panels with seams, a dark foot.
    rows, columns = np.nonzero(face)
    picture[rows, columns] = np.where(columns % 16 == 0, NAVY, MAUVE)
    cap = face & ~np.roll(face, 1, axis=0)
    picture[cap] = GRAY
    foot = face & np.roll(inside, -1, axis=0)
    picture[foot] = NAVY
    # A dark line between rim and floor on the other sides.
    beside = np.zeros_like(rim)
    beside[1:] |= inside[:-1]
    beside[:, 1:] |= inside[:, :-1]
    beside[:, :-1] |= inside[:, 1:]
    picture[beside & rim] = BLACK


def _button(picture: Picture, place: dict[str, int]) -> None:
    # A player stands in the rectangle with its point; its sprite reaches further right and down.
    x, y = place["x"] + 4, place["y"] + 3
    fill(picture, x, y, place["w"], place["h"], MAUVE)
    draw_rectangle(picture, x, y, place["w"], place["h"], NAVY)
    for corner_x in (x + 1, x + place["w"] - 3):
        for corner_y in (y + 1, y + place["h"] - 3):
            fill(picture, corner_x, corner_y, 2, 2, YELLOW)
    middle_x, middle_y = x + place["w"] // 2, y + place["h"] // 2
    fill(picture, middle_x - 6, middle_y - 4, 12, 10, STONE)
    fill(picture, middle_x - 5, middle_y - 5, 10, 12, STONE)
    fill(picture, middle_x - 4, middle_y - 3, 8, 7, PLUM)
    fill(picture, middle_x - 3, middle_y - 4, 6, 7, RED)
    fill(picture, middle_x - 4, middle_y - 3, 8, 5, RED)
    fill(picture, middle_x - 2, middle_y - 3, 3, 1, PINK)


def _station(picture: Picture, x: int, y: int, inside: NDArray[np.bool_]) -> None:
    """Paint the floor plate of a station, below the feet of a player who stands in the middle of it."""
    plate = picture[y + 4 : y + 16, x + 4 : x + 18]
    on_floor = inside[y + 4 : y + 16, x + 4 : x + 18]
    rows, columns = np.mgrid[: plate.shape[0], : plate.shape[1]]
    border = (rows == 0) | (rows == plate.shape[0] - 1) | (columns == 0) | (columns == plate.shape[1] - 1)
    corner = ((rows < 3) | (rows > plate.shape[0] - 4)) & ((columns < 3) | (columns > plate.shape[1] - 4))
    plate[border & corner & on_floor] = YELLOW


def _vent(picture: Picture, x: int, y: int) -> None:
    fill(picture, x, y, 12, 10, NAVY)
    draw_rectangle(picture, x, y, 12, 10, STONE)
    for row in range(2, 8, 2):
        fill(picture, x + 2, y + row, 8, 1, MAUVE)


def _tiles(x: Coordinates, y: Coordinates) -> Coordinates:
    tone = np.where((x % 14 == 0) | (y % 14 == 0), MAUVE, GRAY)
    return np.where(_noise(x, y) < 6, WHITE, tone)


def _moss(x: Coordinates, y: Coordinates) -> Coordinates:
    tone = np.where((x + y) % 4 == 0, MAUVE, GRAY)
    tone = np.where(_noise(x // 2, y // 2) < 90, GREEN, tone)
    return np.where(_noise(x, y) < 10, LIME, tone)


def _carpet(x: Coordinates, y: Coordinates) -> Coordinates:
    diamond = (np.abs(x % 16 - 8) + np.abs(y % 16 - 8)) == 5
    return np.where(diamond, ORANGE, PLUM)


def _grid(x: Coordinates, y: Coordinates) -> Coordinates:
    tone = np.where((x % 10 == 0) | (y % 10 == 0), NAVY, MAUVE)
    return np.where((x % 10 == 5) & (y % 10 == 5), GRAY, tone)


def _concrete(x: Coordinates, y: Coordinates) -> Coordinates:
    noise = _noise(x, y)
    tone = np.where(noise < 16, STONE, np.where(noise < 36, GRAY, MAUVE))
    return np.where((x % 48 == 0) | (y % 48 == 0), STONE, tone)


def _ice(x: Coordinates, y: Coordinates) -> Coordinates:
    tone = np.where((x + 2 * y) % 23 < 2, WHITE, GRAY)
    return np.where(_noise(x // 3, y // 2) < 40, SKY, tone)


def _plates(x: Coordinates, y: Coordinates) -> Coordinates:
    tone = np.where((x % 20 == 0) | (y % 16 == 0), NAVY, MAUVE)
    return np.where((x % 20 % 16 == 2) & (y % 16 % 12 == 2), GRAY, tone)


def _wood(x: Coordinates, y: Coordinates) -> Coordinates:
    plank = y // 6
    seam = (y % 6 == 0) | ((x + plank * 17) % 40 == 0)
    return np.where(seam, STONE, np.where(_noise(x // 5, y) < 50, SAND, BROWN))


def _checks(x: Coordinates, y: Coordinates) -> Coordinates:
    return np.where((x // 8 + y // 8) % 2 == 0, WHITE, GRAY)


def _corridor(x: Coordinates, y: Coordinates) -> Coordinates:
    return np.where((x % 6 == 0) & (y % 6 == 0), STONE, MAUVE)


FLOORS: dict[str, Callable[[Coordinates, Coordinates], Coordinates]] = {
    "tiles": _tiles,
    "moss": _moss,
    "carpet": _carpet,
    "grid": _grid,
    "concrete": _concrete,
    "ice": _ice,
    "plates": _plates,
    "wood": _wood,
    "checks": _checks,
    "corridor": _corridor,
}
