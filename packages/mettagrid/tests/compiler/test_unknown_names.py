"""An unknown name is an error with its place in the config, the name, and similar names."""

import pytest

from mettagrid.compiler import CompileError, UnknownName, compile
from mettagrid.config.event_config import EventConfig
from mettagrid.config.filter import GameValueFilter, hasTagPrefix, isNear, sharedTagPrefix
from mettagrid.config.game_value import QueryCountValue, QueryInventoryValue, inv
from mettagrid.config.handler_config import AOEConfig, Handler, addTag, removeTag, updateActor, withdraw
from mettagrid.config.mettagrid_config import (
    ActionsConfig,
    AgentConfig,
    AgentReward,
    GridObjectConfig,
    InventoryConfig,
    MoveActionConfig,
    ObsConfig,
    ResourceLimitsConfig,
)
from mettagrid.config.mutation import (
    ClearInventoryMutation,
    QueryInventoryMutation,
    RaycastSpawnMutation,
    SetGameValueMutation,
)
from mettagrid.config.obs_config import GlobalObsConfig
from mettagrid.config.query import ClosureQuery, MaterializedQuery, RaycastQuery, query
from mettagrid.config.territory_config import TerritoryConfig, TerritoryControlConfig


def ticking(*mutations, filters=()):
    return {"agent": AgentConfig(on_tick=Handler(name="tick", mutations=list(mutations), filters=list(filters)))}


def boxes(**fields):
    return {"objects": {"box": GridObjectConfig(name="box", **fields)}}


def event(**fields):
    return {"events": {"rain": EventConfig(**({"name": "rain", "target_query": "type:box"} | fields))}}


RESOURCES = {
    "game.agent.on_tick.mutations[0]": ticking(updateActor({"golf": 1})),
    "game.agent.on_tick.mutations[1]": ticking(updateActor({"ore": 1}), withdraw({"golf": 1})),
    "game.agent.on_tick.mutations[0] ": ticking(SetGameValueMutation(value=inv("golf"), delta=1)),
    "game.agent.on_tick.mutations[0]  ": ticking(QueryInventoryMutation(query=query("type:box"), deltas={"golf": 1})),
    "game.agent.on_tick.filters[0].value": ticking(filters=[GameValueFilter(target="actor", value=inv("golf"), min=1)]),
    "game.agent.inventory.initial.golf": {"agent": AgentConfig(inventory=InventoryConfig(initial={"golf": 1}))},
    "game.agent.inventory.limits.bag": {
        "agent": AgentConfig(
            inventory=InventoryConfig(limits={"bag": ResourceLimitsConfig(base=1, resources=["golf"])})
        )
    },
    "game.agents[1].inventory.limits.bag": {
        "agents": [
            AgentConfig(),
            AgentConfig(
                inventory=InventoryConfig(limits={"bag": ResourceLimitsConfig(base=1, resources=["ore", "golf"])})
            ),
        ]
    },
    "game.agent.rewards.greed.reward": {"agent": AgentConfig(rewards={"greed": AgentReward(reward=inv("golf"))})},
    "game.objects.box.aoes.glow": boxes(aoes={"glow": AOEConfig(presence_deltas={"golf": 1})}),
    "game.objects.box.inventory.initial": boxes(inventory=InventoryConfig(initial={"golf": 1})),
    "game.events.rain.mutations[0]": event(mutations=[updateActor({"golf": 1})]),
    "game.actions.move.consumed_resources": {
        "actions": ActionsConfig(move=MoveActionConfig(consumed_resources={"golf": 1}))
    },
    "game.obs.global_obs.obs.wealth": {
        "obs": ObsConfig(
            global_obs=GlobalObsConfig(obs={"wealth": QueryInventoryValue(query=query("type:box"), item="golf")})
        )
    },
    "game.obs.observation_radius_value": {"obs": ObsConfig(observation_radius_value=inv("golf"))},
    "game.on_tick.mutations[0]": {"on_tick": Handler(mutations=[updateActor({"golf": 1})])},
    "game.territories.land.presence.tithe.mutations[0]": {
        "territories": {
            "land": TerritoryConfig(
                tag_prefix="type:", presence={"tithe": Handler(mutations=[updateActor({"golf": 1})])}
            )
        }
    },
}


