"""Maps with objects and agents strewn at random."""

from typing import Optional

from mettagrid.map_builder.map_builder import GameMap, MapBuilder, MapBuilderConfig


class RandomMapBuilderConfig(MapBuilderConfig["RandomMapBuilder"]):
    """How much of what to strew. `agents` is a number, or numbers per agent kind (`{"red": 2}` for `agent.red`)."""

    seed: Optional[int] = None
    width: int = 10
    height: int = 10
    objects: dict[str, int] = {}
    agents: int | dict[str, int] = 0
    border_width: int = 0
    border_object: str = "wall"


class RandomMapBuilder(MapBuilder[RandomMapBuilderConfig]):
    """Builds a bordered room and shuffles everything inside. Each `build` of one builder gives another map."""

    def __init__(self, config: RandomMapBuilderConfig) -> None:
        import numpy as np  # noqa: PLC0415 - configurations do without numpy

        super().__init__(config)
        self._rng = np.random.default_rng(config.seed)

    def build(self) -> GameMap:
        import numpy as np  # noqa: PLC0415 - configurations do without numpy

        from mettagrid.map_builder.utils import draw_border  # noqa: PLC0415 - needs numpy

        config = self.config
        border = config.border_width
        grid = np.full((config.height, config.width), "empty", dtype="<U50")
        draw_border(grid, border, config.border_object)
        inner_height, inner_width = max(0, config.height - 2 * border), max(0, config.width - 2 * border)
        area = inner_height * inner_width

        agents = agent_cells(config.agents)
        cells = [name for name, count in fitted(config.objects, area - len(agents)).items() for _ in range(count)]
        cells += agents
        cells += ["empty"] * (area - len(cells))
        shuffled = np.array(cells, dtype=grid.dtype)
        self._rng.shuffle(shuffled)
        if area:
            inside = shuffled[:area].reshape(inner_height, inner_width)
            grid[border : border + inner_height, border : border + inner_width] = inside
        return GameMap(grid)


def agent_cells(agents: int | dict[str, int]) -> list[str]:
    """The cell names of all agents asked for."""
    if isinstance(agents, int):
        return ["agent.agent"] * agents
    return [f"agent.{name}" for name, count in agents.items() for _ in range(count)]


def fitted(objects: dict[str, int], room: int) -> dict[str, int]:
    """Object counts halved, down to one each, until they fit in `room` cells."""
    counts = dict(objects)
    while sum(counts.values()) > room and any(count > 1 for count in counts.values()):
        counts = {name: max(1, count // 2) for name, count in counts.items()}
    return counts
