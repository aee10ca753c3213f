"""Maps with randomly placed objects and agents."""

from typing import TYPE_CHECKING

from pydantic import Field

from mettagrid.map_builder.map_builder import GameMap, MapBuilder, MapBuilderConfig, checked_seed, checked_size

if TYPE_CHECKING:
    from mettagrid.map_builder.utils import MapGrid


class RandomMapBuilderConfig(MapBuilderConfig["RandomMapBuilder"]):
    """The numbers of objects. `agents` is a number, or numbers per agent kind (`{"red": 2}` for `agent.red`)."""

    seed: int | None = None
    width: int = 10
    height: int = 10
    objects: dict[str, int] = Field(default={})
    agents: int | dict[str, int] = 0
    border_width: int = 0
    border_object: str = "wall"


class RandomMapBuilder(MapBuilder[RandomMapBuilderConfig]):
    """Builds a bordered room and shuffles everything inside. With a seed every `build` gives the same map."""

    def build(self) -> GameMap:
        import numpy as np  # configurations do not import numpy

        from mettagrid.map_builder.utils import draw_border  # needs numpy

        config = self.config
        border = config.border_width
        grid = np.full(checked_size(config.height, config.width), "empty", dtype="<U50")
        draw_border(grid, border, config.border_object)
        inner_height, inner_width = config.height - 2 * border, config.width - 2 * border
        if inner_height > 0 and inner_width > 0:
            inside = self._shuffled_cells(inner_height * inner_width).reshape(inner_height, inner_width)
            grid[border : border + inner_height, border : border + inner_width] = inside
        return GameMap(grid)

    def _shuffled_cells(self, area: int) -> "MapGrid":
        import numpy as np  # configurations do not import numpy

        agents = agent_cells(self.config.agents, area)
        objects = fitted_objects(self.config.objects, area - len(agents))
        cells = [name for name, count in objects.items() for _ in range(count)] + agents
        if len(cells) > area:
            raise ValueError(
                f"The map has {area} cells inside its border; {len(agents)} agents and at least one each of "
                f"{len(objects)} kinds of objects do not fit."
            )
        cells += ["empty"] * (area - len(cells))
        shuffled = np.array(cells, dtype="<U50")
        np.random.default_rng(checked_seed(self.config.seed)).shuffle(shuffled)
        return shuffled


def agent_cells(agents: int | dict[str, int], room: int) -> list[str]:
    """Return the cell names of all agents; raises `ValueError` if they need more than `room` cells."""
    counts = {"agent": agents} if isinstance(agents, int) else agents
    total = sum(max(0, count) for count in counts.values())
    if total > room:
        raise ValueError(f"The map has {room} cells inside its border; {total} agents do not fit.")
    return [f"agent.{name}" for name, count in counts.items() for _ in range(count)]


def fitted_objects(objects: dict[str, int], room: int) -> dict[str, int]:
    """Halve the object counts, down to one each, until they fit in `room` cells."""
    counts = dict(objects)
    while sum(counts.values()) > room and any(count > 1 for count in counts.values()):
        counts = {name: max(1, count // 2) for name, count in counts.items()}
    return counts
