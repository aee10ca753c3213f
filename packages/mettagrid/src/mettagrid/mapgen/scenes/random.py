"""Objects and agents on random empty cells."""

import numpy as np
from pydantic import Field

from mettagrid.mapgen.scene import Scene, SceneConfig


class RandomConfig(SceneConfig):
    """The numbers of objects. `agents` is a number, or numbers per agent kind (`{"red": 2}` for `agent.red`).

    Objects that do not fit are skipped at random, or an error unless `too_many_is_ok`.
    """

    objects: dict[str, int] = Field(default={})
    agents: int | dict[str, int] = 0
    too_many_is_ok: bool = True


class Random(Scene[RandomConfig]):
    """Places objects and agents on cells that are empty."""

    def render(self) -> None:
        config = self.config
        counts = {"agent": config.agents} if isinstance(config.agents, int) else config.agents
        agents = [f"agent.{name}" for name, count in counts.items() for _ in range(count)]
        objects = [name for name, count in config.objects.items() for _ in range(count)]
        empty = np.flatnonzero(self.grid == "empty")
        room = len(empty) - len(agents)
        if room < 0:
            raise ValueError(f"The scene has {len(empty)} empty cells; {len(agents)} agents do not fit.")
        if len(objects) > room:
            if not config.too_many_is_ok:
                raise ValueError(
                    f"The scene has {room} empty cells besides those for agents; {len(objects)} objects do not fit."
                )
            objects = [objects[index] for index in self.rng.choice(len(objects), room, replace=False)]
        symbols = np.array(objects + agents, dtype=self.grid.dtype)
        self.rng.shuffle(symbols)
        self.rng.shuffle(empty)
        rows, columns = np.unravel_index(empty[: len(symbols)], self.grid.shape)
        self.grid[rows, columns] = symbols
