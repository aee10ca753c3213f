"""Vibes fixed to roles."""

from collections import defaultdict

from pydantic import Field

from cogsguard.game.roles import ROLE_NAMES, assign_role_vibes, validate_role_name
from cogsguard.game.vibes import VibesVariant
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps
from mettagrid.config.action_config import ChangeVibeActionConfig
from mettagrid.config.mettagrid_config import AgentConfig, MettaGridConfig

__all__ = ["ROLE_NAMES", "ForcedRoleVibesVariant", "VibesVariant", "assign_role_vibes", "validate_role_name"]


class ForcedRoleVibesVariant(CoGameMissionVariant):
    """Gives each cog the vibe of a role at the start: `role_order` in turn, within each team or over all agents."""

    name: str = "forced_role_vibes"
    description: str = "Each cog shows a role from the start and cannot change it."
    role_order: list[str] = Field(default_factory=lambda: list(ROLE_NAMES))
    disable_change_vibe: bool = True
    per_team: bool = True

    def dependencies(self) -> Deps:
        return Deps(optional=[VibesVariant])

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        roles = [validate_role_name(role) for role in self.role_order]
        if not set(roles) <= set(env.game.vibe_names):
            VibesVariant().modify_env(mission, env)
        for agents in self._groups(env.game.agents):
            assigned = [roles[number % len(roles)] for number in range(len(agents))]
            assign_role_vibes(env, assigned, agent_cfgs=agents)
        if self.disable_change_vibe:
            env.game.actions.change_vibe = ChangeVibeActionConfig(enabled=False, vibes=[])

    def _groups(self, agents: list[AgentConfig]) -> list[list[AgentConfig]]:
        if not self.per_team:
            return [agents]
        teams: dict[int, list[AgentConfig]] = defaultdict(list)
        for agent in agents:
            teams[agent.team_id].append(agent)
        return list(teams.values())
