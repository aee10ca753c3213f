"""The four elements that cogs mine."""

from pydantic import Field

from cogsguard.env import add_resource
from cogsguard.names import ELEMENTS
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant
from mettagrid.config.mettagrid_config import MettaGridConfig


class ElementsVariant(CoGameMissionVariant):
    """Registers oxygen, carbon, germanium and silicon."""

    name: str = "elements"
    description: str = "Oxygen, carbon, germanium and silicon exist."
    elements: list[str] = Field(default_factory=lambda: list(ELEMENTS))

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        for element in self.elements:
            add_resource(env, element)
