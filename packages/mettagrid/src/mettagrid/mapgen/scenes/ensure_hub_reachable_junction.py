"""A junction within reach of every hub and ship."""

import numpy as np
from pydantic import Field

from mettagrid.mapgen.scene import Scene, SceneConfig
from mettagrid.mapgen.utils.cells import Mask
from mettagrid.mapgen.utils.labels import Labels, label_parts


class EnsureHubReachableJunctionConfig(SceneConfig):
    """Anchors are objects with one of the names or endings (a number may follow: `clips:ship:0`)."""

    anchor_suffixes: list[str] = Field(default=[":hub", ":ship"])
    anchor_names: list[str] = Field(default=["hub", "ship"])
    junction_name: str = "junction"
    min_distance: int = 4
    max_distance: int = 15


class EnsureHubReachableJunction(Scene[EnsureHubReachableJunctionConfig]):
    """Adds a junction for each anchor without a reachable one within `max_distance` (Euclidean).

    The junction is placed on a reachable empty cell, as near as `min_distance` allows. If there is no such cell, the
    anchor gets none.
    """

    def render(self) -> None:
        anchors = np.argwhere(self._anchors())
        if len(anchors) == 0:
            return
        labels, _ = label_parts(self.grid == "empty")
        for anchor in anchors:
            self._ensure(anchor, labels)

    def _anchors(self) -> Mask:
        config = self.config
        names = np.unique(self.grid)
        anchors = [
            name
            for name in names.tolist()
            if name in config.anchor_names
            or any(name.endswith(end) or f"{end}:" in name for end in config.anchor_suffixes)
        ]
        return np.isin(self.grid, anchors) if anchors else np.zeros(self.grid.shape, dtype=bool)

    def _ensure(self, anchor: np.ndarray, labels: Labels) -> None:
        """Add a junction for one anchor if needed. `labels` numbers the connected empty parts before any addition."""
        config = self.config
        empty = self.grid == "empty"
        # Reachable: the empty parts next to the anchor, and objects next to those.
        beside = np.zeros_like(empty)
        beside[tuple(anchor)] = True
        near = np.unique(labels[_with_sides(beside) & empty])
        walkable = empty & np.isin(labels, near) if len(near) else np.zeros_like(empty)
        rows, columns = np.indices(self.grid.shape)
        distance = np.hypot(rows - anchor[0], columns - anchor[1])
        junctions = (self.grid == config.junction_name) & _with_sides(walkable | beside)
        if (junctions & (distance <= config.max_distance)).any():
            return
        allowed = walkable & (distance >= config.min_distance) & (distance <= config.max_distance)
        if allowed.any():
            row, column = self._nearest(allowed, distance, empty)
            self.grid[row, column] = config.junction_name

    def _nearest(self, allowed: Mask, distance: np.ndarray, empty: Mask) -> tuple[int, int]:
        """Return a random one of the nearest allowed cells, except those where a junction would block the path."""
        nearest: list[tuple[int, int]] = []
        for length in np.unique(distance[allowed]):
            places = [(int(row), int(column)) for row, column in np.argwhere(allowed & (distance == length))]
            nearest = nearest or places
            open_places = [place for place in places if _can_be_passed(empty, *place)]
            if open_places:
                nearest = open_places
                break
        return nearest[self.rng.integers(len(nearest))]


# The eight cells around one, in order, as (row, column) offsets.
_AROUND = ((-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1))


def _can_be_passed(empty: Mask, row: int, column: int) -> bool:
    """Return whether the empty neighbours of a cell stay connected, around its corners, when it is occupied."""
    height, width = empty.shape
    ring = [
        0 <= row + dy < height and 0 <= column + dx < width and bool(empty[row + dy, column + dx]) for dy, dx in _AROUND
    ]
    sides = sum(ring[1::2])
    joined = sum(ring[side] and ring[(side + 1) % 8] and ring[(side + 2) % 8] for side in range(1, 8, 2))
    return sides - joined <= 1


def _with_sides(cells: Mask) -> Mask:
    """Return the cells and their neighbours on four sides."""
    result = cells.copy()
    result[1:] |= cells[:-1]
    result[:-1] |= cells[1:]
    result[:, 1:] |= cells[:, :-1]
    result[:, :-1] |= cells[:, 1:]
    return result
