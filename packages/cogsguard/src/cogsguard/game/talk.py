"""Talk: short texts instead of vibes."""

from cogsguard.game.vibes import VibesVariant
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps
from mettagrid.config.mettagrid_config import MettaGridConfig, TalkConfig


class TalkVariant(CoGameMissionVariant):
    name: str = "talk"
    description: str = "Cogs say short texts instead of showing vibes."

    def dependencies(self) -> Deps:
        return Deps(required=[VibesVariant])

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        env.game.actions.change_vibe.enabled = False
        env.game.talk = TalkConfig(enabled=True, max_length=140, cooldown_steps=50)
