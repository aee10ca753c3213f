"""Compute the masks of a plan: rooms and corridors are floor, the rest is wall, furniture is in the way."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["FURNITURE", "masks_of", "room_shape"]

FURNITURE = {
    "table": False,
    "sofa": False,
    "planter": False,
    "telescope": False,
    "desk": False,
    "console": False,
    "rack": True,
    "rover": False,
    "crate": False,
    "bench": False,
    "tank": True,
    "engine": True,
    "bed": False,
    "shelf": True,
    "lathe": False,
    "mast": False,
    "bunk": False,
    "pool": False,
    "stove": False,
    "counter": False,
}
"""kinds of furniture; true: so tall that it blocks the view"""

# A player's point is pixel (2, 8) of a 12 x 12 sprite. Its four lowest rows must fit on the floor.
LEFT, RIGHT, DOWN = 2, 9, 3


def masks_of(plan: dict[str, Any]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the walk mask and the wall mask of a plan."""
    size = (plan["height"], plan["width"])
    floor = np.zeros(size, np.bool_)
    for room in plan["rooms"]:
        _area(floor, room)[room_shape(room)] = True
    for corridor in plan["corridors"]:
        _area(floor, corridor)[:] = True
    wall = ~floor
    for item in plan["furniture"]:
        _area(floor, item)[:] = False
        if FURNITURE[item["kind"]]:
            _area(wall, item)[:] = True
    return _fits(floor).astype(np.uint8), wall.astype(np.uint8)


def room_shape(room: dict[str, Any]) -> NDArray[np.bool_]:
    """Return the floor of a room in its rectangle; `cut` is the length of the sides cut off its corners."""
    height, width, cut = room["h"], room["w"], room.get("cut", 0)
    rows, columns = np.ogrid[:height, :width]
    to_sides = np.minimum(columns, width - 1 - columns) + np.minimum(rows, height - 1 - rows)
    return np.asarray(to_sides >= cut)


def _fits(floor: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the points where a player can stand."""
    padded = np.pad(floor, ((0, DOWN), (LEFT, RIGHT)))
    height, width = floor.shape
    wide = np.logical_and.reduce([padded[:, i : i + width] for i in range(LEFT + RIGHT + 1)])
    return np.logical_and.reduce([wide[i : i + height] for i in range(DOWN + 1)])


def _area(mask: NDArray[np.bool_], item: dict[str, Any]) -> NDArray[np.bool_]:
    return mask[item["y"] : item["y"] + item["h"], item["x"] : item["x"] + item["w"]]
