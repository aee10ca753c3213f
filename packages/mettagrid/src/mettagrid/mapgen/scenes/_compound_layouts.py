"""Where the parts of a compound are, as seen from its hub: offsets (dx, dy)."""

from collections.abc import Iterator

Offset = tuple[int, int]

CARDINALS: tuple[Offset, ...] = ((0, -1), (1, 0), (0, 1), (-1, 0))  # north, east, south, west
DIAGONALS: tuple[Offset, ...] = ((1, 1), (1, -1), (-1, 1), (-1, -1))

# The layout "tight": extractors and stations close to the hub, behind four angles of wall.
TIGHT_CORNERS: tuple[Offset, ...] = ((-2, -2), (2, -2), (-2, 2), (2, 2))
TIGHT_STATION_ROW = -2
TIGHT_WALLS: tuple[Offset, ...] = tuple(
    (dx * x, dy * y) for dx in (-1, 1) for dy in (-1, 1) for x, y in ((4, 4), (3, 4), (4, 3))
)
TIGHT_SPAWNS: tuple[Offset, ...] = (
    (-5, 0),
    (5, 0),
    *((dx, dy) for dx in (0, -2, -4, 2, 4) for dy in (-5, 5)),
)


def rings(first: int, last: int) -> Iterator[Offset]:
    """Yield places for agents: at distance `first` in the four directions, then further out in all eight."""
    for dx, dy in CARDINALS:
        yield dx * first, dy * first
    for radius in range(first + 1, last + 1):
        for dx, dy in (*CARDINALS, *DIAGONALS):
            yield dx * radius, dy * radius


def station_row(count: int, row: int, room: int) -> list[Offset]:
    """Return places for stations: a centred row with a gap after each, or without gaps when that does not fit."""
    step = 2 if 2 * count - 1 <= room else 1
    first = -((step * (count - 1) + 1) // 2)
    return [(first + step * index, row) for index in range(count)]
