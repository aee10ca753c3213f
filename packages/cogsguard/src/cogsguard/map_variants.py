"""Bases of variants that edit one part of an environment, for most of them a part of its procedural map."""

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from pydantic import Field

from cogsguard.map_config import find_arena, find_map_generator, is_arena
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, VariantConflict
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.mapgen.mapgen import MapGenConfig
from mettagrid.mapgen.scenes.biome_arena import BiomeArenaConfig, SequentialBiomeArenaConfig

T = TypeVar("T")


class EnvNodeVariant(CoGameMissionVariant, ABC, Generic[T]):
    """Base of variants that edit one part of an environment: `extract_node` finds it, `modify_node` edits it."""

    @abstractmethod
    def extract_node(self, env: MettaGridConfig) -> T:
        """Return the part; raise `VariantConflict` if the environment has none."""

    @abstractmethod
    def modify_node(self, node: T) -> None:
        """Edit the part in place."""

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        self.modify_node(self.extract_node(env))


class MapGenVariant(EnvNodeVariant[MapGenConfig]):
    """Base of variants that edit the map generator."""

    @classmethod
    def extract_node(cls, env: MettaGridConfig) -> MapGenConfig:
        generator = find_map_generator(env.game.map_builder)
        if generator is None:
            raise VariantConflict(f"{cls.__name__} needs a procedural map; this environment has a drawn one.")
        return generator


class MapSeedVariant(MapGenVariant):
    """Fixes the seed of the map."""

    name: str = "map_seed"
    description: str = "A map with a fixed seed."
    seed: int = Field(ge=0)

    def modify_node(self, node: MapGenConfig) -> None:
        node.seed = self.seed


class MachinaArenaVariant(EnvNodeVariant[BiomeArenaConfig]):
    """Base of variants that edit the procedural arena."""

    def compat(self, mission: CoGameMission) -> bool:
        return is_arena(mission)

    @classmethod
    def extract_node(cls, env: MettaGridConfig) -> BiomeArenaConfig:
        arena = find_arena(env.game.map_builder)
        if arena is None:
            raise VariantConflict(f"{cls.__name__} needs a procedural arena; this environment has another map.")
        return arena


class SequentialMachinaArenaVariant(EnvNodeVariant[SequentialBiomeArenaConfig]):
    """Base of variants that edit a sequential arena."""

    def compat(self, mission: CoGameMission) -> bool:
        return isinstance(find_arena(mission.map_builder), SequentialBiomeArenaConfig)

    @classmethod
    def extract_node(cls, env: MettaGridConfig) -> SequentialBiomeArenaConfig:
        arena = find_arena(env.game.map_builder)
        if not isinstance(arena, SequentialBiomeArenaConfig):
            raise VariantConflict(f"{cls.__name__} needs a sequential arena; this environment has another map.")
        return arena
