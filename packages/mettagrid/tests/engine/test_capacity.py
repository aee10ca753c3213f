"""Worlds in which objects come and go by the hundred, and queries that find too much."""

import pytest

from mettagrid.config.event_config import EventConfig
from mettagrid.config.mettagrid_config import GridObjectConfig, WallConfig
from mettagrid.config.mutation import RaycastSpawnMutation, ResourceTransferMutation
from mettagrid.config.query import ClosureQuery, MaterializedQuery
from mettagrid.mettagrid_c import MettaGrid

SIDE = 20


@pytest.fixture
def busy(game):
    """A map whose walls fill it with 380 boxes in every step; all boxes vanish before or after that."""

    def busy(vanish):
        always = list(range(1, 100))
        fill = EventConfig(
            name="fill",
            target_query="type:wall",
            timesteps=always,
            mutations=[RaycastSpawnMutation(object_type="box", directions=["east"], max_range=SIDE)],
        )
        clear = EventConfig(
            name="clear",
            target_query="type:box",
            timesteps=always,
            priority={"before": -1, "after": 1}[vanish],
            mutations=[
                ResourceTransferMutation(
                    from_target="target", to_target="actor", resources={"gold": 1}, remove_source_when_empty=True
                )
            ],
        )
        objects = {"wall": WallConfig(), "box": GridObjectConfig(name="box")}
        rows = [["wall"] + ["empty"] * (SIDE - 1) for _ in range(SIDE)]
        rows.append(["agent.agent"] + ["empty"] * (SIDE - 1))
        return MettaGrid(game("@", objects=objects, events={"fill": fill, "clear": clear}), rows, 0)

    return busy


def test_hundreds_of_objects_may_come_and_go_in_every_step(busy):
    engine = busy("after")
    for step in range(1, 31):
        engine.step()
        assert len(engine.grid_objects()) == SIDE + 1
        assert engine.tag_index().count_objects_with_tag(1) == 0
        assert engine.current_step == step
    assert engine.program.tag_names[1] == "type:box"


def test_ids_are_never_used_again(busy):
    engine = busy("before")
    engine.step()
    first = set(engine.grid_objects())
    assert len(first) == SIDE * SIDE + 1
    boxes = {number for number, thing in engine.grid_objects().items() if thing["type_name"] == "box"}
    try:
        engine.step()
    except RuntimeError as error:
        assert "no room for another object" in str(error)
    again = {number for number, thing in engine.grid_objects().items() if thing["type_name"] == "box"}
    assert not boxes & again


def test_running_out_of_room_is_an_error_and_the_world_goes_on(busy):
    """380 objects removed and 380 created in one step exceed the limit of 256."""
    engine = busy("before")
    engine.step()
    with pytest.raises(RuntimeError, match="The world has no room for another object"):
        engine.step()
    for _ in range(5):
        try:
            engine.step()
        except RuntimeError as error:
            assert "no room for another object" in str(error)
    placed = [(thing["r"], thing["c"]) for thing in engine.grid_objects().values()]
    assert len(set(placed)) == len(placed)


def test_queries_that_find_too_much_are_an_error_at_the_start(game):
    found = "type:wall"
    for _ in range(30):
        found = ClosureQuery(source="type:wall", candidates=found)
    rows = [["wall"] * 40 for _ in range(30)] + [["agent.agent"] + ["empty"] * 39]
    with pytest.raises(
        RuntimeError, match=r"^Queries of one rule found more objects together than the engine has working"
    ):
        MettaGrid(game("@", materialize_queries=[MaterializedQuery(tag="all", query=found)]), rows, 0)
