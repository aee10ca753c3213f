"""Biomes, mazes, partitions, outlines and tunnels."""

import numpy as np
import pytest

from mettagrid.mapgen.mapgen import MapGen
from mettagrid.mapgen.scene import AreaWhere, ChildrenAction, SceneConfig
from mettagrid.mapgen.scenes.asteroid_mask import AsteroidMask
from mettagrid.mapgen.scenes.biome_caves import BiomeCaves
from mettagrid.mapgen.scenes.biome_city import BiomeCity
from mettagrid.mapgen.scenes.biome_desert import BiomeDesert
from mettagrid.mapgen.scenes.biome_forest import BiomeForest
from mettagrid.mapgen.scenes.biome_plains import BiomePlains
from mettagrid.mapgen.scenes.bounded_layout import BoundedLayout
from mettagrid.mapgen.scenes.bsp import BSP, BSPLayout, BSPTree
from mettagrid.mapgen.scenes.inline_ascii import InlineAscii
from mettagrid.mapgen.scenes.make_connected import MakeConnected
from mettagrid.mapgen.scenes.maze import Maze
from mettagrid.mapgen.scenes.nop import Nop
from mettagrid.mapgen.scenes.radial_maze import RadialMaze
from mettagrid.mapgen.scenes.random import Random
from mettagrid.mapgen.utils.labels import label_parts

LEGEND = {"#": "wall", ".": "empty", "o": "hub", "@": "agent.agent"}
BIOMES = [BiomeCaves, BiomeCity, BiomeDesert, BiomeForest, BiomePlains]


def grid_of(scene: SceneConfig, width: int = 40, height: int = 30, seed: int = 1) -> np.ndarray:
    return MapGen.Config(border_width=0, width=width, height=height, seed=seed, instance=scene).create().build().grid


def rows(grid: np.ndarray) -> list[str]:
    short = {"wall": "#", "empty": ".", "hub": "o", "agent.agent": "@"}
    return ["".join(short[name] for name in row) for row in grid.tolist()]


def over(drawing: list[str], scene: SceneConfig) -> SceneConfig:
    """The scene drawn over a drawing."""
    ground = InlineAscii.Config(data="\n".join(drawing), char_to_name=LEGEND)
    return Nop.Config(children=[ChildrenAction(scene=part, where="full") for part in (ground, scene)])


def on_drawing(drawing: list[str], scene: SceneConfig) -> list[str]:
    return rows(grid_of(over(drawing, scene), len(drawing[0]), len(drawing)))


def parts_of(grid: np.ndarray) -> int:
    return len(label_parts(grid == "empty")[1]) - 1


