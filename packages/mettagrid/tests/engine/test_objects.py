"""The engine's information about objects and agents, and changes from outside (rules, section 15)."""

import numpy as np
import pytest

from mettagrid.config.event_config import EventConfig
from mettagrid.config.handler_config import Handler, updateTarget, withdraw
from mettagrid.config.mettagrid_config import (
    AgentConfig,
    GridObjectConfig,
    InventoryConfig,
    ResourceLimitsConfig,
    WallConfig,
)
from mettagrid.config.mutation import RaycastSpawnMutation
from mettagrid.mettagrid_c import MettaGrid, PackedCoordinate, TagIndex

EAST = 4
GOLD, ORE = 0, 1


def only(engine, type_name):
    found = [thing for thing in engine.grid_objects().values() if thing["type_name"] == type_name]
    assert len(found) == 1
    return found[0]


def places(objects):
    return sorted((thing["r"], thing["c"]) for thing in objects.values())


# What is there


def test_an_agent_is_described_in_full(world):
    engine = world("#@", agent=AgentConfig(tags=["brave"], inventory=InventoryConfig(initial={"ore": 2})))
    agent = only(engine, "agent")
    calls = {name: agent.pop(name) for name in ("has_tag", "add_tag", "remove_tag")}
    assert all(map(callable, calls.values()))
    assert agent == {
        "id": 2,
        "type_name": "agent",
        "location": (1, 0),
        "r": 0,
        "c": 1,
        "tag": 1,
        "inv:ore": 2,
        "agent:group": 0,
        "agent_id": 0,
        "inventory": {ORE: 2},
        "inventory_capacities": {GOLD: 65535, ORE: 65535},
        "tag_ids": [0, 1],
        "group_id": 0,
        "group_name": "red",
        "vibe": 0,
        "last_action_id": 0,
        "last_animation_id": 0,
        "current_stat_reward": 0,
        "steps_without_motion": 0,
    }


def test_objects_are_numbered_from_1_in_reading_order(world):
    assert [(number, thing["type_name"]) for number, thing in world("#@\n.b").grid_objects().items()] == [
        (1, "wall"),
        (2, "agent"),
        (3, "box"),
    ]


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ((0, 2, 0, 2), [(0, 0), (0, 1), (1, 0), (1, 1)]),
        ((1, 2, 1, 3), [(1, 1), (1, 2)]),
        ((0, 3, 2, 3), [(0, 2), (1, 2), (2, 2)]),
        ((0, 0, 0, 3), []),
        ((2, 1, 0, 3), []),
        ((0, 1000, 0, 1), [(0, 0), (1, 0), (2, 0)]),
        ((50, 60, 50, 60), []),
    ],
)
def test_bounds_are_half_open(world, bounds, expected):
    assert places(world("###\n#@#\n###").grid_objects(*bounds)) == expected


@pytest.mark.parametrize("bounds", [(), (-1, -1, -1, -1), (1, 2, 1, -1), (-1, 2, 1, 2)])
def test_bounds_count_only_when_all_four_are_given(world, bounds):
    assert len(world("###\n#@#\n###").grid_objects(*bounds)) == 9


@pytest.mark.parametrize(
    ("ignored", "left"),
    [([], 9), (["wall"], 1), (["agent", "wall"], 0), (["unknown"], 9), (("agent",), 8), ({"agent"}, 8)],
)
def test_types_can_be_left_out(world, ignored, left):
    assert len(world("###\n#@#\n###").grid_objects(ignore_types=ignored)) == left


# Stats


@pytest.mark.parametrize("name", ["", "unknown", "gold.amount", "objects.unknown", "cell.visited"])
def test_a_game_stat_that_does_not_exist_is_none(world, name):
    assert world("@").get_game_stat(name) is None


@pytest.mark.parametrize("name", ["", "unknown", "gold.gained", "action.invalid_index.7", "tokens_written"])
def test_an_agent_stat_that_does_not_exist_is_none(world, name):
    assert world("@").get_agent_stat(0, name) is None


def test_stats_exist_once_they_are_written(world):
    engine = world("@")
    assert engine.get_agent_stat(0, "action.noop.success") is None
    engine.step()
    assert engine.get_agent_stat(0, "action.noop.success") == 1
    assert engine.get_game_stat("objects.agent.agent") == 1


@pytest.mark.parametrize("agent", [-1, 1, 2**31 - 1])
@pytest.mark.parametrize("name", ["cell.visited", "unknown"])
def test_there_are_only_the_agents_of_the_map(world, agent, name):
    with pytest.raises(IndexError, match=f"There is no agent {agent}"):
        world("@").get_agent_stat(agent, name)


def test_timings_are_there_for_readers_of_the_published_interface(world):
    engine = world("@")
    engine.step()
    assert engine.step_timing.total_ns == engine.step_timing.actions_ns == engine.last_obs_time_ns == 0
    assert engine.obs_validation_stats.mismatch_count == 0


def test_everything_is_always_allowed(world):
    engine = world("@#@")
    assert engine.masks().dtype == np.bool_
    assert engine.masks().shape == (2, len(engine.action_names))
    assert engine.masks().all()