@pytest.mark.parametrize("path", RESOURCES)
def test_an_unknown_resource_is_refused_where_it_stands(game, path):
    with pytest.raises(UnknownName) as error:
        compile(game(**RESOURCES[path]))
    path = path.strip()
    assert str(error.value) == f"{path}: there is no resource 'golf' in this game. Did you mean 'gold'?"
    assert (error.value.path, error.value.name) == (path, "golf")


TAGS = {
    "game.agent.on_tick.mutations[0]": ticking(addTag("type:bx")),
    "game.agent.on_tick.mutations[0] ": ticking(removeTag("type:bx")),
    "game.agent.on_tick.filters[0].query.source": ticking(filters=[isNear("type:bx")]),
    "game.events.rain.target_query": event(target_query="type:bx"),
    "game.events.rain.target_query.source": event(target_query=query("type:bx")),
    "game.events.rain.target_query.candidates": event(
        target_query=ClosureQuery(source="type:box", candidates="type:bx")
    ),
    "game.events.rain.target_query.source ": event(target_query=RaycastQuery(source="type:bx")),
    "game.materialize_queries[0].query.source": {
        "materialize_queries": [MaterializedQuery(tag="near", query=query("type:bx"))]
    },
    "game.agent.rewards.many.reward.query.source": {
        "agent": AgentConfig(rewards={"many": AgentReward(reward=QueryCountValue(query=query("type:bx")))})
    },
}


@pytest.mark.parametrize("path", TAGS)
def test_an_unknown_tag_is_refused_where_it_stands(game, path):
    with pytest.raises(UnknownName) as error:
        compile(game(**TAGS[path]))
    expected = f"{path.strip()}: there is no tag 'type:bx' in this game. Did you mean 'type:box'"
    assert str(error.value).startswith(expected)


@pytest.mark.parametrize("make_filter", [hasTagPrefix, sharedTagPrefix])
def test_a_filter_for_a_prefix_that_no_tag_has_is_refused(game, make_filter):
    with pytest.raises(
        UnknownName, match=r"^game\.agent\.on_tick\.filters\[0\]: there is no tag with the prefix 'team:'"
    ):
        compile(game(**ticking(filters=[make_filter("team:")])))


def test_a_tag_handler_for_a_prefix_that_no_tag_has_is_refused(game):
    with pytest.raises(CompileError, match=r"^game\.objects\.box\.on_tag_remove\.team:: no tag .* starts with 'team:'"):
        compile(game(**boxes(on_tag_remove={"team:": Handler()})))


def test_clearing_a_limit_that_no_agent_has_is_refused(game):
    limits = {"bag": ResourceLimitsConfig(base=1, resources=["gold"])}
    agent = AgentConfig(
        inventory=InventoryConfig(limits=limits),
        on_tick=Handler(mutations=[ClearInventoryMutation(target="actor", limit_name="sack")]),
    )
    with pytest.raises(CompileError) as error:
        compile(game(agent=agent))
    assert str(error.value) == "game.agent.on_tick.mutations[0]: no agent has a limit named 'sack'; there are: bag"


def test_a_territory_that_was_taken_away_after_validation_is_refused(game):
    control = TerritoryControlConfig(territory="land")
    config = game(territories={"land": TerritoryConfig(tag_prefix="type:")}, **boxes(territory_controls=[control]))
    config.territories = {"sea": TerritoryConfig(tag_prefix="type:")}
    with pytest.raises(CompileError) as error:
        compile(config)
    assert str(error.value) == "game.objects.box.territory_controls[0]: there is no territory 'land'; known: sea"


def test_a_ray_in_an_unknown_direction_is_refused(game):
    spawn = RaycastSpawnMutation(object_type="box", directions=["up"])
    with pytest.raises(
        CompileError, match=r"mutations\[0\]: 'up' is not a direction; allowed: north, south, west, east"
    ):
        compile(game(**ticking(spawn)))


def test_without_a_close_name_some_of_the_known_ones_are_listed(game):
    with pytest.raises(UnknownName) as error:
        compile(game(**ticking(updateActor({"x": 1}))))
    assert str(error.value).endswith("there is no resource 'x' in this game. Known: 'gold', 'ore'.")


def test_without_any_name_that_is_said(game):
    with pytest.raises(UnknownName, match=r"there is no resource 'x' in this game\. The game has none\."):
        compile(game(resource_names=[], **ticking(updateActor({"x": 1}))))


def test_an_unknown_correction_is_refused(game):
    with pytest.raises(CompileError, match=r"there is no correction 'last_rewards'\. Did you mean 'last_reward'"):
        compile(game(), corrections={"last_rewards"})
