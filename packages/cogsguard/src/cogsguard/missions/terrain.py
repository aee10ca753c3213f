"""Bases and size of procedural maps."""

from typing import Literal

from pydantic import Field

from cogsguard.game.gear import GearVariant
from cogsguard.game.teams.gear_stations import TeamGearStationsVariant
from cogsguard.game.teams.team import TeamVariant
from cogsguard.map_config import is_arena, use_sequential_arena
from cogsguard.map_variants import (
    EnvNodeVariant,
    MachinaArenaVariant,
    MapGenVariant,
    MapSeedVariant,
    SequentialMachinaArenaVariant,
)
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.mapgen.scenes.biome_arena import (
    MachinaArena,
    MachinaArenaConfig,
    SequentialMachinaArena,
    SequentialMachinaArenaConfig,
    find_biome_arena,
)
from mettagrid.mapgen.scenes.compound import CompoundConfig
from mettagrid.mapgen.scenes.random_transform import RandomTransform

__all__ = [
    "CompoundLocation",
    "EnvNodeVariant",
    "MachinaArena",
    "MachinaArenaConfig",
    "MachinaArenaVariant",
    "MachinaTerrainVariant",
    "MapGenVariant",
    "MapSeedVariant",
    "RandomTransform",
    "SequentialMachinaArena",
    "SequentialMachinaArenaConfig",
    "SequentialMachinaArenaVariant",
    "find_machina_arena",
]

find_machina_arena = find_biome_arena

CompoundLocation = Literal["center", "nw", "ne", "sw", "se"]
_CORNERS: tuple[CompoundLocation, ...] = ("nw", "ne", "sw", "se")


class MachinaTerrainVariant(CoGameMissionVariant):
    """Sets the size of the map and places bases.

    `compound_placements` are the bases in team order; only the fields set in a placement differ from the base in the
    centre. Without placements several teams have a corner each, and a single team the centre.
    """

    name: str = "machina_terrain"
    description: str = "A map of 88 x 88 cells with a base for each team."
    map_width: int = Field(default=88, ge=20)
    map_height: int = Field(default=88, ge=20)
    building_coverage_scale: float = Field(default=1.0, ge=0)
    compound_placements: list[tuple[CompoundLocation, CompoundConfig]] = Field(default_factory=list)

    def dependencies(self) -> Deps:
        return Deps(required=[TeamVariant], optional=[TeamGearStationsVariant])

    def compat(self, mission: CoGameMission) -> bool:
        return is_arena(mission)

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        generator = MapGenVariant.extract_node(env)
        generator.width, generator.height = self.map_width, self.map_height
        arena = MachinaArenaVariant.extract_node(env)
        arena.building_coverage *= self.building_coverage_scale
        teams = mission.required_variant(TeamVariant).player_teams()
        placements = self.compound_placements
        if not placements and len(teams) > 1 and not generator.instances:
            placements = [(corner, CompoundConfig()) for corner in _CORNERS]
        if not placements:
            return
        gear = mission.optional_variant(GearVariant)
        items = gear.items if gear and mission.optional_variant(TeamGearStationsVariant) else []
        arena = use_sequential_arena(env)  # the kind that has bases outside its centre
        arena.compounds = [
            (
                place,
                arena.hub.model_copy(
                    update={
                        **{field: getattr(compound, field) for field in compound.model_fields_set},
                        "hub_object": f"{team.short_name}:hub",
                        "stations": [f"{team.short_name}:{item}" for item in items],
                        "spawn_symbol": f"agent.team_{team.team_id}",
                        "spawn_count": team.num_agents,
                    },
                    deep=True,
                ),
            )
            for (place, compound), team in zip(placements, teams, strict=False)
        ]