# Inventories


def test_setting_an_inventory_replaces_it(world):
    engine = world("@", agent=AgentConfig(inventory=InventoryConfig(initial={"gold": 5})))
    engine.set_inventory(0, {ORE: 3})
    assert only(engine, "agent")["inventory"] == {ORE: 3}
    assert engine.get_agent_stat(0, "gold.lost") == 5
    assert engine.get_agent_stat(0, "ore.gained") == 3
    engine.set_inventory(0, {})
    assert only(engine, "agent")["inventory"] == {}


def test_setting_an_inventory_keeps_within_the_limits(world):
    limits = {"bag": ResourceLimitsConfig(base=10, resources=["gold", "ore"])}
    engine = world("@", agent=AgentConfig(inventory=InventoryConfig(limits=limits)))
    engine.set_inventory(0, {GOLD: 7, ORE: 7})
    assert only(engine, "agent")["inventory"] == {GOLD: 7, ORE: 3}
    engine.set_inventory(0, {ORE: 65535})
    assert only(engine, "agent")["inventory"] == {ORE: 10}


def test_an_inventory_that_was_set_is_observed_from_the_next_step_on(world):
    engine = world("@")
    engine.set_inventory(0, {GOLD: 300})
    engine.step()
    tokens = engine.observations()[0].tolist()
    first = engine.program.feature_names.index("inv:gold")
    assert [0x66, first, 300 % 256] in tokens
    assert [0x66, first + 1, 1] in tokens


@pytest.mark.parametrize(
    ("inventory", "error", "message"),
    [
        ({2: 1}, IndexError, "There is no resource 2"),
        ({-1: 1}, IndexError, "There is no resource -1"),
        ({GOLD: 4, 2**70: 1}, IndexError, "There is no resource 1180591620717411303424"),
        ({GOLD: -1}, ValueError, "An amount must be from 0 to 65535, not -1"),
        ({GOLD: 65536}, ValueError, "An amount must be from 0 to 65535, not 65536"),
        ({GOLD: 2**70}, ValueError, "An amount must be from 0 to 65535"),
        ({GOLD: 1.5}, TypeError, "cannot be interpreted as an integer"),
        ({"gold": 1}, TypeError, "cannot be interpreted as an integer"),
        ([1], TypeError, "sequence"),
        (None, TypeError, "not iterable"),
    ],
)
def test_an_inventory_that_makes_no_sense_is_refused_and_changes_nothing(world, inventory, error, message):
    engine = world("@")
    engine.set_inventory(0, {GOLD: 1})
    with pytest.raises(error, match=message):
        engine.set_inventory(0, inventory)
    assert only(engine, "agent")["inventory"] == {GOLD: 1}


@pytest.mark.parametrize("agent", [-1, 1])
def test_only_agents_of_the_map_get_an_inventory(world, agent):
    with pytest.raises(IndexError, match=f"There is no agent {agent}"):
        world("@").set_inventory(agent, {GOLD: 1})


# Tags


def tag_id(engine, name):
    return engine.program.tag_names.index(name)


def test_tags_are_counted(world):
    engine = world("@b\nbb", tags=["lonely"])
    counts = [engine.tag_index().count_objects_with_tag(i) for i in range(len(engine.program.tag_names))]
    assert dict(zip(engine.program.tag_names, counts, strict=True)) == {
        "lonely": 0,
        "type:agent": 1,
        "type:box": 3,
        "type:wall": 0,
    }


@pytest.mark.parametrize("tag", [-1, 4, 300])
def test_there_are_only_the_tags_of_the_game(world, tag):
    engine = world("@b", tags=["lonely"])
    box = only(engine, "box")
    with pytest.raises(IndexError, match=f"There is no tag {tag}"):
        box["add_tag"](tag)
    assert box["has_tag"](tag) is False
    assert engine.tag_index().count_objects_with_tag(tag) == 0


@pytest.mark.parametrize("tag", [-1, 0, 4, 999])
def test_removing_a_tag_that_an_object_does_not_have_changes_nothing(world, tag):
    engine = world("@b", tags=["lonely"])
    box = only(engine, "box")
    box["remove_tag"](tag)
    assert only(engine, "box")["tag_ids"] == box["tag_ids"]


def test_a_tag_index_without_a_world_counts_nothing():
    assert TagIndex().count_objects_with_tag(0) == 0


def test_a_tag_can_be_given_and_taken(world):
    engine = world("@b", tags=["lonely"])
    lonely, box = tag_id(engine, "lonely"), only(engine, "box")
    assert not box["has_tag"](lonely)
    box["add_tag"](lonely)
    box["add_tag"](lonely)
    assert box["has_tag"](lonely)
    assert engine.tag_index().count_objects_with_tag(lonely) == 1
    assert lonely in only(engine, "box")["tag_ids"]
    engine.step()
    assert [6 << 4 | 7, engine.program.feature_names.index("tag"), lonely] in engine.observations()[0].tolist()
    box["remove_tag"](lonely)
    box["remove_tag"](lonely)
    assert not box["has_tag"](lonely)
    assert engine.tag_index().count_objects_with_tag(lonely) == 0


