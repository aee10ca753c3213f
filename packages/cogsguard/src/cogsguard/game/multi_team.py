"""Several teams, each on its own copy of the map."""

from pydantic import Field

from cogsguard.game.teams.team import TeamConfig, TeamVariant
from cogsguard.map_config import find_map_generator, is_arena
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps, ResolvedDeps, VariantConflict
from mettagrid.config.mettagrid_config import MettaGridConfig

GEAR = ["aligner", "scrambler", "miner", "scout"]
"""The stations that each copy of the map has."""

_TEMPLATE = "c"  # begins the map names of team objects on the map that is copied
_COLOURS = ("green", "blue", "red", "yellow")
_SEAM = 3  # cells cleared on each side where two copies meet


class MultiTeamVariant(CoGameMissionVariant):
    """Plays `num_teams` teams side by side, each on a copy of the map and with the mission's number of cogs."""

    name: str = "multi_team"
    description: str = "Two teams on two copies of the map."
    num_teams: int = Field(default=2, ge=1, le=len(_COLOURS))

    def dependencies(self) -> Deps:
        return Deps(required=[TeamVariant])

    def compat(self, mission: CoGameMission) -> bool:
        return is_arena(mission)

    def configure(self, deps: ResolvedDeps) -> None:
        names = [f"cogs_{colour}" for colour in _COLOURS[: self.num_teams]]
        teams = [TeamConfig(name=name, short_name=name) for name in names]
        deps.required(TeamVariant).replace_player_teams(teams, sizes="mission", map_prefix=_TEMPLATE)

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        generator = find_map_generator(env.game.map_builder)
        if generator is None:
            raise VariantConflict(
                f"The variant {self.name!r} needs a procedural map; {mission.name!r} has a drawn one."
            )
        teams = mission.required_variant(TeamVariant).player_teams()
        generator.instances = len(teams)
        generator.instance_names = [team.short_name for team in teams]
        generator.set_team_by_instance = True
        generator.instance_border_width = 0
        generator.instance_border_clear_radius = _SEAM
        generator.instance_object_remap = {
            f"{_TEMPLATE}:{kind}": f"{{instance_name}}:{kind}" for kind in ("hub", *GEAR)
        }
