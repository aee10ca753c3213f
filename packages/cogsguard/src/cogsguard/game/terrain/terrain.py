"""Buildings and landscapes of procedural maps."""

from pydantic import Field

from cogsguard.map_config import is_arena, set_buildings
from cogsguard.map_variants import MachinaArenaVariant, MapGenVariant
from cogsguard.names import HUB_EXTRACTORS
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.mapgen.scenes.biome_arena import BiomeArenaConfig
from mettagrid.mapgen.scenes.building_distributions import DistributionConfig, DistributionType

_BIOMES = ("caves", "forest", "desert", "city", "plains")
_CLUSTER = 0.18  # spread of a group of buildings, as a part of the map's side
_CENTRES = ((0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75))  # of the quadrants, as parts of the sides
_LOW, _HIGH = 0.08, 0.92


class BuildingsVariant(CoGameMissionVariant):
    """Scatters buildings over a procedural map, in proportion to `building_density`."""

    name: str = "buildings"
    description: str = "Procedural maps scatter buildings."
    building_density: dict[str, float] = Field(default_factory=dict)

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        set_buildings(env, self.building_density)


class Small50Variant(CoGameMissionVariant):
    name: str = "small_50"
    description: str = "A map of 50 x 50 cells."

    def compat(self, mission: CoGameMission) -> bool:
        return is_arena(mission)

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        generator = MapGenVariant.extract_node(env)
        generator.width = generator.height = 50


class _BiomeVariant(MachinaArenaVariant):
    """Base of the landscapes: the whole map is of one kind, which has the name of the variant."""

    def modify_node(self, node: BiomeArenaConfig) -> None:
        node.biome_weights = {biome: float(biome == self.name) for biome in _BIOMES}
        node.base_biome = self.name


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

    def modify_node(self, node: BiomeArenaConfig) -> None:
        super().modify_node(node)
        node.density_scale = 1.0
        node.biome_count = 1
        node.max_biome_zone_fraction = 0.95


class DistantResourcesVariant(MachinaArenaVariant):
    """Gathers each of `building_names` in two opposite corners, far from the hub."""

    name: str = "distant_resources"
    description: str = "Few extractors, in the corners of the map."
    building_names: list[str] = Field(default_factory=lambda: list(HUB_EXTRACTORS))

    def modify_node(self, node: BiomeArenaConfig) -> None:
        node.building_coverage = 0.01
        node.distribution = DistributionConfig(type=DistributionType.UNIFORM)
        node.building_distributions = {
            name: DistributionConfig(
                type=DistributionType.BIMODAL,
                center1_x=_LOW if number % 2 else _HIGH,
                center1_y=_LOW,
                center2_x=_HIGH if number % 2 else _LOW,
                center2_y=_HIGH,
                cluster_std=_CLUSTER,
            )
            for number, name in enumerate(self.building_names)
        }


class QuadrantBuildingsVariant(MachinaArenaVariant):
    """Gives each of `building_names` a quadrant of the map, and scatters no other buildings."""

    name: str = "quadrant_buildings"
    description: str = "Extractors of each element fill one quadrant of the map."
    building_names: list[str] = Field(default_factory=lambda: list(HUB_EXTRACTORS))

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        if mission.has_variant("extractors"):
            super().modify_env(mission, env)

    def modify_node(self, node: BiomeArenaConfig) -> None:
        node.building_names = list(self.building_names)
        node.building_weights = dict.fromkeys(self.building_names, 1.0)
        node.building_distributions = {
            name: DistributionConfig(type=DistributionType.NORMAL, mean_x=x, mean_y=y, std_x=_CLUSTER, std_y=_CLUSTER)
            for name, (x, y) in zip(self.building_names, _CENTRES * len(self.building_names), strict=False)
        }
