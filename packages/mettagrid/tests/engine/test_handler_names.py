"""Move handlers and materialized queries that share a name. The numbers are those of the published engine."""

import pytest

from mettagrid.compiler.errors import ConfigWarning
from mettagrid.config.action_config import ActionsConfig, MoveActionConfig
from mettagrid.config.filter import isA
from mettagrid.config.handler_config import Handler, addTag, updateActor
from mettagrid.config.mettagrid_config import AgentConfig, GridObjectConfig
from mettagrid.config.mutation import PushObjectMutation, RecomputeMaterializedQueryMutation, RelocateMutation
from mettagrid.config.query import MaterializedQuery, Query

EAST = 4
REPLACED = r"game\.actions\.move\.handlers\[{}\]: handler {} has the same name '{}' and replaces this one"


def held_after_a_move(world, *names):
    """Move onto a box: each handler gives one unit of its own resource and fails, so that the next one is tried."""
    resources = [f"r{i}" for i in range(len(names))]
    handlers = [
        Handler(name=name, mutations=[updateActor({resource: 1}), PushObjectMutation()])
        for name, resource in zip(names, resources, strict=True)
    ]
    actions = ActionsConfig(move=MoveActionConfig(handlers=handlers))
    engine = world("@b#", actions=actions, resource_names=resources)
    engine.actions()[0] = EAST
    engine.step()
    agent = next(thing for thing in engine.grid_objects().values() if "agent_id" in thing)
    return {resources[number]: amount for number, amount in agent["inventory"].items()}


def test_handlers_with_different_names_are_all_tried(world):
    assert held_after_a_move(world, "a", "b", "c") == {"r0": 1, "r1": 1, "r2": 1}
    assert held_after_a_move(world, "", "", "move") == {"r0": 1, "r1": 1, "r2": 1}


@pytest.mark.parametrize(
    ("names", "replaced", "by", "held"),
    [
        (("a", "b", "a"), 0, 2, {"r1": 1, "r2": 1}),
        (("a", "a", "b"), 0, 1, {"r1": 1, "r2": 1}),
        (("move_handler_1", ""), 0, 1, {"r1": 1}),
    ],
)
def test_a_later_handler_replaces_an_earlier_one_with_the_same_name(world, names, replaced, by, held):
    with pytest.warns(
        ConfigWarning, match=REPLACED.format(replaced, by, names[replaced] or f"move_handler_{replaced}")
    ):
        assert held_after_a_move(world, *names) == held


def test_the_later_handler_runs_in_the_place_of_the_earlier_one(world):
    """The second `push` runs first and succeeds: the box stays where it is and `last` is not tried."""
    push = [PushObjectMutation(), RelocateMutation()]
    handlers = [
        Handler(name="push", filters=[isA("box")], mutations=push),
        Handler(name="last", mutations=[updateActor({"ore": 1})]),
        Handler(name="push", filters=[isA("box")], mutations=[updateActor({"gold": 1})]),
    ]
    with pytest.warns(ConfigWarning, match=REPLACED.format(0, 2, "push")):
        engine = world("@b.", actions=ActionsConfig(move=MoveActionConfig(handlers=handlers)))
    engine.actions()[0] = EAST
    engine.step()
    agent, box = engine.grid_objects().values()
    assert (agent["c"], agent["inventory"], box["c"]) == (0, {0: 1}, 1)


def holders(engine, tag):
    number = engine.program.tag_names.index(tag)
    return [thing["type_name"] for thing in engine.grid_objects().values() if number in thing["tag_ids"]]


def materialized(world, *queries, **fields):
    entries = [MaterializedQuery(tag=tag, query=Query(source=source)) for tag, source in queries]
    return world("@b#", materialize_queries=entries, **fields)


def test_objects_lose_a_materialized_tag_at_the_start_without_a_handler(world):
    marked = {"tags": ["lit"], "on_tag_remove": {"lit": Handler(mutations=[addTag("seen")])}}
    objects = {"box": GridObjectConfig(name="box", **marked), "wall": GridObjectConfig(name="wall")}
    fields = {"objects": objects, "agents": [AgentConfig(tags=["lit"])], "tags": ["seen"]}
    engine = materialized(world, ("lit", "type:wall"), **fields)
    assert holders(engine, "lit") == ["wall"]
    assert holders(engine, "seen") == []
    assert holders(materialized(world, ("lit", "lit"), **fields), "lit") == []


def test_of_two_queries_with_one_tag_the_last_is_computed_at_the_start_and_the_first_by_rules(world):
    recompute = Handler(mutations=[RecomputeMaterializedQueryMutation(tag_prefix="lit")])
    engine = materialized(world, ("lit", "type:box"), ("near", "lit"), ("lit", "type:wall"), on_tick=recompute)
    assert (holders(engine, "lit"), holders(engine, "near")) == (["wall"], ["box"])
    engine.step()
    assert (holders(engine, "lit"), holders(engine, "near")) == (["box"], ["box"])
