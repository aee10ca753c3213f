"""Numbers that do not fit are refused before the first step, with their place, their value and the range.

Configs may be changed after they were validated, so ranges that the models check are checked again.
"""

import pytest

from mettagrid.compiler import CompileError, compile
from mettagrid.config.event_config import EventConfig
from mettagrid.config.filter import PeriodicFilter, actorHas, maxDistance
from mettagrid.config.game_value import val
from mettagrid.config.handler_config import AOEConfig, Handler, updateActor, withdraw
from mettagrid.config.mettagrid_config import (
    ActionsConfig,
    AgentConfig,
    AgentReward,
    GridObjectConfig,
    InventoryConfig,
    MoveActionConfig,
    ResourceLimitsConfig,
)
from mettagrid.config.mutation import QueryInventoryMutation, SetRelativeTargetMutation
from mettagrid.config.query import query
from mettagrid.config.territory_config import TerritoryConfig, TerritoryControlConfig

HUGE = 2**31
ANY = "-2147483647..2147483647"


def ticking(*mutations, filters=()):
    return {"agent": AgentConfig(on_tick=Handler(mutations=list(mutations), filters=list(filters)))}


def holding(**fields):
    return {"agent": AgentConfig(inventory=InventoryConfig(**fields))}


def area(**fields):
    return {"agent": AgentConfig(aoes={"glow": AOEConfig(**fields)})}


def event(**fields):
    return {"events": {"rain": EventConfig(name="rain", target_query="type:box", **fields)}}


BAD = {
    f"agent.inventory.initial.gold: {65536} is outside 0..65535": holding(initial={"gold": 65536}),
    "agent.inventory.initial.gold: -1 is outside 0..65535": holding(initial={"gold": -1}),
    f"agent.inventory.limits.bag.modifiers.ore: {HUGE} is outside {ANY}": holding(
        limits={"bag": ResourceLimitsConfig(base=1, resources=["gold"], modifiers={"ore": HUGE})}
    ),
    f"agent.on_tick.mutations[0].deltas.gold: {HUGE} is outside {ANY}": ticking(updateActor({"gold": HUGE})),
    f"agent.on_tick.mutations[0].deltas.gold: {-HUGE} is outside {ANY}": ticking(updateActor({"gold": -HUGE})),
    f"agent.on_tick.mutations[0].deltas.ore: {-HUGE} is outside {ANY}": ticking(
        QueryInventoryMutation(query=query("type:box"), deltas={"gold": 1, "ore": -HUGE}, source="actor")
    ),
    f"agent.on_tick.mutations[0].resources.gold: {HUGE} is outside {ANY}": ticking(withdraw({"gold": HUGE})),
    f"agent.on_tick.mutations[0].distance: {HUGE} is outside 1..2147483647": ticking(
        SetRelativeTargetMutation(direction="north", distance=HUGE)
    ),
    f"agent.on_tick.filters[0].resources.gold: {HUGE} is outside {ANY}": ticking(filters=[actorHas({"gold": HUGE})]),
    f"agent.on_tick.filters[0].period: {HUGE} is outside 1..2147483647": ticking(filters=[PeriodicFilter(period=HUGE)]),
    f"agent.on_tick.filters[0].start_on: {-HUGE} is outside {ANY}": ticking(
        filters=[PeriodicFilter(period=1, start_on=-HUGE)]
    ),
    f"agent.aoes.glow.presence_deltas.gold: {HUGE} is outside {ANY}": area(presence_deltas={"gold": HUGE}),
    f"events.rain.timesteps: {HUGE} is outside {ANY}": event(timesteps=[1, HUGE, 2]),
    f"events.rain.max_targets: {HUGE} is outside 1..2147483647": event(max_targets=HUGE),
    f"max_steps: {HUGE} is outside 0..2147483647": {"max_steps": HUGE},
}


@pytest.mark.parametrize("message", BAD)
def test_a_number_that_does_not_fit_is_refused(game, message):
    with pytest.raises(CompileError) as error:
        compile(game(**BAD[message]))
    assert str(error.value) == f"game.{message}"


def change_period(config):
    config.agent.on_tick.filters[0].period = 0


def change_decay(config):
    config.objects["box"].territory_controls[0].decay = 0


def change_strength(config):
    config.objects["box"].territory_controls[0].strength = 2**31


def change_vibe(config):
    config.objects["box"].vibe = 256


def change_radius(config):
    config.objects["box"].aoes["glow"].radius = -1


def change_max_targets(config):
    config.events["rain"].max_targets = 0


def change_agents(config):
    config.num_agents = 0


def change_max_steps(config):
    config.max_steps = -1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (change_period, "agent.on_tick.filters[0].period: 0 is outside 1..2147483647"),
        (change_decay, "objects.box.territory_controls[0].decay: 0 is outside 1..2147483647"),
        (change_strength, "objects.box.territory_controls[0].strength: 2147483648 is outside 1..2147483647"),
        (change_vibe, "objects.box.vibe: 256 is outside 0..255"),
        (change_radius, "objects.box.aoes.glow.radius: -1 is outside 0..2147483647"),
        (change_max_targets, "events.rain.max_targets: 0 is outside 1..2147483647"),
        (change_agents, "num_agents: 0 is outside 1..65535"),
        (change_max_steps, "max_steps: -1 is outside 0..2147483647"),
    ],
)
def test_a_number_changed_after_validation_is_checked_again(game, change, message):
    box = GridObjectConfig(
        name="box",
        aoes={"glow": AOEConfig(presence_deltas={"gold": 1})},
        territory_controls=[TerritoryControlConfig(territory="land")],
    )
    config = game(
        objects={"box": box},
        territories={"land": TerritoryConfig(tag_prefix="type:")},
        events={"rain": EventConfig(name="rain", target_query="type:box", max_targets=1)},
        agent=AgentConfig(on_tick=Handler(filters=[PeriodicFilter(period=1)])),
    )
    compile(config)
    change(config)
    with pytest.raises(CompileError) as error:
        compile(config)
    assert str(error.value) == f"game.{message}"


@pytest.mark.parametrize(
    "fields",
    [
        holding(default_limit=2**40),
        holding(limits={"bag": ResourceLimitsConfig(base=-(2**40), max=2**40, resources=["gold"])}),
        holding(initial={"gold": 0, "ore": 65535}),
        area(radius=2**40, presence_deltas={"gold": 1}),
        ticking(filters=[maxDistance(2**40)]),
        ticking(filters=[maxDistance(-(2**40))]),
        ticking(updateActor({"gold": 2**31 - 1, "ore": -(2**31) + 1})),
        {"actions": ActionsConfig(move=MoveActionConfig(handlers=[Handler(filters=[maxDistance(2**40)])]))},
        {"agent": AgentConfig(initial_stats={"a": 1e300, "b": float("nan"), "c": float("-inf")})},
        {"agent": AgentConfig(rewards={"r": AgentReward(reward=val(-1e300))})},
        event(timesteps=[-5, 0, 2**31 - 1], priority=-(2**40)),
    ],
)
def test_numbers_with_a_sensible_meaning_are_not_refused(game, fields):
    compile(game(**fields))
