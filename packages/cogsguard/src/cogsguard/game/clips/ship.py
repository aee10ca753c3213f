"""Ships of the clips, and where they stand on maps.

A procedural arena places ships in its corners; a drawn map has those that are drawn. The functions on map configs
return the config they were given after editing it in place; other kinds of map have no ships.
"""

from typing import TypeVar

from cogsguard.game.teams.team import TeamConfig
from cogsguard.map_config import drawn_cells, find_arena, find_map_generator
from mettagrid.cogame.core import CvCStationConfig, VariantConflict
from mettagrid.config.mettagrid_config import GridObjectConfig
from mettagrid.map_builder.ascii import AsciiMapBuilder
from mettagrid.map_builder.choice_ascii import ChoiceAsciiMapBuilder

CLIPS_SHIP_MAP_NAME = "clips:ship"
DEFAULT_CLIPS_SHIP_COUNT = 4
_CORNERS = 4

MapConfigT = TypeVar("MapConfigT")


class CvCShipConfig(CvCStationConfig):
    """A ship, the seed of the clips' network."""

    def station_cfg(  # type: ignore[override]  # a ship has an owner and one of several map names
        self, team: TeamConfig, map_name: str | None = None
    ) -> GridObjectConfig:
        return GridObjectConfig(name="ship", map_name=map_name or "ship", tags=[team.team_tag()])


def is_clips_ship_map_name(name: str) -> bool:
    """Return whether a map name is that of a ship: `clips:ship` or `clips:ship:<number>`."""
    return name == CLIPS_SHIP_MAP_NAME or name.startswith(f"{CLIPS_SHIP_MAP_NAME}:")


def clips_ship_map_names_in_map_config(config: object) -> list[str]:
    """Return the map name of every ship on a map; drawn ships and copies of a map may share a name."""
    drawn = drawn_cells(config)
    if drawn is not None:
        return [name for name in drawn if is_clips_ship_map_name(name)]
    arena = find_arena(config)
    if arena is None:
        return []
    names = [name for name, _ in arena.map_corner_placements if is_clips_ship_map_name(name)]
    generator = find_map_generator(config)
    return names * ((generator.instances or 1) if generator else 1)


def add_clips_ships_to_map_config(config: MapConfigT, num_ships: int) -> MapConfigT:
    """Place ships in the corners of a procedural arena, at most one per corner."""
    if not 0 <= num_ships <= _CORNERS:
        raise VariantConflict(f"num_ships is {num_ships}; a map has corners for 0 to {_CORNERS} ships.")
    arena = find_arena(config)
    if arena is not None:
        ships = [(f"{CLIPS_SHIP_MAP_NAME}:{corner}", corner) for corner in range(num_ships)]
        arena.map_corner_placements = [*arena.map_corner_placements, *ships]
    return config


def remove_clips_ships_from_map_config(config: MapConfigT) -> MapConfigT:
    """Remove all ships; drawn ones become empty cells."""
    if isinstance(config, AsciiMapBuilder.Config | ChoiceAsciiMapBuilder.Config):
        legend = config.char_to_map_name
        config.char_to_map_name = {
            char: "empty" if is_clips_ship_map_name(name) else name for char, name in legend.items()
        }
    arena = find_arena(config)
    if arena is not None:
        others = [(name, corner) for name, corner in arena.map_corner_placements if not is_clips_ship_map_name(name)]
        arena.map_corner_placements = others
    return config


def set_clips_ships_in_map_config(config: MapConfigT, num_ships: int | None) -> MapConfigT:
    """Give a map `num_ships` ships. None keeps the ships of a map, and gives a procedural arena without any four.

    Raise `VariantConflict` for a drawn map with another number of ships.
    """
    if num_ships == 0:
        return remove_clips_ships_from_map_config(config)
    present = clips_ship_map_names_in_map_config(config)
    if drawn_cells(config) is not None:
        if num_ships not in (None, len(present)):
            raise VariantConflict(f"num_ships is {num_ships}, but {len(present)} ships are drawn on the map.")
        return config
    if num_ships is None:
        return config if present else add_clips_ships_to_map_config(config, DEFAULT_CLIPS_SHIP_COUNT)
    return add_clips_ships_to_map_config(remove_clips_ships_from_map_config(config), num_ships)
