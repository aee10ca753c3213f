"""Small worlds for the tests of the engine."""

from collections.abc import Callable, Iterator

import pytest

from mettagrid import _native
from mettagrid.config.mettagrid_config import GameConfig, GridObjectConfig, WallConfig
from mettagrid.mettagrid_c import MettaGrid

LEGEND = {"#": "wall", ".": "empty", "@": "agent.agent", "b": "box"}
ROOM = """
#######
#@...@#
#..b..#
#######
"""


def read_map(drawn: str) -> list[list[str]]:
    return [[LEGEND[char] for char in line] for line in drawn.split()]


def make_game(drawn: str = ROOM, **fields: object) -> GameConfig:
    """A game for the agents of a drawn map, with walls and boxes, gold and ore; `fields` go to the GameConfig."""
    defaults: dict[str, object] = {
        "num_agents": drawn.count("@"),
        "max_steps": 100,
        "resource_names": ["gold", "ore"],
        "objects": {"wall": WallConfig(), "box": GridObjectConfig(name="box")},
    }
    return GameConfig(**(defaults | fields))


def make_world(drawn: str = ROOM, *, seed: int = 0, **fields: object) -> MettaGrid:
    """A world of such a game."""
    return MettaGrid(make_game(drawn, **fields), read_map(drawn), seed)


@pytest.fixture
def game() -> Callable[..., GameConfig]:
    return make_game


@pytest.fixture
def world() -> Callable[..., MettaGrid]:
    return make_world


@pytest.fixture
def cells() -> Callable[[str], list[list[str]]]:
    return read_map


@pytest.fixture(params=range(_native.processor_level() + 1))
def processor_level(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run the test with each set of instructions that the core can use on this processor."""
    highest = _native.processor_level()
    _native._set_processor_level(request.param)
    yield
    _native._set_processor_level(highest)
