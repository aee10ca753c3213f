"""Compounds, buildings, placements and the arenas made of them."""

import itertools

import numpy as np
import pytest
from pydantic import ValidationError

from mettagrid.map_builder.map_builder import MapBuilderConfig
from mettagrid.mapgen.mapgen import MapGen
from mettagrid.mapgen.scene import ChildrenAction, SceneConfig
from mettagrid.mapgen.scenes.biome_arena import (
    BiomeArena,
    BiomeArenaConfig,
    MachinaArena,
    SequentialBiomeArena,
    find_biome_arena,
)
from mettagrid.mapgen.scenes.building_distributions import DistributionConfig, UniformExtractorScene
from mettagrid.mapgen.scenes.compound import DEFAULT_EXTRACTORS, Compound, CompoundConfig
from mettagrid.mapgen.scenes.ensure_hub_reachable_junction import EnsureHubReachableJunction
from mettagrid.mapgen.scenes.four_corner_compounds import FourCornerCompounds
from mettagrid.mapgen.scenes.inline_ascii import InlineAscii
from mettagrid.mapgen.scenes.map_corner_placements import MapCornerPlacements
from mettagrid.mapgen.scenes.nop import Nop
from mettagrid.mapgen.scenes.perimeter_placements import PerimeterPlacements
from mettagrid.mapgen.utils.labels import label_parts

STATIONS = ["c:aligner", "c:scrambler", "c:miner", "c:scout"]
POISSON = DistributionConfig(type="poisson")


def grid_of(scene: SceneConfig, width: int = 50, height: int = 50, seed: int = 1) -> np.ndarray:
    return MapGen.Config(border_width=0, width=width, height=height, seed=seed, instance=scene).create().build().grid


def on_walls(scene: SceneConfig, size: int) -> list[str]:
    """The scene drawn on nothing but wall, as text."""
    wall = InlineAscii.Config(data="\n".join(["#" * size] * size))
    both = Nop.Config(children=[ChildrenAction(scene=part, where="full") for part in (wall, scene)])
    short = {"wall": "#", "empty": ".", "agent.agent": "@"}
    return [
        "".join(short.get(name, name.split(":")[-1][0]) for name in row) for row in grid_of(both, size, size).tolist()
    ]


def places(grid: np.ndarray, name: str) -> list[tuple[int, int]]:
    return [(int(row), int(column)) for row, column in np.argwhere(grid == name)]


def test_a_compound_has_its_parts_where_they_belong() -> None:
    config = Compound.Config(stations=STATIONS, spawn_count=8, hub_width=15, hub_height=15, outer_clearance=1)
    assert on_walls(config, 19) == [
        "###################",
        "#.................#",
        "#.#####.....#####.#",
        "#.#.............#.#",
        "#.#.c.........o.#.#",
        "#.#.............#.#",
        "#.#......@......#.#",
        "#........@........#",
        "#.................#",
        "#.....@@.h.@@.....#",
        "#.................#",
        "#........@........#",
        "#.#......@......#.#",
        "#.#...a.s.m.s...#.#",
        "#.#.g.........s.#.#",
        "#.#.............#.#",
        "#.#####.....#####.#",
        "#.................#",
        "###################",
    ]


def test_objects_come_before_bundles() -> None:
    grid = grid_of(
        Compound.Config(
            corner_objects=["nw", "ne", "sw", "se"], cross_objects=["n", "e", "s", "w"], cross_distance=5, spawn_count=0
        ),
        21,
        21,
    )
    assert [places(grid, name) for name in ("nw", "ne", "sw", "se")] == [[(2, 2)], [(2, 18)], [(18, 2)], [(18, 18)]]
    assert [places(grid, name) for name in ("n", "e", "s", "w")] == [[(5, 10)], [(10, 15)], [(15, 10)], [(10, 5)]]
    plain = grid_of(Compound.Config(corner_bundle="none", cross_bundle="extractors", spawn_count=0), 21, 21)
    assert places(plain, "carbon_extractor") == [(6, 10)]


