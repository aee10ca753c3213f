"""Compile a game's rules for the engine, under the published name.

    compiled, rename_map = convert_to_cpp_game_config(config.game)
    world = MettaGrid(compiled, rename_map_agents(map_rows, rename_map), seed)

`MettaGrid(config.game, map_rows, seed)` does the same in one call.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from mettagrid.config.mettagrid_config import GameConfig

if TYPE_CHECKING:
    from mettagrid.compiler import Program

__all__ = ["CompiledEvent", "CompiledGame", "convert_to_cpp_game_config", "rename_map_agents"]


class CompiledEvent(NamedTuple):
    """The steps of an event, and its largest number of targets; -1 for any number."""

    name: str
    timesteps: list[int]
    max_targets: int


@dataclass(frozen=True)
class CompiledGame:
    """A game that the engine can play on any map, with the ids of its names."""

    program: Program
    config: GameConfig

    @property
    def num_agents(self) -> int:
        return self.program.num_agents

    @property
    def max_steps(self) -> int:
        return self.program.max_steps

    @property
    def obs_width(self) -> int:
        return self.program.obs_width

    @property
    def obs_height(self) -> int:
        return self.program.obs_height

    @property
    def num_observation_tokens(self) -> int:
        return self.program.num_tokens

    @property
    def token_value_base(self) -> int:
        return self.config.obs.token_value_base

    @property
    def episode_truncates(self) -> bool:
        return self.config.episode_truncates

    @property
    def resource_names(self) -> list[str]:
        return list(self.program.resource_names)

    @property
    def vibe_names(self) -> list[str]:
        return list(self.config.vibe_names)

    @property
    def tag_id_map(self) -> dict[int, str]:
        """Tags by number."""
        return dict(enumerate(self.program.tag_names))

    @property
    def feature_ids(self) -> dict[str, int]:
        """Numbers of observation features by name."""
        return {feature.name: feature.id for feature in self.config.id_map().features()}

    @property
    def events(self) -> dict[str, CompiledEvent]:
        return {
            name: CompiledEvent(name, list(event.timesteps), -1 if event.max_targets is None else event.max_targets)
            for name, event in self.config.events.items()
        }


def convert_to_cpp_game_config(
    mettagrid_config: dict[str, Any] | GameConfig,
) -> tuple[CompiledGame, dict[str, list[str]]]:
    """Compile a game and return it with the names of single agents by map cell, for `rename_map_agents`.

    Raises ValueError for rules that the engine rejects.
    """
    from mettagrid.compiler import compiled

    game = GameConfig.model_validate(mettagrid_config) if isinstance(mettagrid_config, dict) else mettagrid_config
    program = compiled(game)
    return CompiledGame(program, game), program.agent_cells()


def rename_map_agents(map_grid: list[list[str]], rename_map: dict[str, list[str]]) -> list[list[str]]:
    """Return the rows with the k-th cell of each name in `rename_map` renamed to its k-th new name.

    Raises ValueError if a name has more cells than new names.
    """
    counts = Counter(cell for row in map_grid for cell in row)
    for name, agents in rename_map.items():
        if counts[name] > len(agents):
            raise ValueError(f"Map has more {name!r} cells ({counts[name]}) than agents in the group ({len(agents)})")
    names = {name: iter(agents) for name, agents in rename_map.items()}
    return [[next(names[cell]) if cell in names else cell for cell in row] for row in map_grid]
