"""A small game for the tests of the simulation API."""

from collections.abc import Callable

import pytest

from mettagrid.config.mettagrid_config import GameConfig, MettaGridConfig, WallConfig
from mettagrid.map_builder.ascii import AsciiMapBuilder
from mettagrid.simulator import SimulatorEventHandler

ROOM = """
#######
#@...@#
#.....#
#######
"""


def make_game(map_data: str = ROOM, **fields: object) -> MettaGridConfig:
    """Two agents at the ends of a room with walls around; `fields` go to the GameConfig."""
    rows = [list(row) for row in map_data.strip().splitlines()]
    defaults: dict[str, object] = {
        "num_agents": sum(row.count("@") for row in rows),
        "max_steps": 100,
        "resource_names": ["gold", "ore"],
        "objects": {"wall": WallConfig()},
        "map_builder": AsciiMapBuilder.Config(
            map_data=rows, char_to_map_name={"#": "wall", ".": "empty", "@": "agent.agent"}
        ),
    }
    return MettaGridConfig(game=GameConfig(**(defaults | fields)))


class Recorder(SimulatorEventHandler):
    """Records the events of a handler: (own name, event, step)."""

    def __init__(self, name: str, log: list[tuple[str, str, int]]) -> None:
        super().__init__()
        self.name, self.log = name, log

    def note(self, event: str) -> None:
        self.log.append((self.name, event, self._sim.current_step))

    def on_episode_start(self) -> None:
        self.note("start")

    def on_step(self) -> None:
        self.note("step")

    def on_episode_end(self) -> None:
        self.note("end")

    def on_close(self) -> None:
        self.note("close")


@pytest.fixture
def game() -> Callable[..., MettaGridConfig]:
    return make_game


@pytest.fixture
def recorder() -> type[Recorder]:
    return Recorder
