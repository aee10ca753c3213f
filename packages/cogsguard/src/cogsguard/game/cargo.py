"""The cargo limit: how many elements a cog carries."""

from pydantic import Field

from cogsguard.game.elements import ElementsVariant
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps
from mettagrid.config.mettagrid_config import MettaGridConfig, ResourceLimitsConfig


class CargoLimitVariant(CoGameMissionVariant):
    """Limits the sum of all elements a cog carries. `modifiers` maps an item to the limit its holder has."""

    name: str = "cargo_limit"
    description: str = "A cog carries few elements unless its gear allows more."
    limit: int = Field(default=4, ge=0)
    modifiers: dict[str, int] = Field(default_factory=dict)

    def dependencies(self) -> Deps:
        return Deps(required=[ElementsVariant])

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        elements = mission.required_variant(ElementsVariant).elements
        for agent in env.game.agents:
            agent.inventory.limits["cargo"] = ResourceLimitsConfig(
                base=self.limit, resources=list(elements), modifiers=dict(self.modifiers)
            )
