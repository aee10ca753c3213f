"""Hearts, which pay for taking junctions."""

from pydantic import Field

from cogsguard.env import add_resource
from cogsguard.game.damage import DamageVariant
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps, ResolvedDeps
from mettagrid.config.mettagrid_config import MettaGridConfig, ResourceLimitsConfig


class HeartVariant(CoGameMissionVariant):
    """Lets cogs hold hearts. Hubs (`team_hub`) hand out their hearts and make more from elements for `cost`."""

    name: str = "heart"
    description: str = "Hubs give hearts, which pay for taking junctions."
    cost: dict[str, int] = Field(default_factory=dict)
    limit: int = Field(default=10, ge=0)

    def dependencies(self) -> Deps:
        return Deps(optional=[DamageVariant])

    def configure(self, deps: ResolvedDeps) -> None:
        damage = deps.optional(DamageVariant)
        if damage is not None:
            damage.destroy_items.append("heart")

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        add_resource(env, "heart")
        for agent in env.game.agents:
            agent.inventory.limits["heart"] = ResourceLimitsConfig(base=self.limit, resources=["heart"])
