"""Energy."""

from pydantic import Field

from cogsguard.env import add_resource
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant
from mettagrid.config.mettagrid_config import MettaGridConfig, ResourceLimitsConfig


class EnergyVariant(CoGameMissionVariant):
    """Energy of cogs. `action_cost` is recorded as the cost of a move; the engine does not charge it."""

    name: str = "energy"
    description: str = "Cogs have energy; a move has a nominal cost."
    limit: int = Field(default=20, ge=0)
    modifiers: dict[str, int] = Field(default_factory=dict)
    initial: int = Field(default=100, ge=0)
    action_cost: dict[str, int] = Field(default_factory=lambda: {"energy": 4})

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        add_resource(env, "energy")
        for agent in env.game.agents:
            agent.inventory.limits["energy"] = ResourceLimitsConfig(
                base=self.limit, resources=["energy"], modifiers=dict(self.modifiers)
            )
            agent.inventory.initial["energy"] = self.initial
        env.game.actions.move.consumed_resources = dict(self.action_cost)
