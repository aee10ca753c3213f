"""Paint furniture. Each painter fills a rectangle; the lowest rows are the front, which gives some depth."""

from collections.abc import Callable

from bitworld.canvas import draw_rectangle, fill
from bitworld.picture import Picture

__all__ = ["PAINTERS"]

BLACK, GRAY, WHITE, RED, PINK, STONE, BROWN, ORANGE, YELLOW, PLUM, GREEN, LIME, NAVY, MAUVE, SKY, SAND = range(16)

Painter = Callable[[Picture, int, int, int, int], None]


def _box(picture: Picture, x: int, y: int, w: int, h: int, top: int, front: int, depth: int = 4) -> None:
    fill(picture, x, y, w, h - depth, top)
    fill(picture, x, y + h - depth, w, depth, front)
    draw_rectangle(picture, x, y, w, h, BLACK)
    fill(picture, x + 1, y + h - depth - 1, w - 2, 1, BLACK)


def _table(picture: Picture, x: int, y: int, w: int, h: int) -> None:
    _box(picture, x, y, w, h, SAND, BROWN)
    fill(picture, x + 2, y + 2, w - 4, 1, WHITE)
    fill(picture, x + 5, y + 5, 3, 3, WHITE)
    fill(picture, x + 6, y + 6, 1, 1, BROWN)
    fill(picture, x + w - 9, y + 4, 4, 4, RED)
    fill(picture, x + w - 8, y + 5, 2, 2, PINK)


def _sofa(picture: Picture, x: int, y: int, w: int, h: int) -> None:
    _box(picture, x, y, w, h, RED, PLUM)
    fill(picture, x + 1, y + 1, 3, h - 6, PLUM)
    for row in range(y + 10, y + h - 6, 10):
        fill(picture, x + 4, row, w - 5, 1, PLUM)


def _planter(picture: Picture, x: int, y: int, w: int, h: int) -> None:
    _box(picture, x, y, w, h, BROWN, STONE)
    for row in range(y + 2, y + h - 7, 6):
        fill(picture, x + 2, row + 1, w - 4, 4, GREEN)
        fill(picture, x + 4, row, w - 8, 5, LIME)
        fill(picture, x + 3 + row % 4, row + 2, 2, 2, RED if row % 12 < 6 else YELLOW)


def _telescope(picture: Picture, x: int, y: int, w: int, h: int) -> None:
    fill(picture, x + 4, y + 14, w - 8, h - 14, BLACK)
    fill(picture, x + 1, y + 18, w - 2, h - 22, BLACK)
    fill(picture, x + 5, y + 15, w - 10, h - 16, STONE)
    fill(picture, x + 2, y + 19, w - 4, h - 24, STONE)
    fill(picture, x + 5, y + 15, w - 10, 2, MAUVE)
    for step in range(18):
        fill(picture, x + 5 + step, y + 17 - step, 7, 7, BLACK)
    for step in range(18):
        fill(picture, x + 6 + step, y + 18 - step, 5, 5, GRAY if step % 6 else NAVY)
    fill(picture, x + 24, y + 1, 4, 4, SKY)


def _desk(picture: Picture, x: int, y: int, w: int, h: int) -> None:
    _box(picture, x, y, w, h, BROWN, STONE, 3)
    for left in range(x + 3, x + w - 8, 12):
        fill(picture, left, y + 2, 6, 3, WHITE)
        fill(picture, left + 1, y + 3, 4, 1, MAUVE)


def _console(picture: Picture, x: int, y: int, w: int, h: int) -> None:
    _box(picture, x, y, w, h, STONE, NAVY, 3)
    for place, left in enumerate(range(x + 3, x + w - 8, 10)):
        fill(picture, left, y + 2, 7, 4, BLACK)
        fill(picture, left + 1, y + 3, 5, 1 + place % 2, (LIME, SKY, ORANGE)[place % 3])


