"""The maps of the recorded missions, from map parameters alone: no game is needed to draw them."""

from mettagrid.mapgen.mapgen import MapGen, MapGenConfig
from mettagrid.mapgen.scenes.biome_arena import BiomeArena, SequentialBiomeArena
from mettagrid.mapgen.scenes.building_distributions import DistributionConfig, DistributionType
from mettagrid.mapgen.scenes.compound import DEFAULT_EXTRACTORS, CompoundConfig

STATIONS = ("aligner", "scrambler", "miner", "scout")
WEIGHTS = {"junction": 0.3, **dict.fromkeys(DEFAULT_EXTRACTORS, 0.3)}
EVEN_JUNCTIONS = {"junction": DistributionConfig(type=DistributionType.POISSON)}
SHIPS = [(f"clips:ship:{corner}", corner) for corner in range(4)]
AGENTS = {"arena": 8, "machina_1": 8, "tutorial": 4, "four_score": 32}


def mission_map(name: str, seed: int | None = None) -> MapGenConfig:
    """Return the map builder of a recorded mission."""
    return {"arena": _arena, "machina_1": _machina_1, "tutorial": _tutorial, "four_score": _four_score}[name](seed)


def compound(team: str, **settings: object) -> CompoundConfig:
    stations = [f"{team}:{station}" for station in STATIONS]
    return CompoundConfig.model_validate({"hub_object": f"{team}:hub", "stations": stations, **settings})


def _arena(seed: int | None) -> MapGenConfig:
    scene = BiomeArena.Config(
        spawn_count=8,
        building_coverage=0.1,
        building_weights=WEIGHTS,
        building_distributions=EVEN_JUNCTIONS,
        hub=compound("c"),
        map_corner_placements=SHIPS,
        map_corner_offset=1,
    )
    return MapGen.Config(width=50, height=50, seed=seed, instance=scene)


def _machina_1(seed: int | None) -> MapGenConfig:
    scene = SequentialBiomeArena.Config(
        spawn_count=8,
        building_coverage=0.05,
        building_weights=WEIGHTS,
        building_distributions=EVEN_JUNCTIONS,
        hub=compound("c"),
        map_corner_placements=SHIPS,
        map_corner_offset=1,
    )
    return MapGen.Config(width=88, height=88, seed=seed, instance=scene)


def _tutorial(seed: int | None) -> MapGenConfig:
    hub = compound("c", hub_width=15, hub_height=15, outer_clearance=2, cross_distance=5)
    scene = BiomeArena.Config(spawn_count=4, building_coverage=0.05, building_weights=WEIGHTS, hub=hub)
    return MapGen.Config(width=35, height=35, seed=seed, instance=scene)


def _four_score(seed: int | None) -> MapGenConfig:
    compounds = [
        (
            place,
            compound(
                team, spawn_symbol=f"agent.team_{number}", outer_clearance=1, cross_objects=["junction", "", "", ""]
            ),
        )
        for number, (place, team) in enumerate(zip(("nw", "ne", "sw", "se"), ("red", "blu", "gre", "yel"), strict=True))
    ]
    scene = SequentialBiomeArena.Config(
        spawn_count=32,
        building_coverage=0.075,
        building_weights=WEIGHTS,
        building_distributions=EVEN_JUNCTIONS,
        compounds=compounds,
    )
    return MapGen.Config(width=120, height=120, seed=seed, instance=scene)
