"""`check_mission` finds the problems of a mission, each with its place, reason and fix."""

from typing import Any

import pytest

from mettagrid import check_mission
from mettagrid.checks import BadMission, ProblemKind, refuse_bad_mission
from mettagrid.config.event_config import EventConfig
from mettagrid.config.filter import actorVibe, hasTag
from mettagrid.config.handler_config import Handler, actorHas, updateActor, withdraw
from mettagrid.config.mettagrid_config import (
    AgentConfig,
    GameConfig,
    GridObjectConfig,
    InventoryConfig,
    MettaGridConfig,
    ObsConfig,
    ResourceLimitsConfig,
    WallConfig,
)
from mettagrid.config.mutation import SpawnObjectMutation
from mettagrid.config.query import MaterializedQuery, query
from mettagrid.config.reward_config import inventoryReward
from mettagrid.config.territory_config import TerritoryConfig, TerritoryControlConfig
from mettagrid.demo import demo_config
from mettagrid.map_builder.ascii import AsciiMapBuilder
from mettagrid.map_builder.random_map import RandomMapBuilder
from mettagrid.mapgen.mapgen import MapGen
from mettagrid.mapgen.scenes.inline_ascii import InlineAscii

OPEN_ROOM = """
########
#@....C#
#..##..#
#@....C#
########
"""


def drawn(text: str) -> Any:
    return AsciiMapBuilder.Config(map_data=text.strip(), char_to_map_name={"C": "chest", "M": "monster"})


def mission(**fields: Any) -> MettaGridConfig:
    """Two agents take gold from two chests; everything about it is right."""
    chest = GridObjectConfig(
        name="chest",
        inventory=InventoryConfig(initial={"gold": 5}),
        on_use_handler=Handler(mutations=[withdraw({"gold": 1})]),
    )
    defaults: dict[str, Any] = {
        "num_agents": 2,
        "resource_names": ["gold", "ore"],
        "objects": {"wall": WallConfig(), "chest": chest},
        "agent": AgentConfig(rewards={"gold": inventoryReward("gold")}),
        "map_builder": drawn(OPEN_ROOM),
    }
    return MettaGridConfig(label="chests", game=GameConfig(**(defaults | fields)))


def using(*mutations: Any, filters: tuple[Any, ...] = ()) -> dict[str, Any]:
    return {"on_tick": Handler(mutations=list(mutations), filters=list(filters))}


def agent(**fields: Any) -> dict[str, Any]:
    return {"agent": AgentConfig(**fields)}


def changed(path: str, value: object) -> dict[str, Any]:
    """The data of the good mission with one value, which may be wrong, in place of another."""
    data = mission().model_dump(mode="json")
    here = data["game"]
    *owners, last = path.split(".")
    for owner in owners:
        here = here[owner]
    here[last] = value
    return data


CONTROL = TerritoryControlConfig(territory="land")

