"""Sizes, landscapes and placement on procedural maps."""

from typing import TYPE_CHECKING

from pydantic import Field

from cogsguard.names import ELEMENTS, extractor_of
from cogsguard.terrain import compounds_of, find_map_generator, is_arena, required_arena, use_sequential_arena
from cogsguard.variants.buildings import BuildingsVariant, ExtractorsVariant, JunctionVariant
from cogsguard.variants.gear import GearVariant, TeamGearStationsVariant
from cogsguard.variants.teams import TeamVariant
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps, VariantConflict
from mettagrid.config.mettagrid_config import MettaGridConfig

if TYPE_CHECKING:
    from mettagrid.mapgen.scenes.biome_arena import BiomeArenaConfig

_CORNERS = ("nw", "ne", "sw", "se")
_BIOMES = ("caves", "forest", "desert", "city", "plains")
_CLUSTER = 0.18  # spread of a group of buildings, as a part of the map's side


class _TerrainVariant(CoGameMissionVariant):
    """Base of variants that need a procedural arena."""

    def compat(self, mission: CoGameMission) -> bool:
        return is_arena(mission)

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        self.modify_arena(mission, env, required_arena(mission, env, self.name))

    def modify_arena(self, mission: CoGameMission, env: MettaGridConfig, arena: "BiomeArenaConfig") -> None:
        """Change the settings of the arena."""


def _resize(mission: CoGameMission, env: MettaGridConfig, variant: str, size: int) -> None:
    generator = find_map_generator(env.game.map_builder)
    if generator is None:
        raise VariantConflict(f"The variant {variant!r} needs a procedural map; {mission.name!r} has a drawn one.")
    generator.width = generator.height = size


class MachinaTerrainVariant(_TerrainVariant):
    """The size of `machina_1` and a base for each team: in the centre, or with `in_corners` one per corner."""

    name: str = "machina_terrain"
    description: str = "A map of 88 x 88 cells with a base for each team."
    size: int = Field(default=88, ge=20)
    building_coverage_scale: float = Field(default=1.0, ge=0)
    in_corners: bool = False

    def dependencies(self) -> Deps:
        return Deps(required=[TeamVariant], optional=[TeamGearStationsVariant])

    def modify_arena(self, mission: CoGameMission, env: MettaGridConfig, arena: "BiomeArenaConfig") -> None:
        _resize(mission, env, self.name, self.size)
        arena.building_coverage *= self.building_coverage_scale
        teams = mission.required_variant(TeamVariant).player_teams()
        if not self.in_corners and len(teams) < 2:
            return
        arena = use_sequential_arena(env)  # the kind that has bases in its corners
        gear = mission.optional_variant(GearVariant)
        stations = gear.items if gear and mission.optional_variant(TeamGearStationsVariant) else []
        arena.compounds = [
            (
                place,
                arena.hub.model_copy(
                    update={
                        "hub_object": team.hub_name(),
                        "stations": [f"{team.short_name}:{item}" for item in stations],
                        "spawn_symbol": f"agent.team_{team.team_id}",
                        "spawn_count": team.num_agents,
                    },
                    deep=True,
                ),
            )
            for place, team in zip(_CORNERS, teams, strict=False)
        ]


class Small50Variant(CoGameMissionVariant):
    name: str = "small_50"
    description: str = "A map of 50 x 50 cells."

    def compat(self, mission: CoGameMission) -> bool:
        return is_arena(mission)

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        _resize(mission, env, self.name, 50)


class _BiomeVariant(_TerrainVariant):
    """Base of the landscapes: the whole map is of one kind, called as the variant."""

    def modify_arena(self, mission: CoGameMission, env: MettaGridConfig, arena: "BiomeArenaConfig") -> None:
        arena.biome_weights = {biome: float(biome == self.name) for biome in _BIOMES}
        arena.base_biome = self.name


class DesertVariant(_BiomeVariant):
    name: str = "desert"
    description: str = "Dunes."


class ForestVariant(_BiomeVariant):
    name: str = "forest"
    description: str = "Thickets."


class CavesVariant(_BiomeVariant):
    name: str = "caves"
    description: str = "Caves."


class CityVariant(_BiomeVariant):
    name: str = "city"
    description: str = "Blocks and streets."

    def modify_arena(self, mission: CoGameMission, env: MettaGridConfig, arena: "BiomeArenaConfig") -> None:
        super().modify_arena(mission, env, arena)
        arena.density_scale = 1.0
        arena.biome_count = 1
        arena.max_biome_zone_fraction = 0.95


