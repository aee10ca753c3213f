"""Objects along a spiral."""

import math
from collections.abc import Iterator

from pydantic import Field

from mettagrid.mapgen.scene import Scene, SceneConfig
from mettagrid.mapgen.scenes._placing import agent_names, object_names, shuffled_to_fit

_MAX_TURNS = 1000


class SpiralConfig(SceneConfig):
    """The spiral: where it starts, how much farther out each turn is, and how fine it is walked (in radians).

    `spacing` is the least distance along it between two objects; each may move by up to `randomize_position` cells.
    `place_at_center` puts the first agent in the middle.
    """

    objects: dict[str, int] = Field(default={})
    agents: int | dict[str, int] = 0
    spacing: int = 15
    start_radius: int = 0
    radius_increment: float = 2.5
    angle_increment: float = 0.3
    randomize_position: int = 2
    place_at_center: bool = True


class Spiral(Scene[SpiralConfig]):
    """Places objects and agents, in random order, from the inside out; objects that do not fit are skipped."""

    def post_init(self) -> None:
        config = self.config
        if config.radius_increment <= 0 or config.angle_increment <= 0:
            raise ValueError(
                f"The spiral has radius_increment {config.radius_increment} and angle_increment "
                f"{config.angle_increment}; both must be above 0."
            )

    def render(self) -> None:
        config = self.config
        agents, objects = agent_names(config.agents), object_names(config.objects)
        if agents and config.place_at_center:
            self.grid[self.height // 2, self.width // 2] = agents.pop(0)
        points = self._free_points(len(agents) + len(objects))
        symbols = shuffled_to_fit(objects, agents, len(points), self.rng)
        for point, symbol in zip(points, symbols, strict=False):
            self.grid[point] = symbol

    def _free_points(self, count: int) -> list[tuple[int, int]]:
        points: dict[tuple[int, int], None] = {}
        for x, y in self._spaced():
            if len(points) == count:
                break
            reach = max(self.config.randomize_position, 0)
            dx, dy = self.rng.integers(-reach, reach + 1, size=2).tolist() if reach else (0, 0)
            row, column = self.height // 2 + round(y) + dy, self.width // 2 + round(x) + dx
            if 0 <= row < self.height and 0 <= column < self.width and self.grid[row, column] == "empty":
                points[row, column] = None
        return list(points)

    def _spaced(self) -> Iterator[tuple[float, float]]:
        """Yield points of the spiral, relative to the middle, at least `spacing` from the previous one."""
        config = self.config
        last = (0.0, 0.0) if config.place_at_center else None
        angle = 0.0
        while (radius := config.start_radius + config.radius_increment * angle / (2 * math.pi)) <= math.hypot(
            self.width, self.height
        ) / 2 and angle < _MAX_TURNS * 2 * math.pi:
            point = radius * math.cos(angle), radius * math.sin(angle)
            if last is None or math.dist(point, last) >= config.spacing:
                last = point
                yield point
            angle += config.angle_increment
