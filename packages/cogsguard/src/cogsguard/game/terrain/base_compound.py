"""Bases of procedural maps."""

from pydantic import Field

from cogsguard.map_config import compounds_of, is_arena
from cogsguard.map_variants import EnvNodeVariant, MachinaArenaVariant
from cogsguard.names import HUB_EXTRACTORS
from mettagrid.cogame.core import CoGameMission
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.mapgen.scenes.compound import CompoundConfig

__all__ = [
    "HUB_EXTRACTORS",
    "BaseCompoundVariant",
    "EmptyBaseVariant",
    "EnvNodeVariant",
    "RandomizeSpawnsVariant",
]


class BaseCompoundVariant(EnvNodeVariant[CompoundConfig]):
    """Base of variants that edit the bases: `modify_node` runs for each base of the arena."""

    def compat(self, mission: CoGameMission) -> bool:
        return is_arena(mission)

    @classmethod
    def extract_node(cls, env: MettaGridConfig) -> CompoundConfig:
        return MachinaArenaVariant.extract_node(env).hub

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        for compound in compounds_of(MachinaArenaVariant.extract_node(env)):
            self.modify_node(compound)


class EmptyBaseVariant(BaseCompoundVariant):
    """Removes the objects in `missing` from the corners of the base."""

    name: str = "empty_base"
    description: str = "The base has no extractors."
    missing: list[str] = Field(default_factory=lambda: list(HUB_EXTRACTORS))

    def modify_node(self, node: CompoundConfig) -> None:
        corners = node.corner_objects or list(HUB_EXTRACTORS)
        node.corner_objects = ["" if name in self.missing else name for name in corners]
        node.corner_bundle = "custom" if any(node.corner_objects) else "none"


class RandomizeSpawnsVariant(BaseCompoundVariant):
    name: str = "randomize_spawns"
    description: str = "Cogs start at random places in the base."

    def modify_node(self, node: CompoundConfig) -> None:
        node.randomize_spawn_positions = True
