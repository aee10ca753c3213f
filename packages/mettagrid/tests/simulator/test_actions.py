"""The values that `set_action` writes into the two action buffers."""

import pytest

from mettagrid.simulator import Action, Simulation, UnknownActionError

NORTH, SOUTH, WEST, EAST = 1, 2, 3, 4
FIRST_VIBE, SECOND_VIBE = 5, 6


@pytest.fixture
def simulation(game):
    simulation = Simulation(game())
    simulation._c_sim.actions()[:] = SOUTH
    simulation._c_sim.vibe_actions()[:] = 7
    return simulation


def buffers_of(simulation, agent_id):
    return int(simulation._c_sim.actions()[agent_id]), int(simulation._c_sim.vibe_actions()[agent_id])


@pytest.mark.parametrize(
    ("action", "written"),
    [
        ("move_east", (EAST, 0)),
        ("noop", (0, 0)),
        ("change_vibe_junction", (0, SECOND_VIBE)),
        (Action("move_west"), (WEST, 0)),
        (Action("change_vibe_default"), (0, FIRST_VIBE)),
        (Action("move_west", vibe="change_vibe_default"), (WEST, FIRST_VIBE)),
        (Action("change_vibe_junction", vibe="change_vibe_default"), (SECOND_VIBE, FIRST_VIBE)),
        (Action("move_north", vibe="noop"), (NORTH, 0)),
        (Action("noop", talk="not said here"), (0, 0)),
    ],
)
def test_an_action_writes_both_buffers_of_its_agent_only(simulation, action, written):
    simulation.agent(0).set_action(action)
    assert buffers_of(simulation, 0) == written
    assert buffers_of(simulation, 1) == (SOUTH, 7)


@pytest.mark.parametrize(
    "action",
    [
        "jump",
        "",
        "move",
        Action("jump"),
        Action("move_east", vibe="jump"),
        Action("jump", vibe="change_vibe_default"),
        Action("noop", vibe=""),
    ],
)
def test_an_unknown_name_is_a_key_error_and_changes_nothing(simulation, action):
    with pytest.raises(KeyError):
        simulation.agent(0).set_action(action)
    assert buffers_of(simulation, 0) == (SOUTH, 7)


def test_the_error_for_an_unknown_name_suggests_a_close_one(simulation):
    with pytest.raises(UnknownActionError) as error:
        simulation.agent(0).set_action("move_eats")
    assert str(error.value).startswith("Unknown action 'move_eats' (did you mean 'move_east'")
    assert error.value.name == "move_eats"


@pytest.mark.parametrize("action", [None, 3, ["noop"], b"noop"])
def test_something_that_is_no_action_is_a_type_error(simulation, action):
    with pytest.raises(TypeError, match="must be an action name or an Action"):
        simulation.agent(0).set_action(action)


def test_actions_persist_until_they_are_overwritten(game):
    simulation = Simulation(game())
    agent = simulation.agent(0)
    agent.set_action("move_east")
    places = []
    for _ in range(2):
        simulation.step()
        places += [thing["c"] for thing in simulation.grid_objects().values() if thing.get("agent_id") == 0]
    assert places == [2, 3]
    assert agent.last_action_success is True


def test_an_action_that_fails_is_reported(game):
    simulation = Simulation(game())
    simulation.agent(0).set_action("move_north")
    simulation.step()
    assert simulation.agent(0).last_action_success is False
    assert simulation.action_success == [False, True]


def test_names_and_ids_follow_the_engine_order(game):
    simulation = Simulation(game())
    moves = ["noop", "move_north", "move_south", "move_west", "move_east"]
    assert simulation.action_names == moves + simulation.vibe_action_names
    assert simulation.vibe_action_names[:2] == ["change_vibe_default", "change_vibe_junction"]
    assert simulation.action_ids == {name: number for number, name in enumerate(simulation.action_names)}
    assert simulation.vibe_action_ids == {name: simulation.action_ids[name] for name in simulation.vibe_action_names}
