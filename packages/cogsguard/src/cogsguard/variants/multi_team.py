"""Two teams, each on its own copy of the map."""

from pydantic import Field

from cogsguard.names import ROLES
from cogsguard.terrain import find_map_generator, is_arena
from cogsguard.variants.teams import TeamConfig, TeamVariant
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps, ResolvedDeps, VariantConflict
from mettagrid.config.mettagrid_config import MettaGridConfig

_TEMPLATE = "c"  # the prefix of team objects on the map that is copied
_COLOURS = ("green", "blue")


class MultiTeamVariant(CoGameMissionVariant):
    """Two teams, each on its own copy of the map. The mission's number of cogs is that of each team."""

    name: str = "multi_team"
    description: str = "Two teams on two copies of the map."
    seam: int = Field(default=3, ge=0)

    def dependencies(self) -> Deps:
        return Deps(required=[TeamVariant])

    def compat(self, mission: CoGameMission) -> bool:
        return is_arena(mission)

    def configure(self, deps: ResolvedDeps) -> None:
        team = deps.required(TeamVariant)
        names = [f"cogs_{colour}" for colour in _COLOURS]
        others = {name: item for name, item in team.teams.items() if not item.num_agents}
        team.teams = {name: TeamConfig(name=name, short_name=name) for name in names} | others
        team.sharing = "all"
        team.map_prefix = _TEMPLATE

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        generator = find_map_generator(env.game.map_builder)
        if generator is None:
            raise VariantConflict(f"The variant 'multi_team' needs a procedural map; {mission.name!r} has a drawn one.")
        teams = mission.required_variant(TeamVariant).player_teams()
        generator.instances = len(teams)
        generator.instance_names = [team.short_name for team in teams]
        generator.set_team_by_instance = True
        generator.instance_border_width = 0
        generator.instance_border_clear_radius = self.seam
        generator.instance_object_remap = {
            f"{_TEMPLATE}:{kind}": f"{{instance_name}}:{kind}" for kind in ("hub", *ROLES)
        }
