"""The valid input of the two action streams (rules, section 4)."""

import pytest

from mettagrid.config.action_config import ActionsConfig, ChangeVibeActionConfig, MoveActionConfig
from mettagrid.mettagrid_c import MettaGrid

NORTH, SOUTH, WEST, EAST = 1, 2, 3, 4
FIRST_VIBE = 5
INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1


def act(engine, primary, vibe=0):
    engine.actions()[0], engine.vibe_actions()[0] = primary, vibe
    engine.step()


def invalid_stats(engine):
    stats = engine.get_episode_stats()["agent"][0]
    return {name: value for name, value in stats.items() if name.startswith("action.invalid_index")}


@pytest.mark.parametrize("action", [-1, -7, 157, 1000, INT32_MIN, INT32_MAX])
def test_an_id_outside_the_list_is_counted_twice_per_step_and_does_nothing(world, action):
    engine = world("@..")
    assert engine.masks().shape == (1, 157)
    for step in (1, 2, 3):
        act(engine, action)
        assert engine.action_success() == [False]
        assert invalid_stats(engine) == {
            "action.invalid_index": 2 * step,
            f"action.invalid_index.{action}": 2 * step,
        }
    assert [thing["c"] for thing in engine.grid_objects().values()] == [0]
    assert engine.get_agent_stat(0, "action.failed") is None


def test_the_count_of_a_single_id_can_be_asked_for(world):
    engine = world("@")
    act(engine, -4)
    assert engine.get_agent_stat(0, "action.invalid_index.-4") == 2
    assert engine.get_agent_stat(0, "action.invalid_index.-5") is None


def test_an_invalid_id_counts_once_when_that_is_corrected(game, cells):
    engine = MettaGrid(game("@"), cells("@"), 0, corrections={"invalid_actions"})
    act(engine, -4)
    assert invalid_stats(engine) == {"action.invalid_index": 1, "action.invalid_index.-4": 1}


def test_64_different_invalid_ids_are_told_apart_and_the_rest_only_counted(world):
    engine = world("@")
    for i in range(100):
        act(engine, 1000 + i)
    stats = invalid_stats(engine)
    assert stats.pop("action.invalid_index") == 200
    assert stats == {f"action.invalid_index.{1000 + i}": 2 for i in range(64)}
    act(engine, 1000)
    act(engine, 1099)
    assert invalid_stats(engine)["action.invalid_index"] == 204
    assert invalid_stats(engine)["action.invalid_index.1000"] == 4
    assert engine.get_agent_stat(0, "action.invalid_index.1099") is None


def test_ids_of_both_streams_are_counted_together(world):
    engine = world("@")
    act(engine, -1, -1)
    assert invalid_stats(engine) == {"action.invalid_index": 4, "action.invalid_index.-1": 4}


@pytest.mark.parametrize(
    ("primary", "vibe"), [(FIRST_VIBE + 1, 0), (0, EAST), (FIRST_VIBE + 1, EAST), (FIRST_VIBE, NORTH)]
)
def test_an_id_of_the_other_stream_is_ignored(world, primary, vibe):
    engine = world("@..")
    act(engine, primary, vibe)
    agent = next(iter(engine.grid_objects().values()))
    assert (agent["c"], agent["vibe"], agent["last_action_id"]) == (0, 0, 0)
    assert engine.action_success() == [primary == 0]
    assert invalid_stats(engine) == {}


def test_a_move_and_a_vibe_happen_in_one_step(world):
    engine = world("@..")
    act(engine, EAST, FIRST_VIBE + 3)
    agent = next(iter(engine.grid_objects().values()))
    assert (agent["c"], agent["vibe"], agent["last_action_id"]) == (1, 3, FIRST_VIBE + 3)
    assert engine.action_success() == [True]


def test_a_vibe_succeeds_where_the_move_failed(world):
    engine = world("@#")
    act(engine, EAST, FIRST_VIBE + 3)
    assert engine.action_success() == [True]
    assert engine.get_agent_stat(0, "action.move.failed") == 1


def test_an_invalid_vibe_takes_back_the_success_of_the_move_but_not_the_move(world):
    engine = world("@..")
    act(engine, EAST, 999)
    agent = next(iter(engine.grid_objects().values()))
    assert (agent["c"], agent["last_action_id"]) == (1, EAST)
    assert engine.action_success() == [False]
    assert engine.get_agent_stat(0, "action.move.success") == 1


def test_a_valid_vibe_succeeds_beside_an_invalid_move(world):
    engine = world("@..")
    act(engine, 999, FIRST_VIBE + 1)
    assert engine.action_success() == [True]


def test_without_vibes_their_ids_are_invalid(world):
    engine = world("@", actions=ActionsConfig(change_vibe=ChangeVibeActionConfig(enabled=False)))
    act(engine, 0, FIRST_VIBE)
    assert invalid_stats(engine) == {"action.invalid_index": 2, "action.invalid_index.5": 2}


def test_directions_are_numbered_as_listed(world):
    move = MoveActionConfig(allowed_directions=["southeast", "north"])
    engine = world("@..\n...", actions=ActionsConfig(move=move, change_vibe=ChangeVibeActionConfig(enabled=False)))
    assert engine.action_names == ["noop", "move_southeast", "move_north"]
    act(engine, 1)
    agent = next(iter(engine.grid_objects().values()))
    assert agent["location"] == (1, 1)


@pytest.mark.parametrize("action", [NORTH, SOUTH, WEST, EAST])
def test_nobody_leaves_the_map(world, action):
    engine = world("@")
    act(engine, action)
    assert engine.action_success() == [False]
    assert engine.get_agent_stat(0, "action.move.failed") == 1
    assert engine.get_agent_stat(0, "action.failed") == 1


def test_actions_stay_in_the_array_and_repeat(world):
    engine = world("@...")
    engine.actions()[:] = EAST
    for _ in range(3):
        engine.step()
    assert engine.actions().tolist() == [EAST]
    assert engine.get_agent_stat(0, "action.move.success") == 3
