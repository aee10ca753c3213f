"""Find and edit the map configuration of an environment. Edits of a procedural arena do nothing on another map."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mettagrid.cogame.core import CoGameMission
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.map_builder.ascii import AsciiMapBuilder
from mettagrid.map_builder.choice_ascii import ChoiceAsciiMapBuilder

if TYPE_CHECKING:
    from mettagrid.mapgen.mapgen import MapGenConfig
    from mettagrid.mapgen.scenes.biome_arena import BiomeArenaConfig
    from mettagrid.mapgen.scenes.compound import CompoundConfig


def find_map_generator(builder: object) -> "MapGenConfig | None":
    """Return the config of the map generator, or None for another kind of map."""
    from mettagrid.mapgen.mapgen import MapGenConfig  # needs numpy

    return builder if isinstance(builder, MapGenConfig) else None


def find_arena(builder: object) -> "BiomeArenaConfig | None":
    """Return the config of the procedural arena, or None for another kind of map."""
    generator = find_map_generator(builder)
    if generator is None:
        return None
    from mettagrid.mapgen.scenes.biome_arena import find_biome_arena  # needs numpy

    return find_biome_arena(generator)


def use_sequential_arena(env: MettaGridConfig) -> "BiomeArenaConfig":
    """Make the arena sequential if it is not, and return it."""
    from mettagrid.mapgen.scenes.biome_arena import SequentialBiomeArena  # needs numpy

    generator, arena = find_map_generator(env.game.map_builder), find_arena(env.game.map_builder)
    assert generator is not None and arena is not None
    if not isinstance(arena, SequentialBiomeArena.Config):
        settings = {name: getattr(arena, name) for name in type(arena).model_fields}
        arena = SequentialBiomeArena.Config(**settings)
        generator.instance = arena
    return arena


def is_arena(mission: CoGameMission) -> bool:
    return find_arena(mission.map_builder) is not None


def compounds_of(arena: "BiomeArenaConfig") -> "Iterator[CompoundConfig]":
    """Yield the config of every base of the arena."""
    yield arena.hub
    for _, compound in arena.compounds:
        if compound is not arena.hub:
            yield compound


def set_hub_object(env: MettaGridConfig, name: str) -> None:
    arena = find_arena(env.game.map_builder)
    for compound in compounds_of(arena) if arena else ():
        compound.hub_object = name


def set_hub_stations(env: MettaGridConfig, stations: Sequence[str]) -> None:
    arena = find_arena(env.game.map_builder)
    for compound in compounds_of(arena) if arena else ():
        compound.stations = list(stations)


def set_corner_extractors(env: MettaGridConfig) -> None:
    """Put extractors in the corners of the bases, except where a variant has chosen other objects."""
    arena = find_arena(env.game.map_builder)
    for compound in compounds_of(arena) if arena else ():
        if compound.corner_objects is None:
            compound.corner_bundle = "extractors"


def set_buildings(env: MettaGridConfig, weights: Mapping[str, float]) -> None:
    """Scatter buildings over the arena, except where a variant has chosen the buildings before."""
    arena = find_arena(env.game.map_builder)
    if arena is not None and weights and not arena.building_names:
        arena.building_names = list(weights)
        arena.building_weights = dict(weights)


def add_buildings(env: MettaGridConfig, weights: Mapping[str, float]) -> None:
    """Scatter further buildings over the arena."""
    arena = find_arena(env.game.map_builder)
    if arena is not None and weights:
        arena.building_weights = {**(arena.building_weights or {}), **weights}
        arena.building_names = list(arena.building_weights)


def drawn_cells(builder: object) -> list[str] | None:
    """Return the map names on a drawn map, row by row, or None for another kind of map. Of several maps, the first."""
    if isinstance(builder, AsciiMapBuilder.Config):
        rows = builder.map_data
    elif isinstance(builder, ChoiceAsciiMapBuilder.Config):
        rows = builder.map_options[0]
    else:
        return None
    legend = builder.char_to_map_name
    return [legend[char] for row in rows for char in row if char in legend]


def count_drawn(builder: object, prefix: str) -> int | None:
    """Count the cells of a drawn map whose name has a prefix; return None for another kind of map."""
    if not isinstance(builder, AsciiMapBuilder.Config):
        return None
    config: Any = builder
    chars = {char for char, name in config.char_to_map_name.items() if name.startswith(prefix)}
    return sum(char in chars for row in config.map_data for char in row)