def _rack(picture: Picture, x: int, y: int, w: int, h: int) -> None:
    fill(picture, x, y, w, h, BLACK)
    fill(picture, x + 1, y + 1, w - 2, 5, STONE)
    fill(picture, x + 1, y + 7, w - 2, h - 8, NAVY)
    for row in range(y + 8, y + h - 2, 3):
        fill(picture, x + 2, row, w - 5, 1, MAUVE)
        fill(picture, x + w - 3, row, 1, 1, LIME if row % 2 else ORANGE)


def _rover(picture: Picture, x: int, y: int, w: int, h: int) -> None:
    for left in (x + 3, x + w - 12):
        fill(picture, left, y, 9, h, BLACK)
        fill(picture, left + 2, y + 1, 5, h - 2, STONE)
    fill(picture, x, y + 3, w, h - 6, BLACK)
    fill(picture, x + 1, y + 4, w - 2, h - 8, ORANGE)
    fill(picture, x + 1, y + h - 7, w - 2, 3, BROWN)
    fill(picture, x + w - 14, y + 5, 8, h - 13, SKY)
    fill(picture, x + w - 13, y + 6, 2, 2, WHITE)
    fill(picture, x + 4, y + 7, 14, 1, YELLOW)
    fill(picture, x + 4, y + 10, 14, 1, YELLOW)


