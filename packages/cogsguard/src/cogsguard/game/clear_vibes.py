"""Vibes that end when another cog responds."""

from cogsguard.game.vibes import VibesVariant
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps
from mettagrid.config.filter import targetVibe
from mettagrid.config.handler_config import Handler, allOf
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.config.mutation import changeTargetVibe


class ClearVibesVariant(CoGameMissionVariant):
    """Using an object that shows `heart` resets its vibe to `default`."""

    name: str = "clear_vibes"
    description: str = "Using an object that shows a heart resets its vibe."

    def dependencies(self) -> Deps:
        return Deps(required=[VibesVariant])

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        clear = Handler(filters=[targetVibe("heart")], mutations=[changeTargetVibe("default")])
        for agent in env.game.agents:
            agent.on_after_use_handler = allOf([agent.on_after_use_handler, clear.model_copy(deep=True)])
