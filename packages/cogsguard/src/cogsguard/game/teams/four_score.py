"""Four teams, each with a base in a corner of one large map."""

from pydantic import Field

from cogsguard.env import add_game_ticks
from cogsguard.game.clips.clips import NoClipsVariant
from cogsguard.game.extractors import ExtractorsVariant
from cogsguard.game.teams.team import TeamConfig, TeamVariant
from cogsguard.map_config import is_arena
from cogsguard.missions.terrain import CompoundLocation, MachinaTerrainVariant
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps, ResolvedDeps
from mettagrid.config.game_value import SumGameValue, num_tagged, val
from mettagrid.config.handler_config import Handler
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.config.mutation import logStatToGame
from mettagrid.mapgen.scenes.compound import CompoundConfig

CORNER_LOCS: list[CompoundLocation] = ["nw", "ne", "sw", "se"]
TEAM_COLORS = ["red", "blue", "green", "yellow"]
MAP_SIZE = 120
_STOCK = 100


class FourScoreVariant(CoGameMissionVariant):
    """Plays up to four teams on one map; the mission's cogs are divided among them."""

    name: str = "four_score"
    description: str = "Four teams, a base in each corner, no clips."
    num_teams: int = Field(default=4, ge=1, le=4)

    def dependencies(self) -> Deps:
        from cogsguard.missions.machina_1 import CvCMachina1Variant  # imports the variants of this package

        return Deps(
            required=[CvCMachina1Variant, TeamVariant, NoClipsVariant, MachinaTerrainVariant, ExtractorsVariant]
        )

    def compat(self, mission: CoGameMission) -> bool:
        return is_arena(mission)

    def configure(self, deps: ResolvedDeps) -> None:
        colors = TEAM_COLORS[: self.num_teams]
        teams = deps.required(TeamVariant)
        teams.teams.clear()  # the clips too
        teams.replace_player_teams(
            [TeamConfig(name=f"cogs_{color}", short_name=color[:3]) for color in colors], sizes="split"
        )
        deps.required(ExtractorsVariant).initial_amount = _STOCK
        terrain = deps.required(MachinaTerrainVariant)
        terrain.map_width = terrain.map_height = MAP_SIZE
        base = CompoundConfig(cross_objects=["junction", "", "", ""], cross_distance=4, outer_clearance=1)
        terrain.compound_placements = [(place, base.model_copy(deep=True)) for place in CORNER_LOCS[: self.num_teams]]

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        teams = mission.required_variant(TeamVariant).player_teams()
        held = [SumGameValue(values=[num_tagged(team.net_tag()), val(-1)]) for team in teams]
        mean = SumGameValue(values=[*held], weights=[1 / len(teams)] * len(teams))
        stat = logStatToGame("four_score/aligned.junction.held.avg", source=mean)
        add_game_ticks(env, [Handler(name="aligned_junction_held_four_score_avg", mutations=[stat])])
