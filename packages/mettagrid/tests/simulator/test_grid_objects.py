"""The result of `grid_objects`."""

import pytest

from mettagrid.simulator import BoundingBox, Simulation

COMMON = {
    *("id", "type_name", "location", "r", "c", "tag", "tag_ids", "inventory", "inventory_capacities"),
    *("has_tag", "add_tag", "remove_tag"),
}
AGENT = COMMON | {
    *("agent:group", "agent_id", "group_id", "group_name", "vibe", "last_action_id", "last_animation_id"),
    *("current_stat_reward", "steps_without_motion"),
}


@pytest.fixture
def simulation(game):
    return Simulation(game())


def test_objects_are_listed_by_id_with_the_keys_of_their_kind(simulation):
    objects = simulation.grid_objects()
    assert len(objects) == 20
    assert all(thing["id"] == number for number, thing in objects.items())
    for thing in objects.values():
        assert set(thing) == (AGENT if thing["type_name"] == "agent" else COMMON)


def test_a_location_is_column_then_row(simulation):
    agents = [thing for thing in simulation.grid_objects().values() if "agent_id" in thing]
    assert [(a["agent_id"], a["location"], a["r"], a["c"]) for a in agents] == [(0, (1, 1), 1, 1), (1, (5, 1), 1, 5)]


def test_inventories_are_keyed_by_resource_id(simulation):
    simulation.agent(1).set_inventory({"ore": 4})
    agent = next(t for t in simulation.grid_objects().values() if t.get("agent_id") == 1)
    assert agent["inventory"] == {1: 4}
    assert set(agent["inventory_capacities"]) == {0, 1}


def test_tags_can_be_read_and_changed(game):
    simulation = Simulation(game(tags=["marked"]))
    tag = simulation.config.game.id_map().tag_names().index("marked")
    wall = next(t for t in simulation.grid_objects().values() if t["type_name"] == "wall")
    assert not wall["has_tag"](tag)
    wall["add_tag"](tag)
    assert wall["has_tag"](tag)
    assert tag in simulation.grid_objects()[wall["id"]]["tag_ids"]
    wall["remove_tag"](tag)
    assert not wall["has_tag"](tag)


@pytest.mark.parametrize(
    ("bbox", "ignore", "count"),
    [
        (BoundingBox(0, 2, 0, 3), None, 5),
        (BoundingBox(min_row=0, max_row=2, min_col=0, max_col=2), ["agent"], 3),
        (BoundingBox(-1, 2, 0, 3), None, 20),
        (None, ["wall"], 2),
        (None, ("wall", "agent"), 0),
        (None, ["no such type"], 20),
    ],
)
def test_a_box_is_half_open_and_types_can_be_left_out(simulation, bbox, ignore, count):
    assert len(simulation.grid_objects(bbox, ignore)) == count
    assert len(simulation.grid_objects(bbox=bbox, ignore_types=ignore)) == count