class DistantResourcesVariant(_TerrainVariant):
    """Extractors gather in two corners each, far from the hub."""

    name: str = "distant_resources"
    description: str = "Few extractors, in the corners of the map."

    def dependencies(self) -> Deps:
        return Deps(optional=[BuildingsVariant, ExtractorsVariant, JunctionVariant])

    def modify_arena(self, mission: CoGameMission, env: MettaGridConfig, arena: "BiomeArenaConfig") -> None:
        from mettagrid.mapgen.scenes.building_distributions import DistributionConfig, DistributionType  # needs numpy

        arena.building_coverage = 0.01
        arena.distribution = DistributionConfig(type=DistributionType.UNIFORM)
        low, high = 0.08, 0.92
        arena.building_distributions = {
            extractor_of(element): DistributionConfig(
                type=DistributionType.BIMODAL,
                center1_x=low if number % 2 else high,
                center1_y=low,
                center2_x=high if number % 2 else low,
                center2_y=high,
                cluster_std=_CLUSTER,
            )
            for number, element in enumerate(ELEMENTS)
        }


class QuadrantBuildingsVariant(_TerrainVariant):
    """Each element has a quadrant of the map. Nothing else is scattered, junctions included."""

    name: str = "quadrant_buildings"
    description: str = "Extractors of each element fill one quadrant of the map."

    def dependencies(self) -> Deps:
        return Deps(optional=[BuildingsVariant, ExtractorsVariant, JunctionVariant])

    def modify_arena(self, mission: CoGameMission, env: MettaGridConfig, arena: "BiomeArenaConfig") -> None:
        from mettagrid.mapgen.scenes.building_distributions import DistributionConfig, DistributionType  # needs numpy

        if mission.optional_variant(ExtractorsVariant) is None:
            return
        names = [extractor_of(element) for element in ELEMENTS]
        centres = ((0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75))
        arena.building_names = names
        arena.building_weights = dict.fromkeys(names, 1.0)
        arena.building_distributions = {
            name: DistributionConfig(type=DistributionType.NORMAL, mean_x=x, mean_y=y, std_x=_CLUSTER, std_y=_CLUSTER)
            for name, (x, y) in zip(names, centres, strict=True)
        }


class EmptyBaseVariant(_TerrainVariant):
    """Takes objects from the corners of the base: all of them, or those in `missing`."""

    name: str = "empty_base"
    description: str = "The base has no extractors."
    missing: list[str] = Field(default_factory=lambda: [extractor_of(element) for element in ELEMENTS])

    def dependencies(self) -> Deps:
        return Deps(optional=[ExtractorsVariant])

    def modify_arena(self, mission: CoGameMission, env: MettaGridConfig, arena: "BiomeArenaConfig") -> None:
        from mettagrid.mapgen.scenes.compound import DEFAULT_EXTRACTORS  # needs numpy

        for compound in compounds_of(arena):
            corners = compound.corner_objects or list(DEFAULT_EXTRACTORS)
            compound.corner_objects = ["" if name in self.missing else name for name in corners]
            compound.corner_bundle = "custom" if any(compound.corner_objects) else "none"


class RandomizeSpawnsVariant(_TerrainVariant):
    name: str = "randomize_spawns"
    description: str = "Cogs start at random places in the base."

    def modify_arena(self, mission: CoGameMission, env: MettaGridConfig, arena: "BiomeArenaConfig") -> None:
        for compound in compounds_of(arena):
            compound.randomize_spawn_positions = True


class MapSeedVariant(CoGameMissionVariant):
    """Fixes the seed of the map."""

    name: str = "map_seed"
    description: str = "A map with a fixed seed."
    seed: int = Field(ge=0)

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        if hasattr(env.game.map_builder, "seed"):
            env.game.map_builder.seed = self.seed


class BaseJunctionVariant(_TerrainVariant):
    """Puts a junction north of each hub."""

    name: str = "base_junction"
    description: str = "Each base has a junction."
    distance: int = Field(default=6, ge=2)

    def dependencies(self) -> Deps:
        return Deps(required=[JunctionVariant])

    def modify_arena(self, mission: CoGameMission, env: MettaGridConfig, arena: "BiomeArenaConfig") -> None:
        for compound in compounds_of(arena):
            compound.cross_objects = ["junction", "", "", ""]
            compound.cross_distance = self.distance