# problem -> (the mission, the kind of problem, its place, a part of the message or the fix)
BROKEN: dict[str, tuple[Any, ProblemKind, str, str]] = {
    "a resource is misspelled in a mutation": (
        mission(**using(updateActor({"golf": 1}))),
        ProblemKind.UNKNOWN_NAME,
        "game.on_tick.mutations[0]",
        "There is no resource 'golf' in this game. Did you mean 'gold'?",
    ),
    "a resource is misspelled in a filter": (
        mission(**agent(on_tick=Handler(filters=[actorHas({"goold": 1})]))),
        ProblemKind.UNKNOWN_NAME,
        "game.agent.on_tick.filters[0]",
        "the game does not have and ignores them: goold. Correct the name",
    ),
    "a limit is for an unknown resource": (
        mission(**agent(inventory=InventoryConfig(limits={"bag": ResourceLimitsConfig(base=1, resources=["silver"])}))),
        ProblemKind.UNKNOWN_NAME,
        "game.agent.inventory.limits.bag",
        "Known: 'gold', 'ore'.",
    ),
    "a reward is for an unknown resource": (
        mission(**agent(rewards={"silver": inventoryReward("silver")})),
        ProblemKind.UNKNOWN_NAME,
        "game.agent.rewards.silver.reward",
        "'silver'",
    ),
    "a filter asks for an unknown tag": (
        mission(**agent(on_tick=Handler(filters=[hasTag("type:chesst")]))),
        ProblemKind.UNKNOWN_NAME,
        "game.agent.on_tick.filters[0]",
        "The filter names the tag 'type:chesst', which the game does not have",
    ),
    "an event is for an unknown tag": (
        mission(events={"rain": EventConfig(name="rain", target_query="type:cloud", timesteps=[1])}),
        ProblemKind.UNKNOWN_NAME,
        "game.events.rain.target_query",
        "'type:cloud'",
    ),
    "a materialized query starts at an unknown tag": (
        mission(materialize_queries=[MaterializedQuery(tag="near", query=query("type:hub"))]),
        ProblemKind.UNKNOWN_NAME,
        "game.materialize_queries[0].query.source",
        "'type:hub'",
    ),
    "a territory does not exist": (
        changed("objects.chest.territory_controls", [CONTROL.model_dump(mode="json")]),
        ProblemKind.CONFIG,
        "game",
        "'land'",
    ),
    "a territory is for tags that no object has": (
        mission(territories={"land": TerritoryConfig(tag_prefix="team:")}),
        ProblemKind.NO_EFFECT,
        "game.territories.land",
        "team:",
    ),
    "a cell of the map is not an object": (
        mission(map_builder=drawn("@.M\n@.C")),
        ProblemKind.UNKNOWN_CELL,
        "game.map_builder",
        "1 cell of the map is 'monster', which no object is called (the first at row 0, column 2).",
    ),
    "the map has too few places for agents": (
        mission(num_agents=5),
        ProblemKind.SPAWNS,
        "game.map_builder",
        "The map has 2 places for 5 agents. Put more agents on the map, or lower game.num_agents.",
    ),
    "the list of agents has the wrong length": (
        mission(agents=[AgentConfig()]),
        ProblemKind.SPAWNS,
        "game.agents",
        "There are 1 agents in the list and num_agents is 2.",
    ),
    "no chest can be reached": (
        mission(map_builder=drawn("@.#C\n@.#C")),
        ProblemKind.UNREACHABLE,
        "game.map_builder",
        "No agent can reach 2 of 2 'chest' (the first at row 0, column 3). Open a path",
    ),
    "an agent is walled in": (
        mission(map_builder=drawn("@#.@\n##.C")),
        ProblemKind.STUCK_AGENT,
        "game.map_builder",
        "1 of 2 agents can neither move nor use anything (the first at row 0, column 0).",
    ),
    "a drawn character has no meaning": (
        mission(map_builder=drawn("@.@\n.?C")),
        ProblemKind.MAP,
        "game.map_builder",
        "'?'",
    ),
    "agents do not fit on a random map": (
        mission(map_builder=RandomMapBuilder.Config(width=3, height=3, border_width=1, agents=2)),
        ProblemKind.MAP,
        "game.map_builder",
        "2 agents do not fit",
    ),
    "a drawing does not fit into its area": (
        mission(map_builder=MapGen.Config(width=2, height=2, instance=InlineAscii.Config(data="@@@\n...\n..."))),
        ProblemKind.MAP,
        "game.map_builder",
        "does not fit",
    ),
    "there are more features than ids": (
        mission(resource_names=["gold", "ore", *(f"stone_{number}" for number in range(80))]),
        ProblemKind.FEATURES,
        "game.obs",
        "more than there are ids (0 to 254)",
    ),
    "an observation has too few tokens": (
        mission(obs=ObsConfig(num_tokens=6)),
        ProblemKind.TOKENS,
        "game.obs.num_tokens",
        "an observation has room for 6. Raise num_tokens to ",
    ),
    "an observation has no tokens": (
        mission(obs=ObsConfig(num_tokens=0)),
        ProblemKind.TOKENS,
        "game.obs.num_tokens",
        "0 is outside 1..",
    ),
    "the window is too large": (
        mission(obs=ObsConfig(width=17, height=17)),
        ProblemKind.RULES,
        "game.obs",
        "exceeds maximum packable size (15x15)",
    ),
    "a resource is listed twice": (
        mission(resource_names=["gold", "ore", "gold"]),
        ProblemKind.RULES,
        "game.resource_names",
        "'gold' is listed 2 times",
    ),
    "the number of agents is negative": (
        changed("num_agents", -1),
        ProblemKind.CONFIG,
        "game.num_agents",
        "greater than or equal to 1. It is -1.",
    ),
    "a setting does not exist": (
        changed("max_stepps", 10),
        ProblemKind.CONFIG,
        "game.max_stepps",
        "There is no such setting.",
    ),
    "the map builder does not exist": (
        changed("map_builder", {"type": "mettagrid.map_builder.nowhere.Nothing.Config"}),
        ProblemKind.CONFIG,
        "game.map_builder",
        "cannot be loaded",
    ),
    "a drawn map is ragged": (
        changed("map_builder.map_data", ["@@", "."]),
        ProblemKind.CONFIG,
        "game.map_builder",
        "Line 1 has 1 characters",
    ),
    "it is not a mission": (42, ProblemKind.CONFIG, "mission", "int is not a mission"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_mission_is_refused_for_the_right_reason(name: str) -> None:
    broken, kind, place, says = BROKEN[name]
    problems = check_mission(broken)
    fitting = [problem for problem in problems if problem.kind == kind and problem.place.startswith(place)]
    assert fitting, [str(problem) for problem in problems]
    assert says in f"{fitting[0].message} {fitting[0].fix}"
    assert fitting[0].fix


def test_enough_missions_are_broken_by_errors() -> None:
    errors = [name for name, (broken, *_) in BROKEN.items() if not all(p.is_warning for p in check_mission(broken))]
    assert len(errors) >= 20


def test_a_good_mission_has_no_problems() -> None:
    assert check_mission(mission()) == []
    assert check_mission(mission().game) == []
    assert check_mission(mission().model_dump(mode="json")) == []
    refuse_bad_mission(mission(), strict=True)


def test_the_built_in_games_have_no_problems() -> None:
    assert check_mission(demo_config(agents=4, width=12, height=12, steps=10, seed=3)) == []
    assert check_mission(MettaGridConfig.EmptyRoom(num_agents=3, with_walls=True)) == []


def test_a_mission_that_makes_its_environment_is_checked() -> None:
    class Mission:
        def make_env(self) -> MettaGridConfig:
            return mission(num_agents=5)

    class Failing:
        def make_env(self) -> MettaGridConfig:
            raise KeyError("no such variant")

    assert [problem.kind for problem in check_mission(Mission())] == [ProblemKind.SPAWNS]
    (problem,) = check_mission(Failing())
    assert "no such variant" in problem.message


def test_all_problems_are_found_at_once() -> None:
    broken = mission(
        on_tick=Handler(mutations=[updateActor({"golf": 1}), updateActor({"oar": 1})]),
        map_builder=drawn("@.M\n...\n.C."),
        events={"rain": EventConfig(name="rain", target_query="type:cloud", timesteps=[1])},
    )
    kinds = [problem.kind for problem in check_mission(broken)]
    assert kinds.count(ProblemKind.UNKNOWN_NAME) == 3
    assert kinds.count(ProblemKind.UNKNOWN_CELL) == 1
    assert kinds.count(ProblemKind.SPAWNS) == 1


def test_checking_changes_nothing() -> None:
    config = mission(on_tick=Handler(mutations=[updateActor({"golf": 1})]))
    before = config.model_dump_json()
    check_mission(config)
    assert config.model_dump_json() == before


def test_some_chests_out_of_reach_are_a_warning() -> None:
    (problem,) = check_mission(mission(map_builder=drawn("@.#C\n@.C#")))
    assert problem.is_warning
    assert str(problem).startswith("warning: game.map_builder: No agent can reach 1 of 2 'chest'")


def test_out_of_reach_is_a_warning_where_rules_move_things() -> None:
    spawning = mission(
        map_builder=drawn("@.#C\n@.#C"), **using(SpawnObjectMutation(object_type="chest"), filters=(actorVibe("down"),))
    )
    problems = [problem for problem in check_mission(spawning) if problem.kind == ProblemKind.UNREACHABLE]
    assert [problem.is_warning for problem in problems] == [True]


def test_an_object_that_never_appears_is_a_warning() -> None:
    objects = {**mission().game.objects, "statue": GridObjectConfig(name="statue")}
    (problem,) = check_mission(mission(objects=objects))
    assert (problem.kind, problem.place, problem.is_warning) == (ProblemKind.NEVER_PLACED, "game.objects.statue", True)


def test_refusing_prints_one_line_for_each_problem() -> None:
    with pytest.raises(BadMission) as error:
        refuse_bad_mission(mission(num_agents=5, **using(updateActor({"golf": 1}))))
    assert str(error.value) == (
        "The mission 'chests' has 2 problems:\n"
        "  game.on_tick.mutations[0]: There is no resource 'golf' in this game. Did you mean 'gold'?\n"
        "  game.map_builder: The map has 2 places for 5 agents. "
        "Put more agents on the map, or lower game.num_agents."
    )
    assert len(error.value.problems) == 2
    refuse_bad_mission(mission(map_builder=drawn("@.#C\n@.C#")))