def _crate(picture: Picture, x: int, y: int, w: int, h: int) -> None:
    _box(picture, x, y, w, h, SAND, BROWN, h // 2)
    fill(picture, x + 2, y + 2, w - 4, 1, WHITE)
    fill(picture, x + w // 2 - 1, y + 1, 2, h - 2, ORANGE)
    fill(picture, x + 2, y + h - 3, w - 4, 1, STONE)


def _bench(picture: Picture, x: int, y: int, w: int, h: int) -> None:
    _box(picture, x, y, w, h, GRAY, STONE, 3)
    for place, left in enumerate(range(x + 4, x + w - 5, 8)):
        fill(picture, left, y + 2, 3, 4, (SKY, LIME, YELLOW, PINK)[place % 4])
        fill(picture, left, y + 2, 1, 1, WHITE)


def _tank(picture: Picture, x: int, y: int, w: int, h: int) -> None:
    fill(picture, x + 1, y, w - 2, h, BLACK)
    fill(picture, x, y + 2, w, h - 4, BLACK)
    fill(picture, x + 1, y + 2, w - 2, h - 4, SKY)
    fill(picture, x + 2, y + 1, w - 4, 3, WHITE)
    fill(picture, x + 3, y + 6, 2, h - 12, WHITE)
    fill(picture, x + 1, y + h - 6, w - 2, 3, NAVY)
    fill(picture, x + 2, y + h - 3, w - 4, 2, STONE)


def _engine(picture: Picture, x: int, y: int, w: int, h: int) -> None:
    _box(picture, x, y, w, h, STONE, NAVY, 9)
    for left in range(x + 4, x + w - 6, 9):
        fill(picture, left, y + 3, 6, h - 16, BLACK)
        fill(picture, left + 1, y + 4, 4, h - 18, ORANGE)
        fill(picture, left + 2, y + 5, 2, h - 20, YELLOW)
    fill(picture, x + 4, y + h - 6, w - 8, 2, MAUVE)
    fill(picture, x + w - 7, y + h - 6, 2, 2, LIME)


def _bed(picture: Picture, x: int, y: int, w: int, h: int) -> None:
    _box(picture, x, y, w, h, WHITE, GRAY)
    fill(picture, x + 3, y + 2, w - 6, 4, GRAY)
    fill(picture, x + 1, y + 9, w - 2, h - 14, SKY)
    fill(picture, x + 1, y + 9, w - 2, 1, NAVY)


def _bunk(picture: Picture, x: int, y: int, w: int, h: int) -> None:
    _box(picture, x, y, w, h, SAND, STONE)
    fill(picture, x + 3, y + 2, w - 6, 4, WHITE)
    fill(picture, x + 1, y + 8, w - 2, h - 13, GREEN if x % 4 == 0 else RED)
    fill(picture, x + 1, y + 10, w - 2, 1, WHITE)


def _shelf(picture: Picture, x: int, y: int, w: int, h: int) -> None:
    fill(picture, x, y, w, h, BLACK)
    fill(picture, x + 1, y + 1, w - 2, 2, BROWN)
    for place, left in enumerate(range(x + 2, x + w - 2, 2)):
        colour = (RED, SKY, YELLOW, GREEN, WHITE, ORANGE, PINK)[(place * 5 + x) % 7]
        fill(picture, left, y + 4 + place % 2, 1, h - 5 - place % 2, colour)


def _lathe(picture: Picture, x: int, y: int, w: int, h: int) -> None:
    _box(picture, x, y, w, h, GREEN, NAVY)
    fill(picture, x + 3, y + 4, w - 6, 3, GRAY)
    fill(picture, x + 3, y + 3, 5, 5, STONE)
    fill(picture, x + w - 7, y + 2, 3, 3, RED)


def _mast(picture: Picture, x: int, y: int, w: int, h: int) -> None:
    middle = x + w // 2
    fill(picture, x + 3, y + h - 8, w - 6, 8, BLACK)
    fill(picture, x + 4, y + h - 7, w - 8, 6, STONE)
    fill(picture, middle - 1, y, 2, h - 4, WHITE)
    fill(picture, x, y + 3, w, 1, RED)
    for left in (x, x + w - 4):
        fill(picture, left, y + 1, 4, 5, RED)
        fill(picture, left + 1, y + 2, 2, 2, WHITE)
    fill(picture, middle - 1, y, 2, 2, RED)


def _pool(picture: Picture, x: int, y: int, w: int, h: int) -> None:
    fill(picture, x, y, w, h, BLACK)
    fill(picture, x + 1, y + 1, w - 2, h - 2, GRAY)
    fill(picture, x + 4, y + 4, w - 8, h - 8, NAVY)
    fill(picture, x + 4, y + 7, w - 8, h - 11, SKY)
    for place, row in enumerate(range(y + 11, y + h - 7, 7)):
        left = x + 7 + place * 11 % 17
        fill(picture, left, row, 8, 1, WHITE)
        fill(picture, left + 3, row + 2, 5, 1, NAVY)


def _stove(picture: Picture, x: int, y: int, w: int, h: int) -> None:
    _box(picture, x, y, w, h, GRAY, STONE, 3)
    for place, left in enumerate(range(x + 3, x + w - 6, 10)):
        fill(picture, left, y + 2, 6, 4, BLACK)
        fill(picture, left + 1, y + 3, 4, 2, ORANGE if place % 2 == 0 else NAVY)


def _counter(picture: Picture, x: int, y: int, w: int, h: int) -> None:
    _box(picture, x, y, w, h, WHITE, MAUVE)
    fill(picture, x + 4, y + 3, 8, 4, SAND)
    fill(picture, x + 5, y + 4, 2, 2, LIME)
    fill(picture, x + 8, y + 4, 2, 2, RED)
    fill(picture, x + w - 11, y + 2, 7, 5, NAVY)
    fill(picture, x + w - 10, y + 3, 5, 3, SKY)


PAINTERS: dict[str, Painter] = {
    "table": _table,
    "sofa": _sofa,
    "planter": _planter,
    "telescope": _telescope,
    "desk": _desk,
    "console": _console,
    "rack": _rack,
    "rover": _rover,
    "crate": _crate,
    "bench": _bench,
    "tank": _tank,
    "engine": _engine,
    "bed": _bed,
    "bunk": _bunk,
    "shelf": _shelf,
    "lathe": _lathe,
    "mast": _mast,
    "pool": _pool,
    "stove": _stove,
    "counter": _counter,
}
