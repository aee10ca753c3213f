"""A small game for the tests of the compiler."""

from collections.abc import Callable

import pytest

from mettagrid.config.mettagrid_config import GameConfig, GridObjectConfig, WallConfig


def make_game(**fields: object) -> GameConfig:
    """One agent, walls and boxes, gold and ore; `fields` go to the GameConfig."""
    defaults: dict[str, object] = {
        "num_agents": 1,
        "resource_names": ["gold", "ore"],
        "objects": {"wall": WallConfig(), "box": GridObjectConfig(name="box")},
    }
    return GameConfig(**(defaults | fields))


@pytest.fixture
def game() -> Callable[..., GameConfig]:
    return make_game
