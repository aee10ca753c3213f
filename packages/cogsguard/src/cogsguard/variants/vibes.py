"""Vibes, which cogs show one another, and talk."""

from pydantic import Field

from cogsguard.variants.teams import TeamVariant
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps
from mettagrid.config.filter import targetVibe
from mettagrid.config.handler_config import Handler, allOf
from mettagrid.config.mettagrid_config import ChangeVibeActionConfig, MettaGridConfig, TalkConfig
from mettagrid.config.mutation import changeTargetVibe
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
ROLE_VIBES = ("miner", "aligner", "scrambler", "scout")
"""The roles in the order in which they are given out within a team."""


class VibesVariant(CoGameMissionVariant):
    name: str = "vibes"
    description: str = "Cogs show one of seven vibes."

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        env.game.actions.change_vibe = ChangeVibeActionConfig(vibes=list(VIBES))
        env.game.vibe_names = [vibe.name for vibe in VIBES]


class NoVibesVariant(CoGameMissionVariant):
    name: str = "no_vibes"
    description: str = "Cogs cannot change their vibe."

    def dependencies(self) -> Deps:
        return Deps(required=[VibesVariant])

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        env.game.actions.change_vibe.enabled = False


class TalkVariant(CoGameMissionVariant):
    name: str = "talk"
    description: str = "Cogs say short texts instead of showing vibes."
    max_length: int = Field(default=140, ge=1)
    cooldown_steps: int = Field(default=50, ge=0)

    def dependencies(self) -> Deps:
        return Deps(required=[VibesVariant])

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        env.game.actions.change_vibe.enabled = False
        env.game.talk = TalkConfig(enabled=True, max_length=self.max_length, cooldown_steps=self.cooldown_steps)


class ClearVibesVariant(CoGameMissionVariant):
    """Bumping into something that shows `heart` answers it: its vibe becomes `default`."""

    name: str = "clear_vibes"
    description: str = "Bumping into somebody who shows a heart takes the vibe away."

    def dependencies(self) -> Deps:
        return Deps(required=[VibesVariant], optional=[TeamVariant])

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        clear = Handler(name="clear_vibe", filters=[targetVibe("heart")], mutations=[changeTargetVibe("default")])
        for agent in env.game.agents:
            agent.on_after_use_handler = allOf([agent.on_after_use_handler, clear])
            agent.on_use_handler = allOf([agent.on_use_handler, clear])  # an agent can be used only if it says how


class ForcedRoleVibesVariant(CoGameMissionVariant):
    name: str = "forced_role_vibes"
    description: str = "Each cog shows a role from the start and cannot change it."

    def dependencies(self) -> Deps:
        return Deps(required=[VibesVariant, TeamVariant])

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        for team in mission.required_variant(TeamVariant).player_teams():
            members = [agent for agent in env.game.agents if agent.team_id == team.team_id]
            for number, agent in enumerate(members):
                agent.vibe = env.game.vibe_names.index(ROLE_VIBES[number % len(ROLE_VIBES)])
        env.game.actions.change_vibe.enabled = False
