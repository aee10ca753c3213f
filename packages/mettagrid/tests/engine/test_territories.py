"""The stand-in that territory handlers see as actor. The numbers are those of the published engine."""

import pytest

from mettagrid.config.filter import actorHasTag, actorVibe
from mettagrid.config.handler_config import Handler, addTag, deposit, updateTarget, withdraw
from mettagrid.config.mettagrid_config import AgentConfig, GridObjectConfig, InventoryConfig
from mettagrid.config.mutation import ChangeVibeMutation
from mettagrid.config.territory_config import TerritoryConfig, TerritoryControlConfig

GOLD, ORE = 0, 1
GIVE, TAKE = withdraw({"gold": 3}), deposit({"gold": 1})  # as seen by the stand-in: it withdraws from the agent


@pytest.fixture
def played(world):
    """What both agents hold after each of three steps; a box between them owns every cell of all territories."""

    def played(item, *, gold=(9, 9), **presence):
        territories = {
            name: TerritoryConfig(tag_prefix="mark:", presence={str(i): handler for i, handler in enumerate(handlers)})
            for name, handlers in presence.items()
        }
        controls = [TerritoryControlConfig(territory=name, strength=5) for name in presence]
        box = GridObjectConfig(name="box", tags=["mark:a"], territory_controls=controls)
        agents = [AgentConfig(inventory=InventoryConfig(initial={"gold": amount})) for amount in gold]
        engine = world("@.b.@", agents=agents, objects={"box": box}, territories=territories, tags=["lit"])
        steps = []
        for _ in range(3):
            engine.step()
            agents = [thing for thing in engine.grid_objects().values() if "agent_id" in thing]
            steps.append([agent["inventory"].get(item, 0) for agent in agents])
        return steps

    return played


def test_it_keeps_what_it_got_for_the_next_agent_and_the_next_step(played):
    give_and_take = [Handler(mutations=[GIVE]), Handler(mutations=[TAKE])]
    assert played(GOLD, gold=(0, 9), land=give_and_take) == [[0, 7], [1, 5], [1, 3]]


def test_each_territory_has_its_own(played):
    assert played(GOLD, land=[Handler(mutations=[GIVE])], sea=[Handler(mutations=[TAKE])]) == [[6, 6], [3, 3], [0, 0]]


def test_it_keeps_its_vibe(played):
    praised = Handler(filters=[actorVibe("junction")], mutations=[updateTarget({"ore": 1})])
    shine = Handler(mutations=[ChangeVibeMutation(target="actor", vibe_name="junction")])
    assert played(ORE, land=[praised, shine]) == [[0, 1], [1, 2], [2, 3]]


def test_it_keeps_no_tag_but_that_of_the_owner(played):
    praised = Handler(filters=[actorHasTag("lit")], mutations=[updateTarget({"ore": 1})])
    assert played(ORE, land=[praised, Handler(mutations=[addTag("lit", target="actor")])]) == [[0, 0]] * 3
