"""A game built from the parts of Cogs vs Clips: two teams of miners on one map, each paid for the stock of its hub.

usage: harvest.py     checks the mission, plays it with random moves and prints what each team was paid

It shows the parts of such a game: teams, a subclass of a variant, a ruleset that combines variants, a mission on the
map of `arena`, and a registered game.
"""

import random

from cogsguard.game.cargo import CargoLimitVariant
from cogsguard.game.damage import DamageVariant
from cogsguard.game.elements import ElementsVariant
from cogsguard.game.extractors import ExtractorsVariant
from cogsguard.game.roles.miner import MinerVariant
from cogsguard.game.teams import TeamConfig, TeamHubVariant, TeamVariant
from cogsguard.game.teams.gear_stations import TeamGearStationsVariant
from cogsguard.game.teams.hub_observations import HubObservationsVariant
from cogsguard.game.territory import HealTeamVariant, TerritoryVariant
from cogsguard.missions.arena import make_arena_map_builder
from cogsguard.missions.mission import CvCMission
from cogsguard.missions.terrain import MachinaTerrainVariant
from mettagrid import check_mission
from mettagrid.cogame.core import CoGameMissionVariant, Deps
from mettagrid.cogame.game import CoGame, get_game, register_game
from mettagrid.config.game_value import stat
from mettagrid.config.reward_config import reward
from mettagrid.simulator import Simulation

MOVES = ("move_north", "move_south", "move_west", "move_east")
TEAMS = {
    "north": TeamConfig(name="north", short_name="n", num_agents=4),
    "south": TeamConfig(name="south", short_name="s", num_agents=4),
}


class FragileVariant(DamageVariant):
    """Cogs start with full health and lose it faster."""

    name: str = "fragile"
    initial: int = 100
    regen: int = -2


class HarvestVariant(CoGameMissionVariant):
    """The ruleset: extractors, hubs, one kind of gear, and a reward for what the team stores."""

    name: str = "harvest"

    def dependencies(self):
        return Deps(
            required=[
                TeamVariant,
                TeamHubVariant,
                HubObservationsVariant,
                ExtractorsVariant,
                CargoLimitVariant,
                FragileVariant,
                MinerVariant,
                TeamGearStationsVariant,
                TerritoryVariant,
                HealTeamVariant,
                MachinaTerrainVariant,
            ]
        )

    def configure(self, deps):
        terrain = deps.required(MachinaTerrainVariant)
        terrain.map_width = terrain.map_height = 60
        deps.required(TeamHubVariant).initial_hearts = {}

    def modify_env(self, mission, env):
        teams = mission.required_variant(TeamVariant)
        elements = mission.required_variant(ElementsVariant).elements
        for agent in env.game.agents:
            team = teams.team_name(agent.team_id)
            stored = [stat(f"game.{team}/{element}.deposited") for element in elements]
            agent.rewards["stored"] = reward(stored, weight=0.01)


def make_harvest_mission(num_agents=8, max_steps=500):
    return CvCMission(
        name="harvest",
        description="Two teams of miners on one map.",
        map_builder=make_arena_map_builder(num_agents),
        num_cogs=num_agents,
        num_agents=num_agents,
        max_steps=max_steps,
        default_variant="harvest",
    ).with_variants([TeamVariant(default_teams=TEAMS)])


register_game(CoGame("harvest", missions=[make_harvest_mission()], variants=[HarvestVariant(), FragileVariant()]))


def main():
    env = get_game("harvest").missions[0].make_env()
    env.game.map_builder.seed = 1
    problems = [problem for problem in check_mission(env, seed=1) if not problem.is_warning]
    print(f"{len(problems)} problems")
    sim = Simulation(env, seed=1)
    rng = random.Random(1)
    for _ in range(env.game.max_steps):
        for agent in sim.agents():
            agent.set_action(rng.choice(MOVES))
        sim.step()
    for name, team in TEAMS.items():
        paid = sum(float(sim.episode_rewards[i]) for i, a in enumerate(env.game.agents) if a.tags == [team.team_tag()])
        print(f"{name} {paid:.2f}")


if __name__ == "__main__":
    main()
