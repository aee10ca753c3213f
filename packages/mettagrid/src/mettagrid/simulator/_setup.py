"""Set up a simulation before the first step: seed, agents, map, shared memory."""

from __future__ import annotations

import secrets
from operator import index
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mettagrid.config.mettagrid_config import GameConfig, MettaGridConfig
    from mettagrid.map_builder.map_builder import GameMap
    from mettagrid.mettagrid_c import MettaGrid
    from mettagrid.simulator._buffers import Buffers
    from mettagrid.simulator.map_cache import SharedMapCache
    from mettagrid.simulator.simulator import Simulator

MAX_SEED = 2**32 - 1


def game_of(config: MettaGridConfig) -> GameConfig:
    """Return the game of a config; raise TypeError if it is not a MettaGridConfig."""
    game: GameConfig | None = getattr(config, "game", None)
    if game is None:
        raise TypeError(f"A simulation needs a MettaGridConfig, not {type(config).__name__}")
    return game


def checked_seed(seed: int | None) -> int:
    """Return the engine's seed; for None, draw one."""
    if seed is None:
        return secrets.randbits(32)
    try:
        number = index(seed)
    except TypeError:
        raise TypeError(f"A seed must be an integer or None, not {seed!r}") from None
    if not 0 <= number <= MAX_SEED:
        raise ValueError(f"A seed must be from 0 to {MAX_SEED}, not {number}")
    return number


def fill_agents(game: GameConfig) -> None:
    """Write one config per agent into a game that describes them by `agent` and `num_agents`."""
    if not game.agents:
        game.agents = [game.agent.model_copy(update={"team_id": 0}) for _ in range(game.num_agents)]


def build_map(game: GameConfig, *, simulator: Simulator | None, maps_cache: SharedMapCache | None) -> GameMap:
    """Build the map, or take it from the cache; with a Simulator, each map of a seeded builder gets the next seed."""
    builder = game.map_builder
    seed = getattr(builder, "seed", None)
    if simulator is not None and seed is not None:
        builder = builder.model_copy(update={"seed": simulator.next_map_seed(seed)})
    if maps_cache is not None:
        return maps_cache.get_or_create(builder, game.num_agents)
    return builder.create().build_for_num_agents(game.num_agents)


def share_buffers(engine: MettaGrid, buffers: Buffers) -> None:
    """Make the engine work in the caller's arrays."""
    if buffers.vibe_actions is None:
        raise TypeError("Buffers need `vibe_actions` or `teacher_actions`")
    engine.set_buffers(
        buffers.observations,
        buffers.terminals,
        buffers.truncations,
        buffers.rewards,
        buffers.actions,
        buffers.vibe_actions,
    )
