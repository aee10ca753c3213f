"""Objects on the points of a lattice."""

from collections.abc import Iterator

from pydantic import Field

from mettagrid.mapgen.scene import Scene, SceneConfig
from mettagrid.mapgen.scenes._placing import agent_names, object_names, shuffled_to_fit


class GridHubsConfig(SceneConfig):
    """The lattice: its rows and columns, the `margin` around it and the least distance between its points.

    Points may move by up to `randomize_position` cells. `place_agent_center` puts the first agent in the middle.
    """

    objects: dict[str, int] = Field(default={})
    agents: int | dict[str, int] = 0
    grid_rows: int = 3
    grid_cols: int = 3
    margin: int = 5
    min_spacing: int = 9
    randomize_position: int = 0
    place_agent_center: bool = True


class GridHubs(Scene[GridHubsConfig]):
    """Places objects and agents on random points of a lattice; objects without a point are skipped.

    Where points would be nearer than `min_spacing` the lattice has fewer rows or columns.
    """

    def render(self) -> None:
        config = self.config
        agents = agent_names(config.agents)
        if agents and config.place_agent_center:
            self.grid[self.height // 2, self.width // 2] = agents.pop(0)
        points = [point for point in self._points() if self.grid[point] == "empty"]
        symbols = shuffled_to_fit(object_names(config.objects), agents, len(points), self.rng)
        for point, symbol in zip(self.rng.permutation(len(points)), symbols, strict=False):
            self.grid[points[point]] = symbol

    def _points(self) -> Iterator[tuple[int, int]]:
        config = self.config
        used = set()
        for row in _evenly(self.height, config.grid_rows, config.margin, config.min_spacing):
            for column in _evenly(self.width, config.grid_cols, config.margin, config.min_spacing):
                point = self._moved(row, self.height), self._moved(column, self.width)
                if point not in used:
                    used.add(point)
                    yield point

    def _moved(self, position: int, size: int) -> int:
        reach = self.config.randomize_position
        if reach <= 0:
            return position
        return min(max(position + int(self.rng.integers(-reach, reach + 1)), 0), size - 1)


def _evenly(size: int, count: int, margin: int, spacing: int) -> list[int]:
    """Return up to `count` positions with even gaps of at least `spacing`; the middle if only one fits."""
    length = size - 2 * margin
    while count > 1 and (length <= 0 or length / (count - 1) < spacing):
        count -= 1
    if count < 1:
        return []
    if count == 1:
        return [size // 2]
    return [min(margin + int(number * length / (count - 1)), size - 1) for number in range(count)]
