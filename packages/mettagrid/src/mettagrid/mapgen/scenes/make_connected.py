"""Make every empty cell reachable from every other."""

import heapq

import numpy as np

from mettagrid.mapgen.scene import Scene, SceneConfig
from mettagrid.mapgen.utils.labels import label_parts

Cell = tuple[int, int]
"""(row, column)"""
STRUCTURE_4_CONNECTED = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]])
"""The cells that touch the middle one, for `scipy.ndimage.label`."""
DIRECTIONS = ((-1, 0), (0, 1), (1, 0), (0, -1))
_EMPTY_COST = 1
WALL_COST_RATIO = 10
OBJECT_COST_RATIO = 50


class MakeConnectedConfig(SceneConfig):
    """No parameters."""


class MakeConnected(Scene[MakeConnectedConfig]):
    """Digs tunnels from all separate parts of the empty cells to the largest one.

    A tunnel takes the cheapest way: through empty cells, then walls, and through objects only where walls would be
    five times as thick.
    """

    def render(self) -> None:
        empty = self.grid == "empty"
        labels, sizes = label_parts(empty)
        parts = len(sizes) - 1
        if parts < 2:
            return
        largest = int(np.argmax(sizes))
        cost = np.where(empty, _EMPTY_COST, np.where(self.grid == "wall", WALL_COST_RATIO, OBJECT_COST_RATIO))
        # A frame around the grid avoids bounds checks; its cells cost 0 and are never entered.
        width = self.width + 2
        costs = np.pad(cost, 1).ravel().tolist()
        label_of = np.pad(labels, 1).ravel().tolist()
        cells = np.flatnonzero(np.pad(empty & (labels != largest), 1))
        cells = cells[np.argsort(np.array(label_of)[cells], kind="stable")]
        bounds = np.searchsorted(np.array(label_of)[cells], np.arange(1, parts + 2)).tolist()
        flat_cells = cells.tolist()
        joined = [part == largest for part in range(parts + 1)]
        for part in range(1, parts + 1):
            if not joined[part]:
                start = flat_cells[bounds[part - 1] : bounds[part]]
                self._dig(start, label_of, costs, joined, width, largest)

    def _dig(
        self, start: list[int], label_of: list[int], costs: list[int], joined: list[bool], width: int, largest: int
    ) -> None:
        """Open the cheapest path from the start cells to the largest part, and join the parts it crosses."""
        reached: dict[int, int] = dict.fromkeys(start, -1)  # cell -> the cell before it
        queue = [(0, cell) for cell in start]
        best = dict.fromkeys(start, 0)
        end = -1
        while queue:
            spent, cell = heapq.heappop(queue)
            if spent > best[cell]:
                continue
            if joined[label_of[cell]]:
                end = cell
                break
            for following in (cell - width, cell + 1, cell + width, cell - 1):
                price = costs[following]
                if price and spent + price < best.get(following, 1 << 60):
                    best[following] = spent + price
                    reached[following] = cell
                    heapq.heappush(queue, (spent + price, following))
        joined[label_of[start[0]]] = True
        while end >= 0:
            if label_of[end]:
                joined[label_of[end]] = True
            else:
                label_of[end] = largest
                costs[end] = _EMPTY_COST
                self.grid[end // width - 1, end % width - 1] = "empty"
            end = reached[end]
