"""Each builder: the maps it makes, what it refuses."""

import numpy as np
import pytest
from pydantic import ValidationError

from mettagrid.map_builder.ascii import AsciiMapBuilder
from mettagrid.map_builder.choice_ascii import ChoiceAsciiMapBuilder
from mettagrid.map_builder.maze import MazeKruskalMapBuilder, MazePrimMapBuilder
from mettagrid.map_builder.perimeter_incontext import PerimeterInContextMapBuilder
from mettagrid.map_builder.random_map import RandomMapBuilder
from mettagrid.mapgen.utils.ascii_grid import grid_to_lines

SIGNS = {"wall": "#", "empty": ".", "agent.agent": "@", "hub": "H"}


def drawn(config: object) -> list[str]:
    return grid_to_lines(config.create().build().grid, SIGNS)


def test_the_reference_random_map() -> None:
    config = RandomMapBuilder.Config(seed=7, width=8, height=6, border_width=1, objects={"wall": 3}, agents=2)
    assert drawn(config) == [
        "########",
        "#.@.@..#",
        "#.#....#",
        "##.....#",
        "#..#...#",
        "########",
    ]


def test_a_seeded_random_builder_builds_the_same_map_again() -> None:
    builder = RandomMapBuilder.Config(seed=3, agents=5).create()
    assert (builder.build().grid == builder.build().grid).all()


def test_agents_of_several_kinds() -> None:
    grid = RandomMapBuilder.Config(seed=1, agents={"red": 2, "blue": 1}, objects={"chest": 4}).create().build().grid
    names, counts = np.unique(grid, return_counts=True)
    assert dict(zip(names.tolist(), counts.tolist(), strict=True)) == {
        "agent.blue": 1,
        "agent.red": 2,
        "chest": 4,
        "empty": 93,
    }


def test_objects_are_halved_until_they_fit() -> None:
    grid = RandomMapBuilder.Config(seed=1, width=4, height=4, objects={"a": 16, "b": 8}, agents=4).create().build().grid
    assert ((grid == "a").sum(), (grid == "b").sum(), (grid == "agent.agent").sum()) == (8, 4, 4)


def test_what_cannot_fit_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="The map has 4 cells inside its border; 5 agents"):
        RandomMapBuilder.Config(width=4, height=4, border_width=1, agents=5).create().build()
    with pytest.raises(ValueError, match="at least one each of 5 kinds of objects do not fit"):
        RandomMapBuilder.Config(width=2, height=2, objects=dict.fromkeys("abcde", 1)).create().build()


def test_a_border_as_wide_as_the_map_leaves_nothing_else() -> None:
    assert set(drawn(RandomMapBuilder.Config(width=4, height=5, border_width=2, agents=3))) == {"####"}


@pytest.mark.parametrize(
    "map_data",
    ["#@\n#x", "#@\n#x\n", ["#@", "#x"], ("#@", "#x"), [["#", "@"], ["#", "x"]], np.array([["#", "@"], ["#", "x"]])],
)
def test_a_map_may_be_drawn_in_several_ways(map_data: object) -> None:
    config = AsciiMapBuilder.Config(map_data=map_data, char_to_map_name={"x": "chest"})
    assert config.create().build().grid.tolist() == [["wall", "agent.agent"], ["wall", "chest"]]
    assert (config.width, config.height) == (2, 2)
    assert AsciiMapBuilder.Config.model_validate(config.model_dump()) == config


def test_the_fixed_legend_comes_first_and_cannot_be_changed() -> None:
    config = AsciiMapBuilder.Config(map_data="#", char_to_map_name={"x": "chest", "#": "wall"})
    assert list(config.char_to_map_name.items()) == [
        ("#", "wall"),
        (".", "empty"),
        ("@", "agent.agent"),
        ("x", "chest"),
    ]
    with pytest.raises(
        ValidationError, match=r"Cannot override global default mapping for '@': it always means 'agent\.agent'"
    ):
        AsciiMapBuilder.Config(map_data="#", char_to_map_name={"@": "chest"})


@pytest.mark.parametrize("legend", [{"xx": "a"}, {"": "a"}, {"x": ""}, {"x": "a b"}, {"x": "a-b"}, None])
def test_legends_have_one_character_and_plain_names(legend: object) -> None:
    with pytest.raises(ValidationError):
        AsciiMapBuilder.Config(map_data="#", char_to_map_name=legend)


def test_lines_must_be_equally_long() -> None:
    with pytest.raises(
        ValidationError, match=r"Line 1 has 1 characters .* All lines in ASCII map must have the same length"
    ):
        AsciiMapBuilder.Config(map_data="##\n#", char_to_map_name={})
    for wrong in (5, [5], None):
        with pytest.raises(ValidationError):
            AsciiMapBuilder.Config(map_data=wrong, char_to_map_name={})


def test_unknown_characters_and_empty_maps_are_found_when_the_builder_is_made() -> None:
    with pytest.raises(ValueError, match="Unknown character: 'x'"):
        AsciiMapBuilder.Config(map_data="#x", char_to_map_name={}).create()
    with pytest.raises(ValueError, match="Unknown character: ' '"):
        AsciiMapBuilder(AsciiMapBuilder.Config(map_data="# @", char_to_map_name={}))
    for empty in ("", [], [""]):
        with pytest.raises(ValueError, match="The map is empty"):
            AsciiMapBuilder.Config(map_data=empty, char_to_map_name={}).create()