def test_taking_a_tag_runs_its_handler_once(world):
    lost = Handler(mutations=[updateTarget({"gold": 1})])
    box_config = GridObjectConfig(name="box", tags=["dear"], on_tag_remove={"de": lost})
    engine = world("@b", objects={"box": box_config})
    box = only(engine, "box")
    for _ in range(3):
        box["remove_tag"](tag_id(engine, "dear"))
    assert only(engine, "box")["inventory"] == {GOLD: 1}
    box["add_tag"](tag_id(engine, "dear"))
    assert only(engine, "box")["inventory"] == {GOLD: 1}


def test_a_tag_that_no_rule_gives_goes_to_16_more_objects_at_most(world):
    engine = world("@" + "b" * 20, tags=["lonely"])
    lonely = tag_id(engine, "lonely")
    boxes = [thing for thing in engine.grid_objects().values() if thing["type_name"] == "box"]
    for box in boxes[:16]:
        box["add_tag"](lonely)
    with pytest.raises(RuntimeError, match="Too many objects got the tag 'lonely', which no rule of the game gives"):
        boxes[16]["add_tag"](lonely)
    assert not boxes[16]["has_tag"](lonely)
    assert engine.tag_index().count_objects_with_tag(lonely) == 16
    boxes[0]["remove_tag"](lonely)
    boxes[16]["add_tag"](lonely)
    engine.step()
    assert boxes[16]["has_tag"](lonely)


def test_an_object_that_is_gone_cannot_be_tagged(world):
    """Not even when another object has taken its place in memory."""
    take = Handler(mutations=[withdraw({"gold": -1}, remove_when_empty=True)])
    box = GridObjectConfig(name="box", inventory=InventoryConfig(initial={"gold": 1}), on_use_handler=take)
    refill = EventConfig(
        name="refill",
        target_query="type:agent",
        timesteps=[3],
        mutations=[RaycastSpawnMutation(object_type="box", directions=["east"], max_range=1)],
    )
    engine = world("@b", objects={"box": box}, tags=["lonely"], events={"refill": refill})
    lonely, seen = tag_id(engine, "lonely"), only(engine, "box")
    engine.actions()[:] = EAST
    engine.step()
    engine.actions()[:] = 0
    for _ in range(3):
        for call in ("has_tag", "add_tag", "remove_tag"):
            with pytest.raises(RuntimeError, match=r"^Object 2 is no longer on the grid$"):
                seen[call](lonely)
        engine.step()
    assert only(engine, "box")["id"] == 3
    assert engine.tag_index().count_objects_with_tag(lonely) == 0


# Sizes and coordinates


def test_a_world_knows_its_sizes(world):
    engine = world("@..\n...", max_steps=9)
    assert (engine.map_height, engine.map_width, engine.obs_height, engine.obs_width) == (2, 3, 13, 13)
    assert (engine.max_steps, engine.current_step, engine.num_agents) == (9, 0, 1)
    assert engine.visible_offsets()[:5] == [(0, 0), (-1, 0), (0, -1), (0, 1), (1, 0)]


@pytest.mark.parametrize("seed", ["x", None, [1]])
def test_a_seed_must_be_a_number(game, cells, seed):
    with pytest.raises((TypeError, ValueError)):
        MettaGrid(game("@"), cells("@"), seed)


@pytest.mark.parametrize(("row", "col", "packed"), [(0, 0, 0), (3, 5, 0x35), (14, 14, 0xEE), (0, 14, 0x0E)])
def test_coordinates_are_packed_into_a_byte_and_back(row, col, packed):
    assert PackedCoordinate.pack(row, col) == packed
    assert PackedCoordinate.unpack(packed) == (row, col)
    assert not PackedCoordinate.is_empty(packed)
    assert not PackedCoordinate.is_global(packed)


@pytest.mark.parametrize(("row", "col"), [(15, 0), (0, 15), (-1, 0), (0, -1), (100, 100)])
def test_coordinates_outside_the_largest_window_are_refused(row, col):
    with pytest.raises(ValueError, match=rf"^\({row}, {col}\) is outside the largest window: both must be 0\.\.14\.$"):
        PackedCoordinate.pack(row, col)


def test_two_bytes_are_no_coordinates():
    assert PackedCoordinate.GLOBAL_LOCATION == 0xFE
    assert PackedCoordinate.MAX_PACKABLE_COORD == 14
    assert (PackedCoordinate.unpack(0xFE), PackedCoordinate.unpack(0xFF)) == (None, None)
    assert PackedCoordinate.is_global(0xFE)
    assert PackedCoordinate.is_empty(0xFF)
    assert not PackedCoordinate.is_empty(0xFE)


def test_walls_carry_no_inventory_settings(world):
    with pytest.warns(UserWarning, match="walls hold nothing"):
        engine = world("@#", objects={"wall": WallConfig(inventory=InventoryConfig(initial={"gold": 3}))})
    assert only(engine, "wall")["inventory"] == {}
