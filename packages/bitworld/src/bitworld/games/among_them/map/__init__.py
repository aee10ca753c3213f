"""The map of Among Them: where players walk, what blocks their view, stations, vents, rooms and the floor's colours.

`load_map` reads two formats, both JSON with the fields of the published `map.json`:

- a plan, which also has `corridors` and `furniture`: the masks and the picture are computed from its shapes;
- a map with masks: `walk_mask.u8.gz` and `wall_mask.u8.gz` lie beside the file (bytes, row by row, 1 = yes).
"""

import gzip
import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitworld.errors import BadConfig
from bitworld.games.among_them.map.paint import paint, paint_masks
from bitworld.games.among_them.map.plan import masks_of

__all__ = ["DEFAULT_MAP", "GameMap", "Place", "Vent", "load_map"]

DEFAULT_MAP = "map.json"
"""the value of `mapPath` that means the map of this package"""


@dataclass(frozen=True, slots=True)
class Place:
    """A named rectangle: a station or a room."""

    name: str
    x: int
    y: int
    w: int
    h: int


@dataclass(frozen=True, slots=True)
class Vent:
    x: int
    y: int
    w: int
    h: int
    group: str
    """vents of one group are connected"""
    index: int
    """the order in the group, from 1"""


@dataclass(frozen=True, slots=True, eq=False)
class GameMap:
    name: str
    walk: NDArray[np.uint8]
    """[height, width], 1 where a player can stand"""
    wall: NDArray[np.uint8]
    """[height, width], 1 where the view is blocked"""
    floor: NDArray[np.uint8]
    """[height, width], palette indexes"""
    button: Place
    home: tuple[int, int]
    tasks: tuple[Place, ...]
    vents: tuple[Vent, ...]
    rooms: tuple[Place, ...]

    @property
    def width(self) -> int:
        return self.walk.shape[1]

    @property
    def height(self) -> int:
        return self.walk.shape[0]

    def room_at(self, x: int, y: int) -> str | None:
        """Return the name of the first room that contains a point."""
        return next((room.name for room in self.rooms if _contains(room, x, y)), None)


def load_map(path: str = DEFAULT_MAP) -> GameMap:
    """Return the map that the configuration names. Raises `BadConfig` if the file is missing or is not a map."""
    if path == DEFAULT_MAP:
        return _own_map()
    return _cached_map(str(Path(path).resolve()))


@cache
def _own_map() -> GameMap:
    with as_file(files(__name__).joinpath("borealis.json")) as path:
        return _read(path)


@cache
def _cached_map(path: str) -> GameMap:
    try:
        return _read(Path(path))
    except OSError as error:
        raise BadConfig(f"mapPath: cannot read {path}: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError, EOFError) as error:
        raise BadConfig(f"mapPath: {path} is not a map: {error}") from error


def _read(path: Path) -> GameMap:
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    width, height = int(document["width"]), int(document["height"])
    if not (0 < width <= 4096 and 0 < height <= 4096):
        raise ValueError(f"the size is {width}x{height}; each side may be 1 to 4096")
    if "corridors" in document:
        walk, wall = masks_of(document)
        floor = paint(document, wall)
    else:
        walk, wall = (_mask(path.parent / f"{name}_mask.u8.gz", width, height) for name in ("walk", "wall"))
        floor = paint_masks(document, walk, wall)
    for mask in (walk, wall, floor):
        mask.setflags(write=False)
    return GameMap(
        name=str(document["name"]),
        walk=walk,
        wall=wall,
        floor=floor,
        button=_place({"name": "button", **document["button"]}),
        home=(int(document["home"]["x"]), int(document["home"]["y"])),
        tasks=tuple(_place(task) for task in document["tasks"]),
        vents=tuple(_vent(vent) for vent in document["vents"]),
        rooms=tuple(_place(room) for room in document["rooms"]),
    )


def _mask(path: Path, width: int, height: int) -> NDArray[np.uint8]:
    with gzip.open(path) as file:
        data = file.read(width * height + 1)
    if len(data) != width * height:
        raise ValueError(f"{path.name} does not have {width} x {height} bytes")
    return (np.frombuffer(data, np.uint8) != 0).astype(np.uint8).reshape(height, width)


def _place(item: dict[str, Any]) -> Place:
    return Place(str(item["name"]), int(item["x"]), int(item["y"]), int(item["w"]), int(item["h"]))


def _vent(item: dict[str, Any]) -> Vent:
    x, y, w, h = (int(item[key]) for key in ("x", "y", "w", "h"))
    return Vent(x, y, w, h, str(item["group"]), int(item["groupIndex"]))


def _contains(place: Place, x: int, y: int) -> bool:
    return place.x <= x < place.x + place.w and place.y <= y < place.y + place.h
