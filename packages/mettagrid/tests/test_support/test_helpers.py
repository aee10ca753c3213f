"""The helpers with which authors test scenes and worlds."""

import random

import numpy as np
import pytest

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.mapgen.scenes.inline_ascii import InlineAscii
from mettagrid.simulator.interface import Location
from mettagrid.simulator.simulator import Simulation, Simulator
from mettagrid.test_support import ObservationHelper, TokenTypes
from mettagrid.test_support.actions import attack, generate_valid_random_actions, get_agent_position, move, noop
from mettagrid.test_support.map_builders import ObjectNameMapBuilder
from mettagrid.test_support.mapgen import (
    assert_connected,
    assert_grid_map,
    assert_raw_grid,
    is_connected,
    render_scene,
)
from mettagrid.test_support.orientation import Orientation


@pytest.fixture
def sim() -> Simulation:
    config = MettaGridConfig.EmptyRoom(num_agents=1, with_walls=True)
    rows = [["wall"] * 4, ["wall", "agent.agent", "empty", "wall"], ["wall"] * 4]
    config.game.map_builder = ObjectNameMapBuilder.Config(map_data=rows)
    return Simulator().new_simulation(config, seed=1)


def test_one_agent_moves_until_something_blocks_it(sim: Simulation) -> None:
    assert get_agent_position(sim) == (1, 1)
    assert move(sim, "east") == {"success": True, "error": None}
    assert get_agent_position(sim._c_sim) == (1, 2)
    assert move(sim, Orientation.EAST) == {"success": False, "error": "Position unchanged (likely blocked)"}
    assert move(sim, "northeast") == {"success": False, "error": "Action move_northeast not available"}
    assert noop(sim) == {"success": True, "error": None}
    assert attack(sim, 2)["error"] == "Attack action not available"
    assert sim.current_step == 3
    with pytest.raises(ValueError, match="Agent 3 not found"):
        get_agent_position(sim, 3)


def test_random_actions_are_repeatable(sim: Simulation) -> None:
    actions = generate_valid_random_actions(sim, 5, seed=3)
    random.seed(3)
    assert [action.name for action in actions] == [random.choice(sim.action_names) for _ in range(5)]
    moves = generate_valid_random_actions(sim, 20, action_prefix="move_")
    assert {action.name.partition("_")[0] for action in moves} == {"move"}


def test_tokens_are_found_by_cell_feature_value_and_scope() -> None:
    obs = np.array([[0x22, 1, 5], [0x22, 2, 7], [0x13, 1, 5], [0xFE, 4, 9], TokenTypes.EMPTY_TOKEN], np.uint8)
    find = ObservationHelper.find_tokens
    assert find(obs, feature_id=1).tolist() == [[0x22, 1, 5], [0x13, 1, 5]]
    assert find(obs, location=Location(1, 3), value=5).tolist() == [[0x13, 1, 5]]
    assert find(obs, is_global=False).shape == (4, TokenTypes.OBS_TOKEN_SIZE)
    assert ObservationHelper.find_token_values(obs, location=Location(2, 2)).tolist() == [5, 7]
    assert ObservationHelper.find_global_tokens(obs, feature_id=4).tolist() == [[0xFE, 4, 9]]
    assert ObservationHelper.get_positions_from_tokens(obs) == [Location(2, 2), Location(2, 2), Location(1, 3)]


def test_a_rendered_scene_is_compared_with_a_drawing() -> None:
    scene = render_scene(InlineAscii.Config(data="#.\n.@"), (2, 3))
    assert_grid_map(scene, "#..\n.@.")
    assert_grid_map(scene, "X..\n.Y.", {"X": "wall", "Y": "agent.agent", ".": "empty"})
    assert_raw_grid(scene.grid, "#..\n.@.")
    with pytest.raises(AssertionError, match=r"EXPECTED:\n┌───┐\n│##\.│"):
        assert_grid_map(scene, "##.\n.@.")


@pytest.mark.parametrize(
    "row, connected",
    [
        ("empty agent.agent empty", True),
        ("empty wall hub", True),
        ("wall wall", True),
        ("empty hub empty", False),
        ("empty wall agent.team_1", False),
    ],
)
def test_empty_cells_and_agents_must_reach_each_other(row: str, connected: bool) -> None:
    grid = np.array([row.split()])
    assert is_connected(grid) is connected
    if connected:
        assert_connected(grid)
    else:
        with pytest.raises(AssertionError, match="not connected"):
            assert_connected(grid)


def test_directions_turn() -> None:
    assert [str(direction.get_clockwise()) for direction in Orientation] == (
        "east west north south northeast southeast northwest southwest".split()
    )
    assert Orientation.NORTHEAST.get_opposite() is Orientation.SOUTHWEST
    assert (Orientation.get_orientation_count(), Orientation.get_orientation_count(allow_diagonals=False)) == (8, 4)
    assert not Orientation.NORTHEAST.is_valid(allow_diagonals=False)
