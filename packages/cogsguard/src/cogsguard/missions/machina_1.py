"""The mission `machina_1`, and the rules of the game as one variant."""

from pydantic import Field

from cogsguard.env import add_game_ticks
from cogsguard.game.cargo import CargoLimitVariant
from cogsguard.game.clips.clips import ClipsConfig, ClipsVariant
from cogsguard.game.clips.ship import clips_ship_map_names_in_map_config
from cogsguard.game.damage import DamageVariant
from cogsguard.game.days import DaysVariant
from cogsguard.game.elements import ElementsVariant
from cogsguard.game.energy import EnergyVariant
from cogsguard.game.extractors import ExtractorsVariant
from cogsguard.game.gear import GearVariant
from cogsguard.game.heart import HeartVariant
from cogsguard.game.roles.aligner import AlignerVariant
from cogsguard.game.roles.miner import MinerVariant
from cogsguard.game.roles.scout import ScoutVariant
from cogsguard.game.roles.scrambler import ScramblerVariant
from cogsguard.game.solar import SolarVariant
from cogsguard.game.teams.gear_stations import TeamGearStationsVariant
from cogsguard.game.teams.hub_observations import HubObservationsVariant
from cogsguard.game.teams.junction import TeamJunctionVariant
from cogsguard.game.teams.junction_deposit import JunctionDepositVariant
from cogsguard.game.teams.team import TeamVariant
from cogsguard.game.territory.damage_strangers import DamageStrangersVariant
from cogsguard.game.territory.heal_team import HealTeamVariant
from cogsguard.game.territory.territory import TerritoryVariant, has_network
from cogsguard.game.vibes import VibesVariant
from cogsguard.missions.arenas import arena_map
from cogsguard.missions.mission import CvCMission
from cogsguard.names import ELEMENTS
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps, ResolvedDeps
from mettagrid.config.game_value import SumGameValue, num_tagged, val
from mettagrid.config.handler_config import Handler
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.config.mutation import logStatToGame
from mettagrid.config.reward_config import reward
from mettagrid.mapgen.mapgen import MapGenConfig

HEART_COST = 7
GEAR_COSTS = {
    "aligner": {"carbon": 3, "oxygen": 1, "germanium": 1, "silicon": 1},
    "scrambler": {"carbon": 1, "oxygen": 3, "germanium": 1, "silicon": 1},
    "miner": {"carbon": 1, "oxygen": 1, "germanium": 3, "silicon": 1},
    "scout": {"carbon": 1, "oxygen": 1, "germanium": 1, "silicon": 3},
}
_COGS = 8
_MAX_COGS = 20
_STEPS = 10000


def set_costs(deps: ResolvedDeps) -> None:
    """Set the prices of hearts, junctions and gear for a ruleset that requires those variants."""
    deps.required(HeartVariant).cost = dict.fromkeys(ELEMENTS, HEART_COST)
    junctions = deps.required(TeamJunctionVariant)
    junctions.align_cost = {"heart": 1}
    junctions.scramble_cost = {"heart": 1}
    deps.required(GearVariant).station_costs = {item: dict(cost) for item, cost in GEAR_COSTS.items()}


class CvCMachina1Variant(CoGameMissionVariant):
    """The rules of the game. The order of the required variants decides the ids of resources and features."""

    name: str = "machina_1"
    description: str = "The rules of Cogs vs Clips; the reward is the number of junctions held."

    def dependencies(self) -> Deps:
        return Deps(
            required=[
                VibesVariant,
                TeamVariant,
                HubObservationsVariant,
                TerritoryVariant,
                ElementsVariant,
                ClipsVariant,
                DamageVariant,
                HeartVariant,
                TeamJunctionVariant,
                JunctionDepositVariant,
                EnergyVariant,
                CargoLimitVariant,
                ExtractorsVariant,
                GearVariant,
                AlignerVariant,
                ScramblerVariant,
                MinerVariant,
                ScoutVariant,
                SolarVariant,
                DaysVariant,
                TeamGearStationsVariant,
                DamageStrangersVariant,
                HealTeamVariant,
            ]
        )

    def configure(self, deps: ResolvedDeps) -> None:
        set_costs(deps)

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        teams = mission.required_variant(TeamVariant)
        weight = 1 / (mission.max_steps or _STEPS)
        for team in teams.player_teams():
            held = reward([num_tagged(team.net_tag()), val(-1)], weight=weight, per_tick=True)
            for agent in env.game.agents:
                if agent.team_id == team.team_id:
                    agent.rewards["aligned_junction_held"] = held.model_copy(deep=True)
        ships = len(clips_ship_map_names_in_map_config(env.game.map_builder))
        for team in teams.teams.values():
            if has_network(team, env):
                seeds = ships if isinstance(team, ClipsConfig) else 1  # in the network, but not junctions
                held_now = SumGameValue(values=[num_tagged(team.net_tag()), val(-seeds)])
                count = logStatToGame(f"{team.name}/aligned.junction.held", source=held_now)
                add_game_ticks(env, [Handler(name=f"aligned_junction_held_{team.name}", mutations=[count])])


def _build_machina1_map_builder(spawn_count: int = _MAX_COGS) -> MapGenConfig:
    return arena_map(88, spawn_count, sequential=True, even_junctions=True, building_coverage=0.05, map_corner_offset=1)


def make_machina1_map_builder(num_agents: int = _COGS) -> MapGenConfig:
    """Return the map of `machina_1`: each biome once on 88 x 88 cells."""
    return _build_machina1_map_builder(num_agents)


MACHINA_1_MAP_BUILDER = make_machina1_map_builder(_MAX_COGS)


class MachinaOneMission(CvCMission):
    """The full game on a large map."""

    name: str = "machina_1"
    description: str = "The full game: hold junctions against the clips on a large map."
    map_builder: MapGenConfig = Field(default_factory=lambda: MACHINA_1_MAP_BUILDER.model_copy(deep=True))
    num_cogs: int | None = _COGS
    max_cogs: int = Field(default=_MAX_COGS, ge=1)
    sub_missions: list[str] = Field(default_factory=lambda: ["clips"])


def make_machina1_mission(num_agents: int = _COGS, max_steps: int = _STEPS) -> CvCMission:
    """Return the mission `machina_1` for a number of cogs."""
    return MachinaOneMission(
        map_builder=make_machina1_map_builder(num_agents),
        num_cogs=num_agents,
        min_cogs=num_agents,
        max_cogs=num_agents,
        num_agents=num_agents,
        max_steps=max_steps,
    )


def make_cogsguard_mission(num_agents: int = _COGS, max_steps: int = _STEPS) -> CvCMission:
    """Return the mission `machina_1` under its older name."""
    return make_machina1_mission(num_agents, max_steps)


def make_game(num_cogs: int = 2) -> MettaGridConfig:
    """Return an environment of `machina_1` for a number of cogs."""
    return make_machina1_mission(num_cogs).make_env()