@pytest.mark.parametrize("layout", ["default", "tight", "cramped_room", "service_pass_room"])
def test_layouts_have_places_for_agents_and_stations(layout: str) -> None:
    grid = grid_of(Compound.Config(layout=layout, stations=STATIONS), 31, 31)
    assert (grid == "agent.agent").sum() == 4
    assert all((grid == station).sum() == 1 for station in STATIONS)


def test_a_fixed_room_needs_its_size() -> None:
    with pytest.raises(ValueError, match="'cramped_room' needs 17 x 13 cells; it has 15 x 13"):
        grid_of(Compound.Config(layout="cramped_room", hub_width=15, hub_height=13))


def test_agents_can_start_anywhere_in_a_compound() -> None:
    config = Compound.Config(randomize_spawn_positions=True, spawn_count=8)
    found = [frozenset(places(grid_of(config, 31, 31, seed), "agent.agent")) for seed in range(5)]
    assert len(set(found)) == 5
    assert all(len(agents) == 8 for agents in found)
    assert all(5 < row < 25 and 5 < column < 25 for agents in found for row, column in agents)


def test_many_agents_fill_rings_around_the_hub() -> None:
    assert (grid_of(Compound.Config(spawn_count=40), 41, 41) == "agent.agent").sum() == 40


def test_offsets_of_stations_are_saved_only_when_given() -> None:
    assert "station_offsets" not in CompoundConfig().model_dump()
    config = CompoundConfig(stations=["a"], station_offsets=[(3, -4)])
    assert config.model_dump()["station_offsets"] == [(3, -4)]
    assert places(grid_of(config, 21, 21), "a") == [(6, 13)]


def test_four_compounds_stand_in_the_quarters() -> None:
    config = FourCornerCompounds.Config(
        hub_objects=["r", "b", "g", "y"],
        spawn_symbols=[f"agent.team_{team}" for team in range(4)],
        stations_per_compound=[[name] for name in "stuv"],
    )
    grid = grid_of(config, 120, 120)
    assert [places(grid, hub) for hub in "rbgy"] == [[(29, 29)], [(29, 89)], [(89, 29)], [(89, 89)]]
    assert all((grid == f"agent.team_{team}").sum() == 8 for team in range(4))
    assert places(grid, "v") == [(93, 89)]
    assert (grid_of(config.model_copy(update={"num_compounds": 2}), 120, 120) == "g").sum() == 0


def test_corner_placements() -> None:
    grid = grid_of(MapCornerPlacements.Config(placements=[(name, index) for index, name in enumerate("abcd")]), 9, 7)
    assert [places(grid, name) for name in "abcd"] == [[(2, 2)], [(2, 6)], [(4, 2)], [(4, 6)]]
    with pytest.raises(ValueError, match="corners have the numbers 0 to 3"):
        grid_of(MapCornerPlacements.Config(placements=[("a", 4)]))
    with pytest.raises(ValueError, match="offset 9 is outside"):
        grid_of(MapCornerPlacements.Config(placements=[("a", 0)], offset=9), 5, 5)


def test_perimeter_placements_are_different_cells_of_the_ring() -> None:
    grid = grid_of(PerimeterPlacements.Config(placements=[("a", 5), ("b", 3)], offset=1), 9, 7)
    found = places(grid, "a") + places(grid, "b")
    assert len(found) == 8
    assert all(row in (1, 5) or column in (1, 7) for row, column in found)
    full = grid_of(PerimeterPlacements.Config(placements=[("a", 500)], offset=1), 9, 7)
    assert (full == "a").sum() == 2 * (7 + 5) - 4


@pytest.mark.parametrize("kind", ["uniform", "normal", "exponential", "poisson", "bimodal"])
def test_buildings_keep_their_distance_and_clear_their_place(kind: str) -> None:
    config = UniformExtractorScene.Config(
        target_coverage=0.05, padding=2, building_names=["a"], distribution=DistributionConfig(type=kind)
    )
    wall = InlineAscii.Config(data="\n".join(["#" * 40] * 40))
    both = Nop.Config(children=[ChildrenAction(scene=part, where="full") for part in (wall, config)])
    grid = grid_of(both, 40, 40)
    found = places(grid, "a")
    assert len(found) > 10
    for first, second in itertools.combinations(found, 2):
        assert max(abs(first[0] - second[0]), abs(first[1] - second[1])) > 2
    for row, column in found:
        around = grid[row - 2 : row + 3, column - 2 : column + 3]
        assert (around == "empty").sum() == 24


