"""Arenas: terrain of several biomes with buildings and the bases of teams."""

from typing import Any, TypeVar

from pydantic import Field

from mettagrid.map_builder.map_builder import MapBuilderConfig
from mettagrid.mapgen.mapgen import MapGen
from mettagrid.mapgen.scene import ChildrenAction, Scene, SceneConfig
from mettagrid.mapgen.scenes import _arena_layers as layers
from mettagrid.mapgen.scenes._corner_compounds import CORNERS, CornerCompounds
from mettagrid.mapgen.scenes.asteroid_mask import AsteroidMaskConfig
from mettagrid.mapgen.scenes.building_distributions import DistributionConfig, UniformExtractorScene
from mettagrid.mapgen.scenes.compound import CompoundConfig
from mettagrid.mapgen.scenes.ensure_hub_reachable_junction import EnsureHubReachableJunction
from mettagrid.mapgen.scenes.make_connected import MakeConnected
from mettagrid.mapgen.scenes.map_corner_placements import MapCornerPlacements
from mettagrid.mapgen.scenes.perimeter_placements import PerimeterPlacements

__all__ = [
    "BiomeArena",
    "BiomeArenaConfig",
    "MachinaArena",
    "MachinaArenaConfig",
    "SequentialBiomeArena",
    "SequentialBiomeArenaConfig",
    "SequentialMachinaArena",
    "SequentialMachinaArenaConfig",
    "find_biome_arena",
]

_BIOME_AREA = 1600  # cells for each zone of a biome at density 1
_DUNGEON_AREA = 1500
_BIOME_SHARE = 0.6  # of the zones that get a biome
_DUNGEON_SHARE = 0.5
_ASTEROID_SIZE = 80  # maps with sides from here on have a ragged outline
_NONE = "none"  # as a biome or dungeon of a sequential arena: leave out that layer


def _empty_hub() -> CompoundConfig:
    return CompoundConfig(hub_object="empty", corner_bundle="none", cross_bundle="none", cross_distance=7)


class BiomeArenaConfig(SceneConfig):
    """The content of an arena.

    The compound in the centre is `hub`, with `spawn_count` places for agents; `compounds` says where else (`nw`, `ne`,
    `sw`, `se`) a sequential arena has compounds, which share the places. Weights that are not given keep their
    defaults. Buildings are there only with names or weights.
    """

    spawn_count: int
    base_biome: str = "plains"
    base_biome_config: dict[str, Any] = Field(default={})
    building_coverage: float = 0.05
    building_names: list[str] | None = None
    building_weights: dict[str, float] | None = None
    hub: CompoundConfig = Field(default_factory=_empty_hub)
    compounds: list[tuple[str, CompoundConfig]] = Field(default_factory=lambda: [("center", _empty_hub())])
    asteroid_mask: AsteroidMaskConfig | None = None
    map_corner_placements: list[tuple[str, int]] = Field(default=[])
    map_corner_offset: int = 2
    map_perimeter_placements: list[tuple[str, int]] = Field(default=[])
    biome_weights: dict[str, float] | None = None
    dungeon_weights: dict[str, float] | None = None
    biome_count: int | None = None
    dungeon_count: int | None = None
    density_scale: float = 0.9
    max_biome_zone_fraction: float = 0.27
    max_dungeon_zone_fraction: float = 0.2
    distribution: DistributionConfig = Field(default_factory=DistributionConfig)
    building_distributions: dict[str, DistributionConfig] | None = None


class SequentialBiomeArenaConfig(BiomeArenaConfig):
    """An arena with each biome and each dungeon once; the weight `none` leaves out the layer."""


ArenaT = TypeVar("ArenaT", bound=BiomeArenaConfig)


class _Arena(Scene[ArenaT]):
    """The layers that both kinds of arena have in common."""

    def render(self) -> None:
        pass

    def get_children(self) -> list[ChildrenAction]:
        config = self.config
        base = layers.base_biome(config.base_biome, config.base_biome_config)
        scenes = [ChildrenAction(scene=base, where="full"), *self._zones()]
        asteroid = config.asteroid_mask
        if asteroid is None and min(self.width, self.height) >= _ASTEROID_SIZE:
            asteroid = AsteroidMaskConfig()
        finish: list[SceneConfig | None] = [
            asteroid,
            self._buildings(),
            *self._compounds(),
            MakeConnected.Config(),
            PerimeterPlacements.Config(placements=config.map_perimeter_placements)
            if config.map_perimeter_placements
            else None,
            MapCornerPlacements.Config(placements=config.map_corner_placements, offset=config.map_corner_offset)
            if config.map_corner_placements
            else None,
            *self._finish(),
        ]
        return scenes + [ChildrenAction(scene=scene, where="full") for scene in finish if scene is not None]

    def _zones(self) -> list[ChildrenAction]:
        """Return the layers of biomes and dungeons."""
        raise NotImplementedError

    def _compounds(self) -> list[SceneConfig]:
        return [self.config.hub.model_copy(update={"spawn_count": self.config.spawn_count})]

    def _finish(self) -> list[SceneConfig]:
        return []

    def _buildings(self) -> SceneConfig | None:
        config = self.config
        weights = config.building_weights or dict.fromkeys(config.building_names or (), 1.0)
        if not weights:
            return None
        return UniformExtractorScene.Config(
            target_coverage=config.building_coverage,
            building_names=list(weights),
            building_weights=weights,
            distribution=config.distribution,
            building_distributions=config.building_distributions,
        )

    def _bounded(self, scene: SceneConfig, tag: str, fraction: float) -> SceneConfig:
        return layers.bounded(scene, tag, self.width, self.height, fraction)


