"""Maps that do not fit the game are refused with the cell and its place."""

import numpy as np
import pytest

from mettagrid.compiler import CompileError, compile
from mettagrid.mettagrid_c import MettaGrid

AGENT = "agent.agent"


@pytest.fixture
def build(game):
    def build(rows, **fields):
        return MettaGrid(game(**fields), rows, 0)

    return build


def types_on(world):
    return {(thing["r"], thing["c"]): thing["type_name"] for thing in world.grid_objects().values()}


@pytest.mark.parametrize("rows", [[["wall", AGENT], ["empty", "box"]], (("wall", AGENT), (".", "box"))])
def test_a_map_is_any_grid_of_names(build, rows):
    assert types_on(build(rows)) == {(0, 0): "wall", (0, 1): "agent", (1, 1): "box"}


@pytest.mark.parametrize("dtype", [str, object])
def test_a_map_may_be_an_array(build, dtype):
    assert types_on(build(np.array([["wall", AGENT], [" ", "box"]], dtype))) == {
        (0, 0): "wall",
        (0, 1): "agent",
        (1, 1): "box",
    }


def test_the_world_does_not_depend_on_the_array_of_the_map(build):
    rows = np.array([["wall", AGENT]])
    world = build(rows)
    rows[:] = "box"
    world.step()
    assert types_on(world) == {(0, 0): "wall", (0, 1): "agent"}


def test_an_unknown_cell_is_refused_with_its_name_and_place(build):
    with pytest.raises(CompileError, match=r"^Unknown object type: bx \(map row 1, column 2\)$"):
        build([["wall", AGENT, "wall"], ["wall", "box", "bx"], ["bx", "wall", "wall"]])


@pytest.mark.parametrize("cell", ["", "Wall", "wall ", "type:wall", "agent", "agent.agent.0", "agent.blue", "\n"])
def test_cell_names_must_match_exactly(build, cell):
    with pytest.raises(CompileError, match=r"^Unknown object type: "):
        build([[AGENT, cell]])


@pytest.mark.parametrize("cell", [None, 1, 2.5, b"wall", ("wall",), True])
def test_cells_that_are_no_strings_are_unknown_objects(build, cell):
    rows = np.empty((1, 2), object)
    rows[0] = [AGENT, cell]
    with pytest.raises(CompileError, match=r"^Unknown object type: "):
        build(rows)


@pytest.mark.parametrize(
    "rows",
    [[], [[]], [[], []], [[AGENT, "wall"], [AGENT]], [[AGENT], "wall"], [f"{AGENT}"], "wall", None, 3, [[[AGENT]]]],
)
def test_what_is_not_a_grid_is_refused(build, rows):
    with pytest.raises(CompileError, match=r"^The map must be a non-empty grid with rows of equal length\.$"):
        build(rows)


def test_a_map_without_agents_is_refused(build):
    with pytest.raises(CompileError, match=r"^game\.num_agents: the map has 0 agents, but the game has 1$"):
        build([["wall", "empty"]])


def test_more_agents_than_cells_are_refused(build):
    with pytest.raises(CompileError, match=r"^game\.num_agents: the map has 2 agents, but the game has 3$"):
        build([[AGENT, AGENT]], num_agents=3)


def test_more_cells_than_the_only_agent_are_refused(build):
    with pytest.raises(CompileError, match=r"^game\.num_agents: the map has 2 agents, but the game has 1$"):
        build([[AGENT, AGENT]])


def test_a_map_too_large_to_number_its_cells_is_refused(build):
    rows = np.full((1, 70_000), "empty", "U11")
    rows[0, 0] = AGENT
    with pytest.raises(RuntimeError, match=r"^A map of 1 x 70000 cells is too large"):
        build(rows)


def test_a_map_of_one_cell_is_a_map(build):
    world = build([[AGENT]])
    world.actions()[:] = 1
    world.step()
    assert world.action_success() == [False]


def test_one_program_plays_on_many_maps(game):
    program = compile(game())
    small = MettaGrid(program, [[AGENT]], 0)
    large = MettaGrid(program, [["wall"] * 30, [AGENT] + ["box"] * 29], 0)
    assert (small.map_height, small.map_width, large.map_height, large.map_width) == (1, 1, 2, 30)
    assert len(large.grid_objects()) == 60
