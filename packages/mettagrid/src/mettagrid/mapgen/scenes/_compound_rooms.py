"""Compounds that are small fixed rooms, for games of cooking together rather than of bases."""

from dataclasses import dataclass

_Cell = tuple[int, int]  # (x, y) from the top left corner of the compound


@dataclass(frozen=True)
class Room:
    """A drawing (`#` is wall), where stations stand in its walls, and where agents start."""

    drawing: tuple[str, ...]
    stations: tuple[_Cell, ...]
    spawns: tuple[_Cell, ...]

    @property
    def width(self) -> int:
        return max(len(line) for line in self.drawing)

    @property
    def height(self) -> int:
        return len(self.drawing)


CRAMPED_ROOM = Room(
    drawing=(
        "                 ",
        "                 ",
        "                 ",
        "  ###########    ",
        "  #........##    ",
        "  #........##    ",
        "  #........##    ",
        "  ###########    ",
        "                 ",
        "                 ",
        "                 ",
        "                 ",
        "                 ",
    ),
    stations=((3, 3), (5, 3), (11, 5), (7, 3), (9, 3), (11, 3), (9, 7), (11, 7), (7, 7)),
    spawns=((6, 5), (8, 5), (6, 6), (8, 6)),
)

SERVICE_PASS_ROOM = Room(
    drawing=(
        "                 ",
        "                 ",
        " ############### ",
        " #.............# ",
        " #.............# ",
        " #..###..###...# ",
        " #.............# ",
        " #.............# ",
        " #.............# ",
        " #.............# ",
        " ############### ",
        "                 ",
        "                 ",
    ),
    stations=((3, 2), (8, 2), (12, 10), (5, 5), (10, 5), (13, 2), (8, 10), (15, 8), (1, 4)),
    spawns=((6, 6), (10, 6), (6, 8), (10, 8)),
)

ROOMS = {"cramped_room": CRAMPED_ROOM, "service_pass_room": SERVICE_PASS_ROOM}
