"""Junctions, the objective of the game."""

from cogsguard.game.terrain.terrain import BuildingsVariant
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps, ResolvedDeps
from mettagrid.config.mettagrid_config import GridObjectConfig, MettaGridConfig

_DENSITY = 0.3


class JunctionVariant(CoGameMissionVariant):
    """Defines junctions, neutral at the start."""

    name: str = "junction"
    description: str = "Junctions stand on the map."

    def dependencies(self) -> Deps:
        return Deps(required=[BuildingsVariant])

    def configure(self, deps: ResolvedDeps) -> None:
        deps.required(BuildingsVariant).building_density["junction"] = _DENSITY

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        env.game.objects["junction"] = GridObjectConfig(name="junction")
