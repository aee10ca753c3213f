"""Step traces: the rules that fired, their objects, and the changes."""

import pytest

from mettagrid.config.filter import HandlerTarget, ResourceFilter
from mettagrid.config.handler_config import FirstMatch, Handler
from mettagrid.config.mettagrid_config import GridObjectConfig, WallConfig
from mettagrid.config.mutation import ResourceDeltaMutation

BESIDE_A_BOX = """
####
#@b#
####
"""


def giving_box(**deltas):
    rich = ResourceFilter(target=HandlerTarget.ACTOR, resources={"gold": 5})
    give = ResourceDeltaMutation(target=HandlerTarget.ACTOR, deltas=deltas)
    handlers = [Handler(name="rich", filters=[rich], mutations=[]), Handler(name="poor", mutations=[give])]
    return GridObjectConfig(name="box", on_use_handler=FirstMatch(handlers=handlers))


@pytest.fixture
def engine(world):
    return world(BESIDE_A_BOX, objects={"wall": WallConfig(), "box": giving_box(gold=2)})


def test_a_trace_tells_which_rule_fired_on_whom_and_what_changed(engine):
    agent, box = engine.grid_objects(ignore_types=["wall"]).values()
    engine.actions()[0] = engine.action_names.index("move_east")
    rules = [entry for entry in engine.step_traced() if entry.cause == "rule"]
    assert [(entry.name, entry.actor, entry.target) for entry in rules] == [
        ("game.objects.box.on_use_handler.handlers[1] (poor)", agent["id"], box["id"])
    ]
    changes = {
        (change.field, change.name): (change.agent_id, change.before, change.after) for change in rules[0].changes
    }
    assert changes["inventory", "gold"] == (0, 0, 2)
    assert changes["stat", "gold.gained"] == (0, 0, 2)
    assert "agent 0: inventory gold 0 -> 2" in str(rules[0])


def test_a_trace_has_the_parts_of_a_step_in_order_and_every_action(engine):
    entries = engine.step_traced()
    assert [entry.name for entry in entries if entry.cause == "phase"] == [
        "actions", "events", "ticks", "areas", "game_tick", "observations", "rewards", "done"
    ]  # fmt: skip
    assert [entry.name for entry in entries if entry.cause == "action"] == ["noop"]


def test_a_rule_whose_filters_fail_is_not_in_the_trace(engine):
    engine.set_inventory(0, {0: 9})
    engine.actions()[0] = engine.action_names.index("move_east")
    assert not [entry for entry in engine.step_traced() if entry.cause == "rule"]


def test_a_traced_step_is_a_step(engine):
    twin = engine.clone()
    for _ in range(5):
        for each in (engine, twin):
            each.actions()[0] = each.action_names.index("move_east")
        engine.step_traced()
        twin.step()
        assert engine.state_hash() == twin.state_hash()
        assert (engine.observations() == twin.observations()).all()


def test_bookkeeping_is_left_out_unless_asked_for(engine):
    twin = engine.clone()
    shown = {change.field for entry in engine.step_traced() for change in entry.changes}
    all_fields = {change.field for entry in twin.step_traced(bookkeeping=True) for change in entry.changes}
    assert "seen" not in shown
    assert shown < all_fields


def test_a_step_is_timed_only_when_asked_for(world, monkeypatch):
    engine = world()
    engine.step()
    assert engine.step_timing.total_ns == engine.last_obs_time_ns == 0
    monkeypatch.setenv("METTAGRID_PROFILING", "1")
    timed, twin = world(), world()
    timed.step()
    twin._step_timed()
    timing = timed.step_timing
    assert timing.observations_ns > 0
    assert timing.total_ns == sum(timing) - timing.total_ns
    assert timed.state_hash() == twin.state_hash() == engine.state_hash()
