"""Find ways on the map: distances to a place from everywhere, and the next point on the way."""

from collections import deque
from functools import cache

from bitworld.games.among_them.map import GameMap, Place, load_map

__all__ = ["CELL", "LOOK_AHEAD", "Routes", "routes_of"]

CELL = 4
"""pixels of a cell of the grid on which ways are found"""
LOOK_AHEAD = 4
"""cells ahead to steer for"""
FAR = 1 << 20


class Routes:
    """The walkable cells of a map and the distances to places, each computed once."""

    def __init__(self, game_map: GameMap) -> None:
        self.map = game_map
        self._width = game_map.width // CELL
        self._height = game_map.height // CELL
        blocks = game_map.walk[: self._height * CELL, : self._width * CELL]
        blocks = blocks.reshape(self._height, CELL, self._width, CELL)
        self._open: list[bool] = blocks.all(axis=(1, 3)).ravel().tolist()
        self._near: list[tuple[int, ...]] = [self._neighbours(cell) for cell in range(len(self._open))]
        self._fields: dict[int, list[int]] = {}
        self.stations = [_spot(game_map, task) for task in game_map.tasks]
        """where to stand for each task"""
        self.vents = [(vent.x + vent.w // 2, vent.y + vent.h // 2) for vent in game_map.vents]
        button = game_map.button
        self.button = (button.x + button.w // 2, button.y + button.h // 2)

    def distance(self, start: tuple[int, int], target: tuple[int, int]) -> int:
        """Return the length of the way in cells; `FAR` if there is none."""
        return self._field(self._cell(target))[self._cell(start)]

    def is_button(self, x: int, y: int) -> bool:
        """Whether the emergency button is in reach at a point."""
        button = self.map.button
        return button.x <= x < button.x + button.w and button.y <= y < button.y + button.h

    def next_point(
        self, start: tuple[int, int], target: tuple[int, int], *, is_moving: bool = False, look_ahead: int = LOOK_AHEAD
    ) -> tuple[int, int]:
        """Return a point some cells ahead on the way to a target, and the target itself at its end.

        The distances to a target that moves are not cached; it should be near.
        """
        cell = self._cell(start)
        field = self._spread(self._cell(target), until=cell) if is_moving else self._field(self._cell(target))
        for _ in range(look_ahead):
            if field[cell] <= 1:
                return target
            cell = min(self._near[cell], key=field.__getitem__, default=cell)
        return cell % self._width * CELL + CELL // 2, cell // self._width * CELL + CELL // 2

    def _field(self, target: int) -> list[int]:
        if target not in self._fields:
            self._fields[target] = self._spread(target)
        return self._fields[target]

    def _spread(self, target: int, until: int | None = None) -> list[int]:
        """Return the distances of cells to a target: of all cells, or of those that are not farther than `until`."""
        field = [FAR] * len(self._open)
        field[target] = 0
        queue = deque([target])
        while queue:
            cell = queue.popleft()
            if cell == until:
                break
            beyond = field[cell] + 1
            for near in self._near[cell]:
                if field[near] > beyond:
                    field[near] = beyond
                    queue.append(near)
        return field

    def _cell(self, point: tuple[int, int]) -> int:
        """Return the cell of a point, or the nearest one where a player can stand."""
        x = min(max(point[0] // CELL, 0), self._width - 1)
        y = min(max(point[1] // CELL, 0), self._height - 1)
        for radius in range(12):
            for near_y in range(max(y - radius, 0), min(y + radius, self._height - 1) + 1):
                for near_x in range(max(x - radius, 0), min(x + radius, self._width - 1) + 1):
                    if self._open[near_y * self._width + near_x]:
                        return near_y * self._width + near_x
        return y * self._width + x

    def _neighbours(self, cell: int) -> tuple[int, ...]:
        """Return the cells that a player can walk to; diagonally only past two open cells."""
        if not self._open[cell]:
            return ()
        x, y = cell % self._width, cell // self._width
        found = []
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                if (dx, dy) == (0, 0) or not (0 <= x + dx < self._width and 0 <= y + dy < self._height):
                    continue
                corners = (cell + dx, cell + dy * self._width)
                if self._open[cell + dx + dy * self._width] and all(self._open[corner] for corner in corners):
                    found.append(cell + dx + dy * self._width)
        return tuple(found)


def _spot(game_map: GameMap, station: Place) -> tuple[int, int]:
    """Return the walkable point of a station that is nearest to its middle, if possible with room around it."""
    middle = (station.x + station.w // 2, station.y + station.h // 2)
    inside = [(x, y) for y in range(station.y, station.y + station.h) for x in range(station.x, station.x + station.w)]
    for margin in (2, 1, 0):
        free = [
            (x, y) for x, y in inside if game_map.walk[y - margin : y + margin + 1, x - margin : x + margin + 1].all()
        ]
        if free:
            return min(free, key=lambda spot: (spot[0] - middle[0]) ** 2 + (spot[1] - middle[1]) ** 2)
    return middle


@cache
def routes_of(map_path: str) -> Routes:
    """Return the routes of a map, which all players of this process share.

    The distances to all stations and vents are computed now (half a second), not while a policy's clock runs.
    """
    routes = Routes(load_map(map_path))
    for place in (*routes.stations, *routes.vents, routes.button):
        routes.distance(place, place)
    return routes
