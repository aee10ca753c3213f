"""Vibes: symbols that cogs show one another."""

from pydantic import Field

from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps
from mettagrid.config.action_config import ChangeVibeActionConfig
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.config.vibes import Vibe

VIBES = (
    Vibe("😐", "default"),
    Vibe("❤️", "heart"),
    Vibe("⚙️", "gear"),
    Vibe("🌀", "scrambler"),
    Vibe("🔗", "aligner"),
    Vibe("⛏️", "miner"),
    Vibe("🔭", "scout"),
)


class VibesVariant(CoGameMissionVariant):
    name: str = "vibes"
    description: str = "Cogs show one of seven vibes."
    vibes: list[Vibe] = Field(default_factory=lambda: list(VIBES))

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        env.game.actions.change_vibe = ChangeVibeActionConfig(vibes=list(self.vibes))
        env.game.vibe_names = [vibe.name for vibe in self.vibes]


class NoVibesVariant(CoGameMissionVariant):
    name: str = "no_vibes"
    description: str = "Cogs cannot change their vibe."

    def dependencies(self) -> Deps:
        return Deps(optional=[VibesVariant])

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        env.game.actions.change_vibe.enabled = False