class BiomeArena(_Arena[BiomeArenaConfig]):
    """Random biomes and dungeons on random zones."""

    def _zones(self) -> list[ChildrenAction]:
        config = self.config
        biomes = layers.biome_candidates(layers.merged(layers.BIOME_WEIGHTS, config.biome_weights))
        dungeons = layers.dungeon_candidates(layers.merged(layers.DUNGEON_WEIGHTS, config.dungeon_weights))
        zones = []
        if biomes:
            fraction = config.max_biome_zone_fraction
            scene = self._bounded(layers.RandomSceneConfig(candidates=biomes), "biome.zone", fraction)
            count = self._count(config.biome_count, _BIOME_AREA, fraction)
            zones.append(layers.random_zones(scene, count, _BIOME_SHARE))
        if dungeons:
            fraction = config.max_dungeon_zone_fraction
            scene = self._bounded(layers.RandomSceneConfig(candidates=dungeons), "dungeon.zone", fraction)
            count = self._count(config.dungeon_count, _DUNGEON_AREA, fraction)
            zones.append(layers.random_zones(scene, count, _DUNGEON_SHARE))
        return zones

    def _count(self, given: int | None, area: int, fraction: float) -> int:
        if given is not None:
            return layers.at_least(given, fraction)
        return layers.zone_count(self.width, self.height, area, self.config.density_scale, fraction)


class SequentialBiomeArena(_Arena[SequentialBiomeArenaConfig]):
    """Every biome and dungeon once; compounds in the corners if requested; a junction near every hub and ship."""

    def _zones(self) -> list[ChildrenAction]:
        config = self.config
        zones = []
        biomes = layers.biome_scenes(layers.merged(layers.BIOME_WEIGHTS, config.biome_weights))
        if biomes and not (config.biome_weights or {}).get(_NONE):
            fraction = config.max_biome_zone_fraction
            scenes = [self._bounded(scene, "biome.zone", fraction) for scene in biomes]
            zones.append(layers.zones_for_each(scenes, "biome.zone"))
        dungeons = layers.dungeon_scenes(layers.merged(layers.DUNGEON_WEIGHTS, config.dungeon_weights))
        if dungeons and not (config.dungeon_weights or {}).get(_NONE):
            fraction = config.max_dungeon_zone_fraction
            scenes = [self._bounded(scene, "dungeon.zone", fraction) for scene in dungeons]
            zones.append(layers.zones_for_each(scenes, "dungeon.zone"))
        return zones

    def _compounds(self) -> list[SceneConfig]:
        config = self.config
        corners = [(place, compound) for place, compound in config.compounds if place != "center"]
        for place, _ in corners:
            if place not in CORNERS:
                raise ValueError(f"A compound stands at {place!r}; places are center, {', '.join(CORNERS)}.")
        scenes: list[SceneConfig] = []
        if len(corners) < len(config.compounds):
            scenes += super()._compounds()
        if corners:
            each = config.spawn_count // len(corners)
            placed = [(place, compound.model_copy(update={"spawn_count": each})) for place, compound in corners]
            scenes.append(CornerCompounds.Config(compounds=placed))
        return scenes

    def _finish(self) -> list[SceneConfig]:
        return [EnsureHubReachableJunction.Config()]


# The names of earlier releases.
MachinaArenaConfig = BiomeArenaConfig
MachinaArena = BiomeArena
SequentialMachinaArenaConfig = SequentialBiomeArenaConfig
SequentialMachinaArena = SequentialBiomeArena


def find_biome_arena(builder: MapBuilderConfig[Any] | SceneConfig) -> BiomeArenaConfig | None:
    """Return the configuration of the arena that a map builder draws, or `None`. Changing it changes the map."""
    instance = builder.instance if isinstance(builder, MapGen.Config) else builder
    return instance if isinstance(instance, BiomeArenaConfig) else None
