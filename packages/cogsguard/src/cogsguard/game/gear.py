"""Gear: the slot a cog has for it."""

from pydantic import Field

from cogsguard.env import add_resource
from cogsguard.game.damage import DamageVariant
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps, ResolvedDeps
from mettagrid.config.mettagrid_config import MettaGridConfig, ResourceLimitsConfig


class GearVariant(CoGameMissionVariant):
    """Lets a cog hold `limit` pieces of gear. `station_costs` are prices at a station by item."""

    name: str = "gear"
    description: str = "A cog can hold one piece of gear."
    items: list[str] = Field(default_factory=list)
    limit: int = Field(default=1, ge=0)
    station_costs: dict[str, dict[str, int]] = Field(default_factory=dict)
    station_symbols: dict[str, str] = Field(default_factory=dict)
    destroy_gear_on_death: bool = True

    def dependencies(self) -> Deps:
        return Deps(optional=[DamageVariant])

    def configure(self, deps: ResolvedDeps) -> None:
        damage = deps.optional(DamageVariant)
        if damage is not None and self.destroy_gear_on_death:
            damage.destroy_items.append("gear")

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        for item in self.items:
            add_resource(env, item)
        for agent in env.game.agents:
            agent.inventory.limits["gear"] = ResourceLimitsConfig(base=self.limit, resources=list(self.items))
