"""Binary space partitions: an area divided in two, its parts in two, and so on."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from pydantic import Field

from mettagrid.mapgen.scene import Scene, SceneConfig

Direction = Literal["horizontal", "vertical"]


@dataclass(frozen=True)
class Zone:
    """A rectangle of a partition."""

    x: int
    y: int
    width: int
    height: int

    def split(self, rng: np.random.Generator) -> "tuple[Zone, Zone] | None":
        """Return two parts of at least a third of a random side each, in random order, or `None` if too small."""
        across = bool(rng.integers(2))
        if max(self.width, self.height) < 2:
            return None
        if (self.width if across else self.height) < 2:
            across = not across
        size = self.width if across else self.height
        min_part = max(1, size // 3)
        cut = int(rng.integers(min_part, size - min_part, endpoint=True))
        if across:
            parts = Zone(self.x, self.y, cut, self.height), Zone(self.x + cut, self.y, size - cut, self.height)
        else:
            parts = Zone(self.x, self.y, self.width, cut), Zone(self.x, self.y + cut, self.width, size - cut)
        return parts if rng.integers(2) else (parts[1], parts[0])

    def make_room(self, rng: np.random.Generator, min_size: int, min_ratio: float, max_ratio: float) -> "Zone":
        """Return a random smaller zone inside this one, leaving room for a wall where possible."""
        x, width = _room_side(rng, self.x, self.width, min_size, min_ratio, max_ratio)
        y, height = _room_side(rng, self.y, self.height, min_size, min_ratio, max_ratio)
        return Zone(x, y, width, height)


def _room_side(
    rng: np.random.Generator, start: int, size: int, min_size: int, min_ratio: float, max_ratio: float
) -> tuple[int, int]:
    max_length = max(1, min(size - 2, int(size * max_ratio)))
    min_length = min(max_length, max(1, min_size, int(size * min_ratio)))
    length = int(rng.integers(min_length, max_length, endpoint=True))
    margin = 1 if length + 2 <= size else 0
    return start + int(rng.integers(margin, size - length - margin, endpoint=True)), length


class BSPTree:
    """Zones split one after the other, oldest first, until there are enough."""

    def __init__(self, width: int, height: int, leaf_zone_count: int, rng: np.random.Generator) -> None:
        self._leaves = [Zone(0, 0, width, height)]
        self._pairs: list[tuple[Zone, Zone]] = []
        unsplit: list[Zone] = []  # too small to split
        while self._leaves and len(self._leaves) + len(unsplit) < leaf_zone_count:
            zone = self._leaves.pop(0)
            parts = zone.split(rng)
            if parts is None:
                unsplit.append(zone)
            else:
                self._leaves.extend(parts)
                self._pairs.append(parts)
        self._leaves = unsplit + self._leaves

    def get_leaf_zones(self) -> list[Zone]:
        """Return the zones that were not split."""
        return list(self._leaves)

    def get_sibling_pairs(self) -> list[tuple[Zone, Zone]]:
        """Return the two parts of every zone that was split, largest zones first."""
        return list(self._pairs)


class BSPLayoutConfig(SceneConfig):
    """How many areas to make."""

    area_count: int = Field(ge=1)


class BSPLayout(Scene[BSPLayoutConfig]):
    """Divides its area completely into areas tagged `zone`; draws nothing."""

    def render(self) -> None:
        for zone in BSPTree(self.width, self.height, self.config.area_count, self.rng).get_leaf_zones():
            self.make_area(zone.x, zone.y, zone.width, zone.height, tags=["zone"])


class BSPConfig(SceneConfig):
    """How many rooms, and how large at least: in cells, and as parts of the zones they are in."""

    rooms: int = Field(ge=1)
    min_room_size: int
    min_room_size_ratio: float
    max_room_size_ratio: float
    skip_corridors: bool = False


class BSP(Scene[BSPConfig]):
    """Rooms, one in each zone of a partition, and corridors that connect them all. The rooms are tagged `room`."""

    def render(self) -> None:
        config = self.config
        self.grid[:] = "wall"
        tree = BSPTree(self.width, self.height, config.rooms, self.rng)
        open_cells = np.zeros(self.grid.shape, dtype=bool)
        for zone in tree.get_leaf_zones():
            room = zone.make_room(
                self.rng, config.min_room_size, config.min_room_size_ratio, config.max_room_size_ratio
            )
            open_cells[room.y : room.y + room.height, room.x : room.x + room.width] = True
            self.make_area(room.x, room.y, room.width, room.height, tags=["room"])
        if not config.skip_corridors:
            for first, second in reversed(tree.get_sibling_pairs()):  # the smallest zones first
                self._connect(open_cells, first, second)
        self.grid[open_cells] = "empty"

    def _connect(self, open_cells: np.ndarray, first: Zone, second: Zone) -> None:
        """Draw a corridor with one corner between random open cells of two zones."""
        (y1, x1), (y2, x2) = self._open_cell(open_cells, first), self._open_cell(open_cells, second)
        if self.rng.integers(2):
            y1, x1, y2, x2 = y2, x2, y1, x1
        open_cells[y1, min(x1, x2) : max(x1, x2) + 1] = True
        open_cells[min(y1, y2) : max(y1, y2) + 1, x2] = True

    def _open_cell(self, open_cells: np.ndarray, zone: Zone) -> tuple[int, int]:
        places = np.argwhere(open_cells[zone.y : zone.y + zone.height, zone.x : zone.x + zone.width])
        row, column = places[self.rng.integers(len(places))]
        return zone.y + int(row), zone.x + int(column)
