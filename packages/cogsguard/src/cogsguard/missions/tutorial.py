"""The mission `tutorial`, its rules, and the rewards of its sub-missions."""

from pydantic import Field

from cogsguard.game.clips.clips import ClipsVariant
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
from cogsguard.game.teams.hub import TeamHubVariant
from cogsguard.game.teams.hub_observations import HubObservationsVariant
from cogsguard.game.teams.junction import TeamJunctionVariant
from cogsguard.game.teams.team import TeamVariant
from cogsguard.game.territory.heal_team import HealTeamVariant
from cogsguard.game.territory.territory import TerritoryVariant
from cogsguard.game.vibes import VibesVariant
from cogsguard.missions.arenas import arena_map
from cogsguard.missions.machina_1 import GEAR_COSTS, set_costs
from cogsguard.missions.mission import CvCMission
from cogsguard.train.reward_variants import apply_role_rewards
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps, ResolvedDeps
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.mapgen.mapgen import MapGenConfig
from mettagrid.mapgen.scenes.compound import CompoundConfig

__all__ = [
    "CVC_TUTORIAL_MAP_BUILDER",
    "GEAR_COSTS",
    "TUTORIAL_SUB_MISSIONS",
    "AlignerRewardsVariant",
    "CvCTutorialVariant",
    "MinerRewardsVariant",
    "OverrunVariant",
    "ScoutRewardsVariant",
    "ScramblerRewardsVariant",
    "TutorialMission",
    "make_tutorial_mission",
]

TUTORIAL_SUB_MISSIONS = ["aligner", "miner", "scout", "scrambler"]
CVC_TUTORIAL_MAP_BUILDER = arena_map(
    35,
    4,
    building_coverage=0.05,
    hub=CompoundConfig(hub_width=15, hub_height=15, outer_clearance=2, cross_distance=5),
)


class CvCTutorialVariant(CoGameMissionVariant):
    """The rules without clips, cargo limit, deposits at junctions, and reward for junctions held."""

    name: str = "tutorial"
    description: str = "Easier rules to learn with: no clips, no cargo limit."

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
                AlignerVariant,
                ScramblerVariant,
                MinerVariant,
                EnergyVariant,
                ScoutVariant,
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
        set_costs(deps)


class OverrunVariant(CoGameMissionVariant):
    """Gives every junction to the clips, which then stay idle."""

    name: str = "overrun"
    description: str = "Every junction belongs to the clips, which attack no more."

    def dependencies(self) -> Deps:
        return Deps(required=[ClipsVariant])

    def configure(self, deps: ResolvedDeps) -> None:
        deps.required(ClipsVariant).require_clips().disabled = True

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        clips = mission.required_variant(ClipsVariant).require_clips()
        env.game.objects["junction"].tags += [clips.team_tag(), clips.net_tag()]


class _RoleRewards(CoGameMissionVariant):
    """Base of variants that pay for playing the role they are named after."""

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        apply_role_rewards(env, self.name)


class AlignerRewardsVariant(_RoleRewards):
    name: str = "aligner"
    description: str = "Rewards for aligning junctions."


class MinerRewardsVariant(_RoleRewards):
    name: str = "miner"
    description: str = "Rewards for mining."


class ScoutRewardsVariant(_RoleRewards):
    name: str = "scout"
    description: str = "Rewards for exploring."


class ScramblerRewardsVariant(_RoleRewards):
    name: str = "scrambler"
    description: str = "Rewards for scrambling junctions, all of which belong to the clips."

    def dependencies(self) -> Deps:
        return Deps(required=[OverrunVariant])


class TutorialMission(CvCMission):
    """The game to learn with: a small map, four cogs, no clips."""

    name: str = "tutorial"
    description: str = "Learn the game: a small map, four cogs, no clips."
    map_builder: MapGenConfig = Field(default_factory=lambda: CVC_TUTORIAL_MAP_BUILDER.model_copy(deep=True))
    num_cogs: int | None = 4
    max_cogs: int = Field(default=4, ge=1)
    default_variant: str | None = "tutorial"
    sub_missions: list[str] = Field(default_factory=lambda: list(TUTORIAL_SUB_MISSIONS))
    max_steps: int = Field(default=1000, ge=0)
    num_agents: int = Field(default=4, ge=1)


def make_tutorial_mission() -> TutorialMission:
    """Return the mission `tutorial`."""
    return TutorialMission()
