"""The two complete sets of rules: `machina_1`, the game itself, and `tutorial`, an easier one to learn with."""

from cogsguard.env import add_game_ticks
from cogsguard.names import ELEMENTS
from cogsguard.variants.buildings import ExtractorsVariant
from cogsguard.variants.clips import ClipsVariant
from cogsguard.variants.elements import CargoLimitVariant, ElementsVariant
from cogsguard.variants.energy import DaysVariant, EnergyVariant, SolarVariant
from cogsguard.variants.gear import GearVariant, TeamGearStationsVariant
from cogsguard.variants.health import DamageVariant, HeartVariant
from cogsguard.variants.junctions import JunctionDepositVariant, TeamJunctionVariant
from cogsguard.variants.roles import AlignerRoleVariant, MinerRoleVariant, ScoutRoleVariant, ScramblerRoleVariant
from cogsguard.variants.teams import HubObservationsVariant, TeamConfig, TeamHubVariant, TeamVariant
from cogsguard.variants.territory import DamageStrangersVariant, HealTeamVariant, TerritoryVariant
from cogsguard.variants.vibes import VibesVariant
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps, ResolvedDeps
from mettagrid.config.game_value import AnyGameValue, SumGameValue, num_tagged, val
from mettagrid.config.handler_config import Handler
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.config.mutation import logStatToGame
from mettagrid.config.reward_config import reward

HEART_COST = 7
GEAR_COSTS = {
    "aligner": {"carbon": 3, "oxygen": 1, "germanium": 1, "silicon": 1},
    "scrambler": {"carbon": 1, "oxygen": 3, "germanium": 1, "silicon": 1},
    "miner": {"carbon": 1, "oxygen": 1, "germanium": 3, "silicon": 1},
    "scout": {"carbon": 1, "oxygen": 1, "germanium": 1, "silicon": 3},
}


def _set_costs(heart: HeartVariant, junctions: TeamJunctionVariant, gear: GearVariant) -> None:
    heart.cost = dict.fromkeys(ELEMENTS, HEART_COST)
    junctions.align_cost = {"heart": 1}
    junctions.scramble_cost = {"heart": 1}
    gear.station_costs = {item: dict(cost) for item, cost in GEAR_COSTS.items()}


class MachinaOneVariant(CoGameMissionVariant):
    """The rules of the game: the order of the list decides the numbers of resources and observation features."""

    name: str = "machina_1"
    description: str = "The rules of Cogs vs Clips; the reward is the number of junctions held."

    def dependencies(self) -> Deps:
        return Deps(
            required=[
                VibesVariant,
                HubObservationsVariant,
                ClipsVariant,
                TerritoryVariant,
                DamageVariant,
                HeartVariant,
                TeamJunctionVariant,
                JunctionDepositVariant,
                EnergyVariant,
                CargoLimitVariant,
                ExtractorsVariant,
                GearVariant,
                AlignerRoleVariant,
                ScramblerRoleVariant,
                MinerRoleVariant,
                ScoutRoleVariant,
                SolarVariant,
                DaysVariant,
                TeamGearStationsVariant,
                DamageStrangersVariant,
                HealTeamVariant,
                TeamVariant,
            ]
        )

    def configure(self, deps: ResolvedDeps) -> None:
        _set_costs(deps.required(HeartVariant), deps.required(TeamJunctionVariant), deps.required(GearVariant))

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        teams = mission.required_variant(TeamVariant)
        weight = 1 / (mission.max_steps or 10000)
        for team in teams.player_teams():
            held = reward([num_tagged(team.net_tag()), val(-1)], weight=weight, per_tick=True)
            for agent in env.game.agents:
                if agent.team_id == team.team_id:
                    agent.rewards["aligned_junction_held"] = held.model_copy(deep=True)
        ships = mission.required_variant(ClipsVariant).ship_count(env)
        add_game_ticks(
            env,
            [
                Handler(
                    name=f"aligned_junction_held_{team.name}",
                    mutations=[logStatToGame(f"{team.name}/aligned.junction.held", source=_held(team, ships))],
                )
                for team in teams.teams.values()
            ],
        )


def _held(team: TeamConfig, ships: int) -> AnyGameValue:
    """Junctions in a team's network: all that is in it but the hub, or the ships."""
    seeds = ships if team.seed_type == "ship" else 1
    return SumGameValue(values=[num_tagged(team.net_tag()), val(-seeds)])


class TutorialVariant(CoGameMissionVariant):
    """The rules without clips, without a limit on cargo, and without a reward of their own."""

    name: str = "tutorial"
    description: str = "Easier rules to learn with: no clips, no limit on cargo."

    def dependencies(self) -> Deps:
        return Deps(
            required=[
                TeamVariant,
                VibesVariant,
                HubObservationsVariant,
                TerritoryVariant,
                ExtractorsVariant,
                DamageVariant,
                GearVariant,
                TeamJunctionVariant,
                AlignerRoleVariant,
                ScramblerRoleVariant,
                MinerRoleVariant,
                EnergyVariant,
                ScoutRoleVariant,
                SolarVariant,
                DaysVariant,
                TeamGearStationsVariant,
                HealTeamVariant,
                HeartVariant,
                ElementsVariant,
                TeamHubVariant,
            ]
        )

    def configure(self, deps: ResolvedDeps) -> None:
        _set_costs(deps.required(HeartVariant), deps.required(TeamJunctionVariant), deps.required(GearVariant))
