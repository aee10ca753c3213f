"""Four teams, each with a base in a corner of one large map."""

from pydantic import Field

from cogsguard.env import add_game_ticks
from cogsguard.terrain import compounds_of, is_arena, required_arena
from cogsguard.variants.buildings import ExtractorsVariant
from cogsguard.variants.clips import NoClipsVariant
from cogsguard.variants.rulesets import MachinaOneVariant
from cogsguard.variants.teams import TeamConfig, TeamVariant
from cogsguard.variants.terrain import MachinaTerrainVariant
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps, ResolvedDeps
from mettagrid.config.game_value import SumGameValue, num_tagged, val
from mettagrid.config.handler_config import Handler
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.config.mutation import logStatToGame

COLOURS = ("red", "blue", "green", "yellow")
SIZE = 120
_STOCK = 100
_JUNCTION_NORTH = ["junction", "", "", ""]


class FourScoreVariant(CoGameMissionVariant):
    """Up to four teams on one map. The mission's cogs are divided among them."""

    name: str = "four_score"
    description: str = "Four teams, a base in each corner, no clips."
    num_teams: int = Field(default=4, ge=1, le=4)

    def dependencies(self) -> Deps:
        return Deps(required=[MachinaOneVariant, TeamVariant, NoClipsVariant, MachinaTerrainVariant, ExtractorsVariant])

    def compat(self, mission: CoGameMission) -> bool:
        return is_arena(mission)

    def configure(self, deps: ResolvedDeps) -> None:
        team = deps.required(TeamVariant)
        colours = COLOURS[: self.num_teams]
        team.teams = {f"cogs_{colour}": TeamConfig(name=f"cogs_{colour}", short_name=colour[:3]) for colour in colours}
        team.sharing = "divide"
        deps.required(ExtractorsVariant).initial = _STOCK
        terrain = deps.required(MachinaTerrainVariant)
        terrain.size = SIZE
        terrain.in_corners = True

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        arena = required_arena(mission, env, self.name)
        for compound in compounds_of(arena):
            compound.cross_objects = list(_JUNCTION_NORTH)
            compound.cross_distance = 4
            compound.outer_clearance = 1
        teams = mission.required_variant(TeamVariant).player_teams()
        share = 1 / len(teams)
        mean = SumGameValue(
            values=[*(num_tagged(team.net_tag()) for team in teams), val(-len(teams))],
            weights=[share] * (len(teams) + 1),
        )
        stat = logStatToGame("four_score/aligned.junction.held.avg", source=mean)
        add_game_ticks(env, [Handler(name="aligned_junction_held_avg", mutations=[stat])])
