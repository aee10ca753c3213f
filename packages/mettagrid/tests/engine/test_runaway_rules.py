"""Rules that would never end: an error that names them, and a world that can continue."""

import gc
import weakref

import pytest

from mettagrid.config.event_config import EventConfig
from mettagrid.config.handler_config import (
    AllOf,
    AOEConfig,
    FirstMatch,
    Handler,
    addTag,
    recomputeMaterializedQuery,
    removeTag,
    updateTarget,
    useTarget,
)
from mettagrid.config.mettagrid_config import AgentConfig, GridObjectConfig
from mettagrid.config.mutation import SetRelativeTargetMutation
from mettagrid.config.query import MaterializedQuery, query
from mettagrid.mettagrid_c import MettaGrid

EAST = 4
MESSAGE = r"^Handlers call one another more than 64 deep, last {}; a rule probably triggers itself\.$"


def box(**fields):
    return {"objects": {"box": GridObjectConfig(name="box", **fields)}}


USES_ITSELF = box(on_use_handler=Handler(name="ouroboros", mutations=[useTarget()]))
TOGGLES_ITSELF = box(
    tags=["lit"],
    on_tag_remove={"lit": Handler(name="relight", mutations=[addTag("lit"), removeTag("lit")])},
    on_use_handler=Handler(name="douse", mutations=[removeTag("lit")]),
)
USES_AFTER_USE = box(on_use_handler=Handler(name="ring")) | {
    "agent": AgentConfig(on_after_use_handler=Handler(name="again", mutations=[useTarget()]))
}
IN_BRANCHES = box(
    on_use_handler=FirstMatch(
        handlers=[
            AllOf(handlers=[Handler(name="left", mutations=[useTarget()]), Handler(name="right")]),
            Handler(name="never"),
        ]
    )
)
RECOMPUTES_ITSELF = box(
    on_tag_remove={"near": Handler(mutations=[addTag("near"), recomputeMaterializedQuery("near")])},
    on_use_handler=Handler(name="look", mutations=[addTag("near"), recomputeMaterializedQuery("near")]),
) | {"materialize_queries": [MaterializedQuery(tag="near", query=query("type:agent"))]}


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        (USES_ITSELF, "ouroboros"),
        (TOGGLES_ITSELF, r"game\.objects\.box\.on_tag_remove"),
        (USES_AFTER_USE, "(ring|again)"),
        (IN_BRANCHES, r"game\.objects\.box\.on_use_handler"),
        (RECOMPUTES_ITSELF, r"(query|game\.objects\.box\.on_tag_remove)"),
    ],
)
def test_a_rule_that_triggers_itself_is_an_error_that_names_it(world, fields, named):
    engine = world("@b", **fields)
    engine.actions()[:] = EAST
    with pytest.raises(RuntimeError, match=MESSAGE.format(named)):
        engine.step()


def test_the_world_goes_on_after_the_error(world):
    engine = world("@b", **USES_ITSELF)
    engine.actions()[:] = EAST
    with pytest.raises(RuntimeError):
        engine.step()
    assert engine.current_step == 1
    engine.actions()[:] = 0
    engine.step()
    assert engine.current_step == 2
    assert engine.action_success() == [True]
    assert engine.observations()[0, 0].tolist() == [254, 1, 256 * 2 // 100]
    engine.actions()[:] = EAST
    with pytest.raises(RuntimeError, match=MESSAGE.format("ouroboros")):
        engine.step()


def test_other_worlds_of_the_thread_do_not_notice(world):
    quiet, alone = world("@b.@"), world("@b.@")
    runaway = world("@b", **USES_ITSELF)
    runaway.actions()[:] = EAST
    for action in (3, 3, 0, 4, 1):
        quiet.actions()[:] = alone.actions()[:] = action
        with pytest.raises(RuntimeError):
            runaway.step()
        quiet.step()
    for action in (3, 3, 0, 4, 1):
        alone.actions()[:] = action
        alone.step()
    assert quiet.observations().tobytes() == alone.observations().tobytes()
    assert quiet.get_episode_stats() == alone.get_episode_stats()


def test_a_world_in_error_is_freed_like_any_other(world):
    engine = world("@b", **USES_ITSELF)
    engine.actions()[:] = EAST
    with pytest.raises(RuntimeError) as error:
        engine.step()
    del error
    alive = weakref.ref(engine)
    del engine
    gc.collect()
    assert alive() is None


def test_an_error_in_the_middle_of_an_area_leaves_nothing_pending(world):
    relight = Handler(mutations=[addTag("lit"), removeTag("lit")])
    area = AOEConfig(radius=1, mutations=[updateTarget({"gold": 1}), removeTag("lit")])
    engine = world("@b", agent=AgentConfig(tags=["lit"], on_tag_remove={"lit": relight}), **box(aoes={"glow": area}))
    with pytest.raises(RuntimeError, match=MESSAGE.format(r"game\.agent\.on_tag_remove")):
        engine.step()
    before = engine.get_agent_stat(0, "gold.amount") or 0
    for i in (1, 2, 3):  # the tag was removed, so nothing triggers any more
        engine.step()
        assert engine.get_agent_stat(0, "gold.amount") == before + i


def test_events_that_trigger_a_runaway_stop_at_the_error(world):
    events = {"night": EventConfig(name="night", target_query="type:box", timesteps=[1], mutations=[removeTag("lit")])}
    engine = world("@b", events=events, **TOGGLES_ITSELF)
    with pytest.raises(RuntimeError, match="more than 64 deep"):
        engine.step()
    engine.step()
    assert engine.current_step == 2


def test_the_debugging_interface_reports_a_runaway_too(world):
    engine = world("@b", **TOGGLES_ITSELF)
    lit = engine.program.tag_names.index("lit")
    box_seen = engine.grid_objects()[2]
    with pytest.raises(RuntimeError, match="more than 64 deep"):
        box_seen["remove_tag"](lit)
    engine.step()


def row_of_boxes(game, count):
    """An agent and `count` boxes beside it, each of which uses the next one."""
    boxes = {}
    for i in range(count):
        onward = [SetRelativeTargetMutation(direction="east", distance=i + 2), useTarget()]
        use = Handler(name=f"pass{i}", mutations=[updateTarget({"gold": 1}), *(onward if i + 1 < count else [])])
        boxes[f"box{i}"] = GridObjectConfig(name=f"box{i}", on_use_handler=use)
    engine = MettaGrid(game("@", objects=boxes), [["agent.agent", *boxes]], 0)
    engine.actions()[:] = EAST
    return engine


def test_60_boxes_in_a_row_may_pass_a_use_along(game):
    engine = row_of_boxes(game, 60)
    engine.step()
    assert engine.action_success() == [True]
    assert [thing["inventory"] for thing in engine.grid_objects().values()] == [{}] + [{0: 1}] * 60


def test_70_boxes_in_a_row_are_too_deep(game):
    engine = row_of_boxes(game, 70)
    with pytest.raises(RuntimeError, match=MESSAGE.format(r"pass6\d")):
        engine.step()
