"""Procedural maps of the missions."""

from typing import Any

from mettagrid.mapgen.mapgen import MapGen, MapGenConfig
from mettagrid.mapgen.scenes.biome_arena import BiomeArena, SequentialBiomeArena
from mettagrid.mapgen.scenes.building_distributions import DistributionConfig, DistributionType


def arena_map(
    size: int, cogs: int, *, sequential: bool = False, even_junctions: bool = False, **arena: Any
) -> MapGenConfig:
    """Return a square arena. `even_junctions` keeps junctions apart from one another."""
    if even_junctions:
        arena["building_distributions"] = {"junction": DistributionConfig(type=DistributionType.POISSON)}
    scene = SequentialBiomeArena if sequential else BiomeArena
    return MapGen.Config(width=size, height=size, instance=scene.Config(spawn_count=cogs, **arena))