def test_the_number_of_buildings_is_as_published() -> None:
    def mean(**settings: object) -> float:
        config = UniformExtractorScene.Config(target_coverage=0.1, building_names=["a"], **settings)
        return float(np.mean([(grid_of(config, seed=seed) == "a").sum() for seed in range(20)]))

    assert mean() == pytest.approx(159.2, abs=3)
    assert mean(padding=2) == pytest.approx(99.0, abs=3)
    assert mean(distribution=POISSON) == pytest.approx(165.1, abs=3)
    assert mean(distribution=DistributionConfig(type="normal")) == pytest.approx(130, abs=5)
    assert mean(distribution=DistributionConfig(type="exponential")) == pytest.approx(139.6, abs=5)


def test_weights_decide_which_buildings_and_their_order_who_comes_first() -> None:
    weights = {"junction": 0.3, **dict.fromkeys(DEFAULT_EXTRACTORS, 0.3)}

    def junctions(weights: dict[str, float]) -> float:
        config = UniformExtractorScene.Config(
            target_coverage=0.1, building_weights=weights, building_distributions={"junction": POISSON}
        )
        return float(np.mean([(grid_of(config, seed=seed) == "junction").sum() for seed in range(10)]))

    assert junctions(weights) == 46  # a fifth of the goal; nothing is in their way
    assert junctions(dict(reversed(weights.items()))) == pytest.approx(25.7, abs=3)


def test_poisson_places_are_far_apart() -> None:
    config = UniformExtractorScene.Config(target_coverage=0.02, building_names=["a"], distribution=POISSON)
    found = places(grid_of(config), "a")
    assert len(found) == 46
    assert min(np.hypot(a[0] - b[0], a[1] - b[1]) for a, b in itertools.combinations(found, 2)) >= 3


def test_a_lattice_of_buildings() -> None:
    grid = grid_of(UniformExtractorScene.Config(rows=2, cols=3, jitter=0, building_names=["a"]), 31, 22)
    assert len(places(grid, "a")) == 6
    assert len({row for row, _ in places(grid, "a")}) == 2


def test_a_negative_weight_is_refused() -> None:
    with pytest.raises(ValueError, match="'a' has the weight -1"):
        grid_of(UniformExtractorScene.Config(building_weights={"a": -1.0}))


def ensured(rows: list[str]) -> list[tuple[int, int]]:
    legend = {"#": "wall", ".": "empty", "h": "c:hub", "j": "junction", "s": "clips:ship:0"}
    drawing = InlineAscii.Config(data="\n".join(rows), char_to_name=legend)
    both = Nop.Config(
        children=[ChildrenAction(scene=part, where="full") for part in (drawing, EnsureHubReachableJunction.Config())]
    )
    return places(grid_of(both, len(rows[0]), len(rows)), "junction")


def hall(row: str) -> list[str]:
    """The row along the north wall of a hall."""
    return [row, *("." * len(row) for _ in range(2))]


@pytest.mark.parametrize("anchor", ["h", "s"])
def test_a_hub_or_ship_without_a_junction_near_gets_one(anchor: str) -> None:
    assert ensured(hall(anchor + "." * 30)) == [(0, 4)]
    assert ensured(hall(anchor + "." * 15 + "j" + "." * 9)) == [(0, 4), (0, 16)]


def test_a_junction_at_fifteen_cells_is_near_enough_if_it_can_be_walked_to() -> None:
    assert ensured(hall("h" + "." * 14 + "j" + "." * 9)) == [(0, 15)]
    assert ensured(["h" + "." * 9 + "##j#", "." * 10 + "####"])[-1] == (0, 12)
    assert len(ensured(["h" + "." * 9 + "##j#", "." * 10 + "####"])) == 2
    assert ensured(["h" + "#" * 9]) == []


def test_a_new_junction_does_not_block_the_way() -> None:
    ((row, column),) = ensured(["h.....####", "#####.....", "#####....."])
    assert row > 0  # not in the corridor
    assert (row, column) != (1, 5)  # nor where it ends