@pytest.mark.parametrize("biome", BIOMES)
def test_a_biome_depends_on_the_seed_alone(biome: type) -> None:
    first, again, other = (grid_of(biome.Config(), seed=seed) for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()
    assert set(first.ravel()) == {"wall", "empty"}


@pytest.mark.parametrize("biome", BIOMES)
def test_a_biome_draws_on_any_area(biome: type) -> None:
    for width, height in ((1, 1), (2, 30), (30, 3)):
        assert grid_of(biome.Config(), width, height).shape == (height, width)


@pytest.mark.parametrize("biome", [BiomeCaves, BiomeCity, BiomeDesert, BiomeForest])
def test_dithering_leaves_a_frame(biome: type) -> None:
    plain, rough = (grid_of(biome.Config(dither_edges=edges)) != "empty" for edges in (False, True))
    changed = plain != rough
    assert changed[5:-5, 5:-5].any()
    changed[5:-5, 5:-5] = False
    assert not changed.any()


def test_deserts_have_dunes() -> None:
    dunes = BiomeDesert.Config(dune_period=4, ridge_width=1, angle=0.0, noise_prob=0, dither_edges=False)
    assert rows(grid_of(dunes, 9, 2)) == ["#...#...#"] * 2


def test_cities_have_blocks() -> None:
    blocks = BiomeCity.Config(pitch=5, road_width=1, place_prob=1, min_block_frac=1, jitter=0, dither_edges=False)
    assert rows(grid_of(blocks, 10, 6)) == [".........."] + [".###..###."] * 3 + [".........."] * 2


def test_caves_smooth_noise() -> None:
    single = grid_of(BiomeCaves.Config(fill_prob=0.02, steps=1, dither_edges=False))[2:-2, 2:-2]
    assert (single == "empty").all()  # rocks without neighbours vanish
    assert (grid_of(BiomeCaves.Config(fill_prob=1.0)) == "wall").all()


def test_plains_have_rocks_far_apart() -> None:
    single = BiomePlains.Config(cluster_period=5, cluster_max_radius=0, cluster_prob=1, jitter=0)
    assert rows(grid_of(single, 11, 6)) == ["#....#....#"] + ["..........."] * 4 + ["#....#....#"]
    counts = [(grid_of(BiomePlains.Config(), 88, 88, seed) == "wall").sum() for seed in range(30)]
    assert 515 < np.mean(counts) < 575  # the published generator: 541


def test_an_asteroid_has_bites_of_triangles() -> None:
    mask = AsteroidMask.Config(step=10, depth_min=4, depth_max=4, width_min=3, width_max=3, chunk_prob=1)
    grid = rows(grid_of(mask, 32, 26))
    assert grid[0] == "####...#######...#######...#####"
    assert grid[3] == "##.......###.......###.......###"
    assert grid[10] == "####........................####"
    assert grid[5] == "." * 32


@pytest.mark.parametrize("algorithm", ["kruskal", "dfs"])
@pytest.mark.parametrize(("width", "height"), [(17, 13), (16, 16), (3, 20), (1, 1)])
@pytest.mark.parametrize("room", [1, 3])
def test_mazes_are_connected(algorithm: str, width: int, height: int, room: int) -> None:
    grid = grid_of(Maze.Config(algorithm=algorithm, room_size=room), width, height)
    assert parts_of(grid) <= 1
    if algorithm == "kruskal" or min(width, height) >= room:
        assert parts_of(grid) == 1


def test_a_maze_has_one_way_between_rooms() -> None:
    open_cells = (grid_of(Maze.Config(), 21, 15) == "empty").sum()
    rooms = 11 * 8
    assert open_cells == rooms + rooms - 1  # a tree has one door less than rooms


def test_radial_mazes_have_arms() -> None:
    arms = RadialMaze.Config(arms=8, arm_width=1, clear_background=False, outline_walls=False)
    assert on_drawing(["#" * 10] * 10, arms) == [
        "####..####",
        "#..#..#..#",
        "#........#",
        "##......##",
        "..........",
        "..........",
        "##......##",
        "#........#",
        "#..#..#..#",
        "####..####",
    ]
    assert rows(grid_of(RadialMaze.Config(arms=4, arm_width=2, clear_background=False), 8, 8))[0] == "..#..#.."


@pytest.mark.parametrize("count", [1, 2, 5, 16])
def test_a_partition_covers_the_area_once(count: int) -> None:
    zones = BSPTree(40, 30, count, np.random.default_rng(1)).get_leaf_zones()
    covered = np.zeros((30, 40), dtype=int)
    for zone in zones:
        covered[zone.y : zone.y + zone.height, zone.x : zone.x + zone.width] += 1
    assert len(zones) == count
    assert (covered == 1).all()


def test_a_partition_stops_at_single_cells() -> None:
    assert len(BSPTree(3, 2, 100, np.random.default_rng(1)).get_leaf_zones()) == 6


def test_partitions_and_bounds_give_areas_to_children() -> None:
    stone = ChildrenAction(scene=InlineAscii.Config(data="#", char_to_name=LEGEND), where=AreaWhere(tags=["middle"]))
    bounded = BoundedLayout.Config(max_width=1, max_height=12, tag="middle", children=[stone])
    zones = BSPLayout.Config(area_count=3, children=[ChildrenAction(scene=bounded, where=AreaWhere(tags=["zone"]))])
    tree = MapGen.Config(width=60, height=60, seed=1, instance=zones).create().get_scene_tree()
    areas = [child["children"][0]["area"] for child in tree["children"]]
    assert len(areas) == 3
    assert all(area["width"] <= 10 and area["height"] <= 12 for area in areas)


@pytest.mark.parametrize("seed", range(8))
def test_rooms_of_a_partition_are_connected(seed: int) -> None:
    rooms = BSP.Config(rooms=6, min_room_size=3, min_room_size_ratio=0.3, max_room_size_ratio=0.7)
    assert parts_of(grid_of(rooms, seed=seed)) == 1
    apart = rooms.model_copy(update={"skip_corridors": True})
    assert parts_of(grid_of(apart, seed=seed)) > 1


def test_tunnels_take_the_cheapest_way() -> None:
    assert on_drawing(["..#..", "..#..", "#####", "....."], MakeConnected.Config())[2].count(".") >= 1
    around = ["..o..", "..o..", "..#..", "..o.."]
    assert on_drawing(around, MakeConnected.Config()) == ["..o..", "..o..", ".....", "..o.."]
    thick = [".ooo.", "#####"]
    assert on_drawing(thick, MakeConnected.Config()) == [".ooo.", "....."]
    through = ["." + "#" * 30 + ".", "." + "o" + "#" * 29 + "."]
    assert parts_of(grid_of(over(through, MakeConnected.Config()), 32, 2)) == 1


def test_tunnels_leave_connected_maps_alone() -> None:
    drawing = ["..#..", "..#..", "....."]
    assert on_drawing(drawing, MakeConnected.Config()) == drawing
    assert on_drawing(["##", "##"], MakeConnected.Config()) == ["##", "##"]


@pytest.mark.parametrize("seed", range(25))
def test_tunnels_connect_everything(seed: int) -> None:
    rng = np.random.default_rng(seed)
    noise = Random.Config(
        objects={"wall": int(rng.integers(200, 1100)), "hub": int(rng.integers(0, 60))},
        children=[ChildrenAction(scene=MakeConnected.Config(), where="full")],
    )
    assert parts_of(grid_of(noise, seed=seed)) == 1


@pytest.mark.parametrize("seed", range(20))
def test_parts_are_numbered_as_a_search_finds_them(seed: int) -> None:
    rng = np.random.default_rng(seed)
    free = rng.random((int(rng.integers(1, 15)), int(rng.integers(1, 15)))) < rng.random()
    labels, sizes = label_parts(free)
    expected = np.zeros(free.shape, dtype=int)
    number = 0
    for start in np.argwhere(free).tolist():
        if expected[tuple(start)]:
            continue
        number += 1
        stack = [tuple(start)]
        while stack:
            y, x = stack.pop()
            if 0 <= y < free.shape[0] and 0 <= x < free.shape[1] and free[y, x] and not expected[y, x]:
                expected[y, x] = number
                stack += [(y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)]
    assert (labels == expected).all()
    assert sizes == [0, *((expected == part).sum() for part in range(1, number + 1))]
