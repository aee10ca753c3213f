"""Hit points."""

from pydantic import Field

from cogsguard.env import add_agent_ticks, add_resource
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant
from mettagrid.config.filter import actorHas, isNot
from mettagrid.config.handler_config import Handler
from mettagrid.config.mettagrid_config import MettaGridConfig, ResourceLimitsConfig
from mettagrid.config.mutation import ClearInventoryMutation, EntityTarget, updateActor


class DamageVariant(CoGameMissionVariant):
    """Hit points that change by `regen` every step. At 0 a cog loses the limit groups in `destroy_items`."""

    name: str = "damage"
    description: str = "Cogs have hit points, lose one per step, and lose hearts and gear at zero."
    limit: int = Field(default=100, ge=0)
    modifiers: dict[str, int] = Field(default_factory=dict)
    initial: int = Field(default=50, ge=0)
    regen: int = -1
    destroy_items: list[str] = Field(default_factory=list)

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        add_resource(env, "hp")
        for agent in env.game.agents:
            agent.inventory.limits["hp"] = ResourceLimitsConfig(
                base=self.limit, resources=["hp"], modifiers=dict(self.modifiers)
            )
            agent.inventory.initial["hp"] = self.initial
        ticks = [Handler(name="hp_regen", mutations=[updateActor({"hp": self.regen})])]
        if self.destroy_items:
            lose = [ClearInventoryMutation(target=EntityTarget.ACTOR, limit_name=item) for item in self.destroy_items]
            ticks.append(Handler(name="hp_death", filters=[isNot(actorHas({"hp": 1}))], mutations=lose))
        add_agent_ticks(env, [*ticks])