@pytest.mark.parametrize("arena", [BiomeArena, SequentialBiomeArena])
@pytest.mark.parametrize("seed", range(6))
def test_everything_in_an_arena_can_be_reached(arena: type, seed: int) -> None:
    hub = CompoundConfig(hub_object="c:hub", stations=STATIONS)
    weights = {"junction": 0.3, **dict.fromkeys(DEFAULT_EXTRACTORS, 0.3)}
    grid = grid_of(arena.Config(spawn_count=8, hub=hub, building_weights=weights), 60, 60, seed)
    free = (grid == "empty") | np.char.startswith(grid, "agent")
    _, sizes = label_parts(free)
    assert len(sizes) == 2
    beside = np.pad(free, 1)
    reached = beside[:-2, 1:-1] | beside[2:, 1:-1] | beside[1:-1, :-2] | beside[1:-1, 2:]
    assert reached[~free & (grid != "wall")].all()
    assert (grid == "agent.agent").sum() == 8


def layers(config: BiomeArenaConfig, size: int = 50) -> list[str]:
    tree = MapGen.Config(width=size, height=size, seed=1, instance=config).create().get_scene_tree()
    return [child["config"]["type"].split(".")[-2] for child in tree["children"]]


def test_the_layers_of_an_arena() -> None:
    assert layers(BiomeArena.Config(spawn_count=4)) == [
        "BiomePlains",
        "BSPLayout",
        "BSPLayout",
        "Compound",
        "MakeConnected",
    ]
    everything = SequentialBiomeArena.Config(
        spawn_count=4,
        base_biome="forest",
        building_names=["a"],
        map_perimeter_placements=[("b", 1)],
        map_corner_placements=[("c", 0)],
        dungeon_weights={"none": 1},
    )
    assert layers(everything, size=80) == [
        "BiomeForest",
        "BSPLayout",
        "AsteroidMask",
        "UniformExtractorScene",
        "Compound",
        "MakeConnected",
        "PerimeterPlacements",
        "MapCornerPlacements",
        "EnsureHubReachableJunction",
    ]


def test_a_sequential_arena_has_compounds_in_corners() -> None:
    compounds = [("ne", CompoundConfig(hub_object="a:hub")), ("sw", CompoundConfig(hub_object="b:hub"))]
    grid = grid_of(SequentialBiomeArena.Config(spawn_count=8, compounds=compounds), 100, 100)
    assert places(grid, "a:hub") == [(24, 74)]
    assert places(grid, "b:hub") == [(74, 24)]
    assert (grid == "agent.agent").sum() == 8
    with pytest.raises(ValueError, match="places are center, nw, ne, sw, se"):
        grid_of(SequentialBiomeArena.Config(spawn_count=8, compounds=[("top", CompoundConfig())]))


def test_one_seed_one_arena() -> None:
    config = BiomeArena.Config(spawn_count=8, building_names=["a", "b"])
    assert (grid_of(config, seed=3) == grid_of(config, seed=3)).all()
    assert (grid_of(config, seed=3) != grid_of(config, seed=4)).any()


def test_the_arena_of_a_map_can_be_found_and_changed() -> None:
    arena = BiomeArena.Config(spawn_count=8)
    config = MapGen.Config(width=30, height=30, instance=arena)
    assert find_biome_arena(config) is arena
    assert find_biome_arena(arena) is arena
    assert find_biome_arena(MapGen.Config(width=3, height=3, instance=Nop.Config())) is None
    loaded = MapBuilderConfig.model_validate_json(config.model_dump_json())
    assert isinstance(find_biome_arena(loaded), BiomeArenaConfig)
    assert MachinaArena is BiomeArena


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"base_biome": "swamp"}, "'swamp' is unknown; there are caves, city, desert, forest, plains"),
        ({"density_scale": 0}, "density_scale of an arena is 0"),
        ({"max_biome_zone_fraction": 0}, "above 0 and at most 1"),
        ({"base_biome_config": {"rain": 1}}, "rain"),
    ],
)
def test_mistakes_are_refused(settings: dict, message: str) -> None:
    with pytest.raises((ValueError, ValidationError), match=message):
        grid_of(BiomeArena.Config(spawn_count=1, **settings))