def test_building_a_drawn_map_twice_gives_separate_maps() -> None:
    builder = AsciiMapBuilder.Config(map_data="@@", char_to_map_name={}).create()
    builder.build().grid[0, 0] = "wall"
    assert builder.build().grid[0, 0] == "agent.agent"


def test_the_seed_chooses_between_drawn_maps() -> None:
    options = ["#.", "@.", "..", "##"]
    chosen = [
        drawn(ChoiceAsciiMapBuilder.Config(map_options=options, char_to_map_name={}, seed=s))[0] for s in range(8)
    ]
    assert chosen == ["##", "@.", "##", "##", "..", "..", "@.", "##"]


@pytest.mark.parametrize("options", [[], "##", [5], ["##\n#"], [""], [[]]])
def test_wrong_options_are_refused(options: object) -> None:
    with pytest.raises(ValidationError):
        ChoiceAsciiMapBuilder.Config(map_options=options, char_to_map_name={})


def test_reference_mazes() -> None:
    size = {"width": 8, "height": 8, "start_pos": (0, 0), "end_pos": (9, 9), "seed": 11}
    assert drawn(MazePrimMapBuilder.Config(**size)) == PRIM
    assert drawn(MazeKruskalMapBuilder.Config(**size)) == KRUSKAL


PRIM = """
#######
#@#.#.#
#.#.#.#
#...#.#
#.#.#.#
#.#..H#
#######
""".split()

KRUSKAL = """
#######
#@....#
#.###.#
#...#.#
#.###.#
#...#H#
#######
""".split()


def test_every_room_of_a_maze_is_reached_in_one_way() -> None:
    for builder in (MazePrimMapBuilder, MazeKruskalMapBuilder):
        grid = builder.Config(width=21, height=15, start_pos=(1, 1), end_pos=(19, 13), seed=5).create().build().grid
        open_cells = {tuple(cell) for cell in np.argwhere(grid != "wall")}
        passages = sum((row + 1, column) in open_cells for row, column in open_cells)
        passages += sum((row, column + 1) in open_cells for row, column in open_cells)
        assert passages == len(open_cells) - 1  # connected and without a loop
        assert reachable(open_cells) == open_cells


@pytest.mark.parametrize("builder", [MazePrimMapBuilder, MazeKruskalMapBuilder])
@pytest.mark.parametrize(
    ("size", "ends", "odd_size", "rooms"),
    [
        ((11, 13), ((1, 1), (9, 11)), (11, 13), ((1, 1), (9, 11))),
        ((10, 12), ((1, 1), (7, 9)), (9, 11), ((1, 1), (7, 9))),
        ((11, 11), ((0, 0), (10, 10)), (11, 11), ((1, 1), (9, 9))),
        ((6, 7), ((2, 2), (4, 4)), (5, 7), ((3, 3), (3, 5))),
        ((5, 5), ((-3, 7), (100, 2)), (5, 5), ((1, 3), (3, 3))),
    ],
)
def test_a_maze_has_odd_sizes_and_its_ends_are_rooms(
    builder: type[MazePrimMapBuilder] | type[MazeKruskalMapBuilder],
    size: tuple[int, int],
    ends: tuple[tuple[int, int], tuple[int, int]],
    odd_size: tuple[int, int],
    rooms: tuple[tuple[int, int], tuple[int, int]],
) -> None:
    start, end = ends
    maze = builder(builder.Config(width=size[0], height=size[1], start_pos=start, end_pos=end, seed=42))
    assert (maze._width, maze._height) == odd_size
    assert (maze._start_pos, maze._end_pos) == rooms
    grid = maze.build().grid
    assert grid.shape == (odd_size[1], odd_size[0])
    assert grid[rooms[0][1], rooms[0][0]] == "agent.agent" and grid[rooms[1][1], rooms[1][0]] == "hub"


def reachable(cells: set[tuple[int, int]]) -> set[tuple[int, int]]:
    waiting = [next(iter(cells))]
    seen = set(waiting)
    while waiting:
        row, column = waiting.pop()
        for cell in ((row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)):
            if cell in cells and cell not in seen:
                seen.add(cell)
                waiting.append(cell)
    return seen


def test_objects_along_the_edge_and_the_agent_in_the_middle() -> None:
    config = PerimeterInContextMapBuilder.Config(seed=0, objects={"hub": 2, "wall": 1})
    assert drawn(config) == EDGE


EDGE = """
.......
.......
.......
...@..#
.......
.......
..H..H.
""".split()


@pytest.mark.parametrize("density", ["sparse", "balanced", "dense"])
def test_obstacles_never_shut_the_agent_in(density: str) -> None:
    builder = PerimeterInContextMapBuilder.Config(seed=3, width=15, height=11, density=density).create()
    for _ in range(20):
        grid = builder.build().grid
        free = {tuple(cell) for cell in np.argwhere(grid != "wall")}
        assert (grid == "wall").any()
        assert grid[5, 7] == "agent.agent"
        from_agent = reachable_from((5, 7), free)
        assert (0, 0) in from_agent


def reachable_from(start: tuple[int, int], cells: set[tuple[int, int]]) -> set[tuple[int, int]]:
    waiting, seen = [start], {start}
    while waiting:
        row, column = waiting.pop()
        for cell in ((row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)):
            if cell in cells and cell not in seen:
                seen.add(cell)
                waiting.append(cell)
    return seen


def test_an_unknown_density_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="density is 'thick'; it must be one of no-terrain, sparse, balanced, dense"):
        PerimeterInContextMapBuilder.Config(density="thick").create()
