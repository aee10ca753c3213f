"""The layers of an arena below its buildings: biomes and dungeons in zones."""

import math
from collections.abc import Mapping

from mettagrid.mapgen.random.int import IntConstantDistribution
from mettagrid.mapgen.scene import AreaWhere, ChildrenAction, SceneConfig
from mettagrid.mapgen.scenes.biome_caves import BiomeCavesConfig
from mettagrid.mapgen.scenes.biome_city import BiomeCityConfig
from mettagrid.mapgen.scenes.biome_desert import BiomeDesertConfig
from mettagrid.mapgen.scenes.biome_forest import BiomeForestConfig
from mettagrid.mapgen.scenes.biome_plains import BiomePlainsConfig
from mettagrid.mapgen.scenes.bounded_layout import BoundedLayout
from mettagrid.mapgen.scenes.bsp import BSPConfig, BSPLayout
from mettagrid.mapgen.scenes.maze import MazeConfig
from mettagrid.mapgen.scenes.radial_maze import RadialMazeConfig
from mettagrid.mapgen.scenes.random_scene import RandomSceneCandidate, RandomSceneConfig

BIOMES: dict[str, type[SceneConfig]] = {
    "caves": BiomeCavesConfig,
    "forest": BiomeForestConfig,
    "desert": BiomeDesertConfig,
    "city": BiomeCityConfig,
    "plains": BiomePlainsConfig,
}

BIOME_WEIGHTS = {"caves": 0.0, "forest": 1.0, "desert": 1.0, "city": 1.0, "plains": 1.0}
DUNGEON_WEIGHTS = {"bsp": 0.0, "maze": 1.0, "radial": 1.0}

_MIN_ZONE = 10  # cells on a side
_MIN_AREA = 800  # cells for each zone, however dense
_ZONE_COUNTS = (3, 48)
_DFS_SHARE = 0.6  # of mazes; the others use Kruskal's algorithm


def base_biome(name: str, config: Mapping[str, object]) -> SceneConfig:
    """Return the base biome; raises `ValueError` for an unknown name."""
    if name not in BIOMES:
        raise ValueError(f"The base biome {name!r} is unknown; there are {', '.join(sorted(BIOMES))}.")
    return BIOMES[name].model_validate(dict(config))


def merged(defaults: Mapping[str, float], given: Mapping[str, float] | None) -> dict[str, float]:
    """Return the weights above 0; given ones override the defaults."""
    weights = {**defaults, **{name: weight for name, weight in (given or {}).items() if name in defaults}}
    return {name: weight for name, weight in weights.items() if weight > 0}


def biome_candidates(weights: Mapping[str, float]) -> list[RandomSceneCandidate]:
    """Return one candidate for each biome."""
    return [RandomSceneCandidate(scene=BIOMES[name](), weight=weight) for name, weight in weights.items()]


def dungeon_candidates(weights: Mapping[str, float]) -> list[RandomSceneCandidate]:
    """Candidates for all dungeons: mazes are two."""
    return [candidate for name, weight in weights.items() for candidate in _dungeon(name, weight)]


def one_of(candidates: list[RandomSceneCandidate]) -> SceneConfig:
    """Return a scene that chooses among the candidates, or the only one."""
    return candidates[0].scene if len(candidates) == 1 else RandomSceneConfig(candidates=candidates)


def biome_scenes(weights: Mapping[str, float]) -> list[SceneConfig]:
    """Return each biome once."""
    return [BIOMES[name]() for name in weights]


def dungeon_scenes(weights: Mapping[str, float]) -> list[SceneConfig]:
    """Return each kind of dungeon once."""
    return [one_of(_dungeon(name, 1.0)) for name in weights]


def _dungeon(name: str, weight: float) -> list[RandomSceneCandidate]:
    if name == "bsp":
        rooms = BSPConfig(rooms=4, min_room_size=6, min_room_size_ratio=0.35, max_room_size_ratio=0.75)
        return [RandomSceneCandidate(scene=rooms, weight=weight)]
    if name == "maze":
        three = IntConstantDistribution(value=3)
        return [
            RandomSceneCandidate(scene=MazeConfig(algorithm="dfs", room_size=three), weight=weight * _DFS_SHARE),
            RandomSceneCandidate(
                scene=MazeConfig(algorithm="kruskal", room_size=three), weight=weight * (1 - _DFS_SHARE)
            ),
        ]
    arms = RadialMazeConfig(arms=8, arm_width=1, clear_background=False, outline_walls=False)
    return [RandomSceneCandidate(scene=arms, weight=weight)]


def zone_count(width: int, height: int, area_per_zone: float, density: float, fraction: float) -> int:
    """Return the number of zones of a layer: as many as fit the area, and enough for the largest allowed zone size."""
    if density <= 0:
        raise ValueError(f"The density_scale of an arena is {density}; it must be above 0.")
    min_count, max_count = _ZONE_COUNTS
    count = int(width * height / max(_MIN_AREA, area_per_zone / density))
    return at_least(min(max(count, min_count), max_count), fraction)


def at_least(count: int, fraction: float) -> int:
    """Return the number of zones, at least as many as zones of that fraction need to cover a side."""
    if not 0 < fraction <= 1:
        raise ValueError(f"The largest zone of an arena is {fraction} of a side; that must be above 0 and at most 1.")
    return max(count, math.ceil(1 / fraction))


def bounded(scene: SceneConfig, tag: str, width: int, height: int, fraction: float) -> SceneConfig:
    """Return the scene in the middle of a zone, on at most that fraction of each side of the map."""
    return BoundedLayout.Config(
        max_width=_bound(width, fraction),
        max_height=_bound(height, fraction),
        tag=tag,
        children=[ChildrenAction(scene=scene, where=AreaWhere(tags=[tag]), limit=1, order_by="first")],
    )


def _bound(side: int, fraction: float) -> int:
    return max(1, min(max(_MIN_ZONE, int(side * fraction)), max(_MIN_ZONE, side // 2)))


def random_zones(scene: SceneConfig, count: int, share: float) -> ChildrenAction:
    """Return the scene on a random share of the zones of a partition of the map."""
    children = [ChildrenAction(scene=scene, where=AreaWhere(tags=["zone"]), limit=max(1, int(count * share)))]
    return ChildrenAction(scene=BSPLayout.Config(area_count=count, children=children), where="full")


def zones_for_each(scenes: list[SceneConfig], lock: str) -> ChildrenAction:
    """Return a partition of the map with one zone for each scene, in random order."""
    children = [ChildrenAction(scene=scene, where=AreaWhere(tags=["zone"]), limit=1, lock=lock) for scene in scenes]
    return ChildrenAction(scene=BSPLayout.Config(area_count=len(scenes), children=children), where="full")
