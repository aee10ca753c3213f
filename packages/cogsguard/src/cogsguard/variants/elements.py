"""The four elements, and how much of them a cog carries."""

from pydantic import Field

from cogsguard.env import add_resource
from cogsguard.names import ELEMENTS
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps
from mettagrid.config.mettagrid_config import MettaGridConfig, ResourceLimitsConfig


class ElementsVariant(CoGameMissionVariant):
    """Registers oxygen, carbon, germanium and silicon."""

    name: str = "elements"
    description: str = "Oxygen, carbon, germanium and silicon exist."
    elements: list[str] = Field(default_factory=lambda: list(ELEMENTS))

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        for element in self.elements:
            add_resource(env, element)


class CargoLimitVariant(CoGameMissionVariant):
    """Limits what a cog carries of all elements together."""

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
