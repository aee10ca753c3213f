"""Lamplighters: a whole game in a hundred lines. docs/guides/new-game.md explains it, block by block.

usage: lamplighters.py     checks both missions and plays them with a simple policy
"""

from mettagrid import check_mission
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps
from mettagrid.cogame.game import CoGame, get_game, register_game
from mettagrid.config.event_config import EventConfig, periodic
from mettagrid.config.filter import actorHas, isNot, targetHas
from mettagrid.config.game_value import num
from mettagrid.config.handler_config import Handler
from mettagrid.config.mettagrid_config import (
    AgentConfig,
    GameConfig,
    GridObjectConfig,
    InventoryConfig,
    MettaGridConfig,
    WallConfig,
)
from mettagrid.config.mutation import addTag, deposit, removeTag, updateTarget, withdraw
from mettagrid.config.query import query
from mettagrid.config.reward_config import reward
from mettagrid.map_builder.ascii import AsciiMapBuilder
from mettagrid.simulator import Simulation

WELL = GridObjectConfig(
    name="well",
    inventory=InventoryConfig(initial={"oil": 1000}),
    on_use_handler=Handler(name="draw", mutations=[withdraw({"oil": 3})]),
)
LAMP = GridObjectConfig(
    name="lamp",
    on_use_handler=Handler(
        name="fill", filters=[actorHas({"oil": 1})], mutations=[deposit({"oil": 10}), addTag("lit")]
    ),
)
BURN = {
    "burn": EventConfig(
        name="burn",
        target_query=query("type:lamp"),
        timesteps=periodic(0, 10, 500),
        mutations=[updateTarget({"oil": -1})],
    ),
    "go_out": EventConfig(
        name="go_out",
        target_query=query("lit", [isNot(targetHas({"oil": 1}))]),
        timesteps=periodic(0, 10, 500),
        mutations=[removeTag("lit")],
    ),
}


STREET = """
###########
#@...W...@#
#.........#
#L...L...L#
###########
"""


class Street(CoGameMission):
    """Two lamplighters, one well, three lamps."""

    name: str = "street"
    description: str = "Keep the lamps of a short street burning."
    map_builder: AsciiMapBuilder.Config = AsciiMapBuilder.Config(
        map_data=[list(row) for row in STREET.split()],
        char_to_map_name={"#": "wall", ".": "empty", "@": "agent.agent", "W": "well", "L": "lamp"},
    )
    num_cogs: int | None = 2
    max_steps: int = 500

    def make_base_env(self) -> MettaGridConfig:
        burning = reward(num("lit"), weight=1 / self.max_steps, per_tick=True)
        agent = AgentConfig(rewards={"burning": burning})
        game = GameConfig(
            num_agents=self.num_cogs or 2,
            max_steps=self.max_steps,
            resource_names=["oil"],
            tags=["lit"],
            objects={"wall": WallConfig(), "well": WELL.model_copy(deep=True), "lamp": LAMP.model_copy(deep=True)},
            events=BURN,
            agent=agent,
            map_builder=self.map_builder,
        )
        return MettaGridConfig(game=game)


class DryWell(CoGameMissionVariant):
    name: str = "dry_well"
    description: str = "The well has little oil."
    oil: int = 60

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        env.game.objects["well"].inventory.initial["oil"] = self.oil


class Drought(CoGameMissionVariant):
    name: str = "drought"
    description: str = "Even less oil, and lamps burn twice as fast."

    def dependencies(self) -> Deps:
        return Deps(required=[DryWell])

    def configure(self, deps) -> None:
        deps.required(DryWell).oil = 30

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        env.game.events["burn"].timesteps = periodic(0, 5, 500)


register_game(CoGame("lamplighters", missions=[Street()], variants=[DryWell(), Drought()]))


def walk_between(env: MettaGridConfig) -> float:
    """Walk agent 0 in circles, up to the well and down to the lamps, and return the reward of the episode."""
    sim = Simulation(env, seed=1)
    rounds = ["move_east"] * 4 + ["move_south"] * 2 + ["move_west"] * 4 + ["move_north"] * 2
    while not sim.is_done():
        sim.agent(0).set_action(rounds[sim.current_step % len(rounds)])
        sim.step()
    return float(sim.episode_rewards.sum())


for mission in (get_game("lamplighters").missions[0], get_game("lamplighters").missions[0].with_variants(["drought"])):
    env = mission.make_env()
    assert not check_mission(env), check_mission(env)
    print(env.label, walk_between(env))
