"""The base of a team: a hub with stations, extractors and places for agents."""

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from mettagrid.mapgen.scene import Scene, SceneConfig
from mettagrid.mapgen.scenes import _compound_layouts as layouts
from mettagrid.mapgen.scenes import _compound_rooms as rooms

CRAMPED_ROOM_SPAWNS = rooms.CRAMPED_ROOM.spawns
CRAMPED_ROOM_STATION_ANCHORS = rooms.CRAMPED_ROOM.stations
SERVICE_PASS_ROOM_SPAWNS = rooms.SERVICE_PASS_ROOM.spawns
SERVICE_PASS_ROOM_STATION_ANCHORS = rooms.SERVICE_PASS_ROOM.stations

DEFAULT_EXTRACTORS = ("carbon_extractor", "oxygen_extractor", "germanium_extractor", "silicon_extractor")
"""The bundle `extractors`, from the top left corner row by row."""

_GATE = 5  # cells, in the middle of each side
_SPAWNS = 4
_FIRST_RING = 2
_STATION_ROW = 4
_CORNER_INSET = 2
_SMALLEST = 7  # cells on a side; smaller ones are made this large


class CompoundConfig(SceneConfig):
    """The layout of a compound.

    Corner objects are given from the top left row by row, cross objects clockwise from the north. Without them the
    bundle decides: extractors or nothing. `corner_generator` puts the same object in all corners.
    """

    hub_object: str = "hub"
    corner_generator: str | None = None
    spawn_symbol: str = "agent.agent"
    spawn_count: int | None = None
    hub_width: int = Field(default=21, ge=1)
    hub_height: int = Field(default=21, ge=1)
    include_inner_wall: bool = True
    outer_clearance: int = Field(default=3, ge=0)
    corner_objects: list[str] | None = None
    corner_bundle: Literal["extractors", "none", "custom"] = "extractors"
    cross_objects: list[str] | None = None
    cross_bundle: Literal["none", "extractors", "custom"] = "none"
    cross_distance: int = 4
    layout: Literal["default", "tight", "cramped_room", "service_pass_room"] = "default"
    randomize_spawn_positions: bool = False
    stations: list[str] = Field(default=[])
    station_offsets: list[tuple[int, int]] | None = None

    @model_serializer(mode="wrap")
    def _write(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Omit empty `station_offsets`, because older releases do not know the field."""
        data: dict[str, Any] = {"type": self._type_name(), **handler(self)}
        if data.get("station_offsets", False) is None:
            del data["station_offsets"]
        return data


class Compound(Scene[CompoundConfig]):
    """Clears the middle of its area and builds a compound there."""

    def render(self) -> None:
        config = self.config
        width = min(max(_SMALLEST, config.hub_width), self.width)
        height = min(max(_SMALLEST, config.hub_height), self.height)
        self.left, self.top = (self.width - width) // 2, (self.height - height) // 2
        self.center_x, self.center_y = self.left + width // 2, self.top + height // 2
        self.right, self.bottom = self.left + width - 1, self.top + height - 1
        clear = config.outer_clearance
        self.grid[
            max(0, self.top - clear) : self.bottom + 1 + clear, max(0, self.left - clear) : self.right + 1 + clear
        ] = "empty"
        room = rooms.ROOMS.get(config.layout)
        if room is not None:
            self._render_room(room)
        elif config.layout == "tight":
            self._render_tight()
        else:
            self._render_default()

    def _render_default(self) -> None:
        config = self.config
        if config.include_inner_wall:
            self._draw_wall()
        self._put(0, 0, config.hub_object)
        self._place_all(self._station_offsets(_STATION_ROW), config.stations)
        left, right = self.left + _CORNER_INSET - self.center_x, self.right - _CORNER_INSET - self.center_x
        top, bottom = self.top + _CORNER_INSET - self.center_y, self.bottom - _CORNER_INSET - self.center_y
        self._place_all([(left, top), (right, top), (left, bottom), (right, bottom)], self._corner_names())
        distance = config.cross_distance
        self._place_all([(dx * distance, dy * distance) for dx, dy in layouts.CARDINALS], self._cross_names())
        self._place_agents(layouts.rings(_FIRST_RING, self._reach()))

    def _render_tight(self) -> None:
        config = self.config
        if config.include_inner_wall:
            self._draw_broken_wall()
        for dx, dy in layouts.TIGHT_WALLS:
            self._put(dx, dy, "wall")
        self._put(0, 0, config.hub_object)
        self._place_all(self._station_offsets(layouts.TIGHT_STATION_ROW), config.stations)
        self._place_all(layouts.TIGHT_CORNERS, self._corner_names())
        distance = config.cross_distance
        self._place_all([(dx * distance, dy * distance) for dx, dy in layouts.CARDINALS], self._cross_names())
        self._place_agents([*layouts.TIGHT_SPAWNS, *layouts.rings(_FIRST_RING, self._reach())])

    def _render_room(self, room: rooms.Room) -> None:
        """Draw a fixed room from the corner of the compound."""
        width, height = self.right - self.left + 1, self.bottom - self.top + 1
        if width < room.width or height < room.height:
            raise ValueError(
                f"The compound layout {self.config.layout!r} needs {room.width} x {room.height} cells; it has "
                f"{width} x {height}."
            )
        for y, line in enumerate(room.drawing):
            for x, char in enumerate(line):
                if char == "#":
                    self.grid[self.top + y, self.left + x] = "wall"
        for (x, y), name in zip(room.stations, self.config.stations, strict=False):
            self.grid[self.top + y, self.left + x] = name
        shift_x, shift_y = self.left - self.center_x, self.top - self.center_y
        self._place_agents([(x + shift_x, y + shift_y) for x, y in room.spawns])

    def _draw_wall(self) -> None:
        """Draw a wall around the compound with a gate in the middle of each side."""
        grid = self.grid[self.top : self.bottom + 1, self.left : self.right + 1]
        ring = np.ones(grid.shape, dtype=bool)
        ring[1:-1, 1:-1] = False
        gate_x, gate_y = self.center_x - self.left - _GATE // 2, self.center_y - self.top - _GATE // 2
        ring[:, max(0, gate_x) : gate_x + _GATE] = False
        ring[max(0, gate_y) : gate_y + _GATE, :] = False
        grid[ring] = "wall"

    def _draw_broken_wall(self) -> None:
        """Draw the wall of the tight layout: a piece at each corner and at two gates."""
        grid = self.grid[self.top : self.bottom + 1, self.left : self.right + 1]
        height, width = grid.shape
        gate = self.center_y - self.top - 1
        grid[0 : max(0, gate - 1), 0] = "wall"
        grid[0, max(0, width - 3) :] = "wall"
        if width > 15:
            grid[0, 6:8] = "wall"
        grid[gate + 4 : gate + 4 + max(1, (height - 13) // 2), width - 1] = "wall"
        grid[height - 3 :, 0] = "wall"
        middle = max(0, self.center_y - self.top - 4)
        grid[middle : self.center_y - self.top - 2, width - 1] = "wall" if height > 15 else "empty"

    def _corner_names(self) -> list[str]:
        config = self.config
        if config.corner_generator is not None and config.corner_objects is None:
            return [config.corner_generator] * 4
        return _names(config.corner_objects, config.corner_bundle)

    def _cross_names(self) -> list[str]:
        return _names(self.config.cross_objects, self.config.cross_bundle)

    def _station_offsets(self, row: int) -> list[layouts.Offset]:
        if self.config.station_offsets is not None:
            return self.config.station_offsets
        lowest = self.bottom - 1 - self.center_y
        return layouts.station_row(len(self.config.stations), min(row, lowest), self.right - self.left - 1)

    def _place_all(self, offsets: Iterable[layouts.Offset], names: list[str]) -> None:
        for (dx, dy), name in zip(offsets, names, strict=False):
            self._put(dx, dy, name)

    def _put(self, dx: int, dy: int, name: str) -> None:
        x, y = self.center_x + dx, self.center_y + dy
        if name and 0 <= x < self.width and 0 <= y < self.height:
            self.grid[y, x] = name

    def _place_agents(self, offsets: Iterable[layouts.Offset]) -> None:
        """Place agents on the first places that are inside and empty, or on random ones in the compound."""
        config = self.config
        remaining = _SPAWNS if config.spawn_count is None else config.spawn_count
        places: Iterable[tuple[int, int]]
        if config.randomize_spawn_positions:
            inside = self.grid[self.top + 1 : self.bottom, self.left + 1 : self.right]
            free = np.argwhere(inside == "empty")
            self.rng.shuffle(free)
            places = [(self.left + 1 + x, self.top + 1 + y) for y, x in free.tolist()]
        else:
            places = ((self.center_x + dx, self.center_y + dy) for dx, dy in offsets)
        for x, y in places:
            if remaining <= 0:
                return
            if self.left < x < self.right and self.top < y < self.bottom and self.grid[y, x] == "empty":
                self.grid[y, x] = config.spawn_symbol
                remaining -= 1

    def _reach(self) -> int:
        """How far places for agents go: to the sides of the compound."""
        return max(_FIRST_RING, self.right - self.center_x, self.bottom - self.center_y)


def _names(objects: list[str] | None, bundle: str) -> list[str]:
    if objects is not None:
        return objects
    return list(DEFAULT_EXTRACTORS) if bundle == "extractors" else []
