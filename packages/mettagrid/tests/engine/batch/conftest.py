"""A game with randomness, for batches."""

from collections.abc import Callable

import numpy as np
import pytest

from mettagrid.compiler import Program, compile
from mettagrid.config.event_config import EventConfig
from mettagrid.config.game_value import inv
from mettagrid.config.handler_config import Handler, updateTarget, withdraw
from mettagrid.config.mettagrid_config import AgentConfig, AgentReward, GridObjectConfig, InventoryConfig, WallConfig

MAP = """
##########
#@..b...@#
#..b..#..#
#.#..b..b#
#@....b.@#
##########
"""


@pytest.fixture
def program(game: Callable) -> Callable[..., Program]:
    """Boxes whose gold goes to the first agent, and gold that appears in two random boxes."""

    def program(drawn: str = MAP, **fields: object) -> Program:
        chest = GridObjectConfig(
            name="box",
            inventory=InventoryConfig(initial={"gold": 3}),
            on_use_handler=Handler(mutations=[withdraw({"gold": 1})]),
        )
        rain = EventConfig(
            name="rain",
            target_query="type:box",
            timesteps=list(range(1, 100, 2)),
            max_targets=2,
            mutations=[updateTarget({"gold": 1})],
        )
        defaults: dict[str, object] = {
            "max_steps": 8,
            "objects": {"wall": WallConfig(), "box": chest},
            "events": {"rain": rain},
            "agent": AgentConfig(rewards={"gold": AgentReward(reward=inv("gold"))}),
        }
        return compile(game(drawn, **(defaults | fields)))

    return program


@pytest.fixture
def rows(cells: Callable) -> list[list[str]]:
    return cells(MAP)


@pytest.fixture
def worlds(program: Callable, rows: list[list[str]]) -> Callable[..., list]:
    """`count` worlds of the game, with seeds 0, 1, 2, ..."""

    def worlds(count: int, **fields: object) -> list:
        made = program(**fields)
        resolved = made.map(rows)
        return [made.world(resolved, seed) for seed in range(count)]

    return worlds


@pytest.fixture
def shown() -> Callable[..., list]:
    """The whole visible state of a batch, for comparison."""

    def shown(batch: object) -> list:
        names = ("observations", "terminals", "truncations", "rewards", "episodes")
        arrays = [getattr(batch, name).tolist() for name in names]
        return [*arrays, [(world.current_step, world.get_episode_stats()) for world in batch.worlds]]

    return shown


@pytest.fixture
def stream() -> Callable[..., np.ndarray]:
    """Actions at random, some of them vibe changes and some invalid: int32 [steps, agents]."""

    def stream(seed: int, steps: int, agents: int) -> np.ndarray:
        return np.random.default_rng(seed).integers(0, 12, (steps, agents), dtype=np.int32)

    return stream
