"""Values of agents: queries whose results agents or values share within a step, and amounts added to amounts."""

import pytest

from mettagrid.config.event_config import EventConfig
from mettagrid.config.filter import sharedTagPrefix
from mettagrid.config.game_value import QueryCountValue, QueryInventoryValue, inv, weighted_sum
from mettagrid.config.handler_config import Handler, updateTarget
from mettagrid.config.mettagrid_config import AgentConfig, AgentReward, GridObjectConfig, InventoryConfig, WallConfig
from mettagrid.config.mutation import EntityTarget, SetGameValueMutation
from mettagrid.config.query import query
from mettagrid.mettagrid_c import MettaGrid

STREET = ["agent.red", "red_box", "empty", "blue_box", "agent.blue"]


def box(team, **initial):
    return GridObjectConfig(
        name=f"{team}_box", tags=[f"team:{team}", "box"], inventory=InventoryConfig(initial=initial)
    )


def test_values_of_agents_follow_the_boxes_of_their_team(game):
    """Several values use the same query; agents of two teams read them in turn, and events change what they read."""
    own = query("box", [sharedTagPrefix("team:")])
    values = [(100.0, QueryCountValue(query=own)), (10.0, QueryInventoryValue(query=own, item="gold"))]
    reward = weighted_sum([*values, (1.0, QueryInventoryValue(query=own, item="ore")), (1000.0, inv("ore"))])
    agents = [
        AgentConfig(tags=[f"team:{team}"], team_id=i, rewards={"own": AgentReward(reward=reward, per_tick=True)})
        for i, team in enumerate(["red", "blue"])
    ]
    rain = EventConfig(name="rain", target_query="team:blue", timesteps=[2], mutations=[updateTarget({"ore": 2})])
    config = game(
        "@@",
        agents=agents,
        objects={"red_box": box("red", gold=3, ore=1), "blue_box": box("blue", gold=5)},
        events={"rain": rain},
    )
    world = MettaGrid(config, [STREET], 0)
    rewards = []
    for _ in range(3):
        world.step()
        rewards.append(world.rewards().tolist())
    assert rewards == [[131.0, 150.0], [131.0, 2152.0], [131.0, 2152.0]]


@pytest.mark.parametrize(
    ("held", "expected"), [({"ore": 3}, [3, 6, 7]), ({"ore": 0}, [0, 0, 0]), ({"gold": 9}, [9, 9, 9])]
)
def test_an_agent_gains_as_much_of_a_resource_as_it_holds_of_another(game, held, expected):
    limits = {"gold": {"base": 7, "resources": ["gold"]}} if "ore" in held else {}
    tick = Handler(mutations=[SetGameValueMutation(value=inv("gold"), source=inv("ore"), target=EntityTarget.ACTOR)])
    agent = AgentConfig(on_tick=tick, inventory=InventoryConfig(initial=held, limits=limits))
    world = MettaGrid(game("@", agent=agent, objects={"wall": WallConfig()}), [["agent.agent"]], 0)
    gold = []
    for _ in range(3):
        world.step()
        gold.append(world.grid_objects()[1]["inventory"].get(0, 0))
    assert gold == expected
