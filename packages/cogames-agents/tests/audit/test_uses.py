"""Uses of structures in a trace of the engine."""

from cogames_agents.audit.uses import find_uses
from cogames_agents.audit.world import AgentState, Structure, World
from mettagrid.state import Change, TraceEntry

EXTRACTOR = Structure(7, "carbon_extractor", (4, 5), frozenset())
WORLD = World(
    {EXTRACTOR.cell: EXTRACTOR}, (AgentState(3, (5, 5), "team:cogs", "", {}), AgentState(4, (9, 9), "", "", {}))
)


def action(name: str, *changes: Change, actor: int = 3) -> TraceEntry:
    return TraceEntry("action", name, actor, None, changes)


def rule(name: str, *changes: Change, target: int = 7) -> TraceEntry:
    return TraceEntry("rule", name, 3, target, changes)


MINE = "game.objects.carbon_extractor.on_use_handler.handlers[0] (miner_extract)"
PHASES = TraceEntry("phase", "actions", None, None, ()), TraceEntry("phase", "events", None, None, ())


def test_a_use_with_an_effect_names_its_rule_and_gain() -> None:
    gained = Change("inventory", 3, 0, "carbon", 0, 10), Change("inventory", 7, None, "carbon", 200, 190)
    trace = [PHASES[0], action("move_north"), rule(MINE, *gained), action("noop", actor=4), PHASES[1]]
    (use,) = find_uses(WORLD, trace)
    assert (use.agent, use.structure, use.rule) == (0, EXTRACTOR, "miner_extract")
    assert (use.has_effect, use.gained) == (True, {"carbon": 10})


def test_a_full_agent_uses_an_extractor_without_effect() -> None:
    (use,) = find_uses(WORLD, [action("move_north"), rule(MINE, Change("stat", 3, 0, "action.move.success", 1, 2))])
    assert (use.rule, use.has_effect, use.gained) == ("miner_extract", False, {})


def test_an_object_that_refuses_is_used_without_a_rule() -> None:
    (use,) = find_uses(WORLD, [action("move_north", Change("success", 3, 0, "", 1, 0))])
    assert (use.structure, use.rule, use.has_effect) == (EXTRACTOR, "", False)


def test_walking_waiting_and_bumping_into_nothing_are_no_uses() -> None:
    moved = action("move_north", Change("row", 3, 0, "", 5, 4))  # an agent before it has emptied the extractor
    assert list(find_uses(WORLD, [moved])) == []
    assert list(find_uses(WORLD, [action("noop"), action("move_south"), action("change_vibe_heart")])) == []


def test_rules_of_later_phases_belong_to_no_use() -> None:
    death = TraceEntry(
        "rule", "game.agents[0].on_tick.handlers[1] (hp_death)", 3, None, (Change("inventory", 3, 0, "miner", 1, 0),)
    )
    (use,) = find_uses(WORLD, [action("move_north"), PHASES[1], death])
    assert not use.has_effect
