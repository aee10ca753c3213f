"""A junction in each base."""

from pydantic import Field

from cogsguard.game.terrain.base_compound import BaseCompoundVariant
from mettagrid.cogame.core import CoGameMission
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.mapgen.scenes.compound import CompoundConfig


class BaseJunctionVariant(BaseCompoundVariant):
    """Puts a junction north of each hub, if the mission has junctions."""

    name: str = "base_junction"
    description: str = "Each base has a junction."
    distance: int = Field(default=6, ge=2)

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        if mission.has_variant("junction"):
            super().modify_env(mission, env)

    def modify_node(self, node: CompoundConfig) -> None:
        node.cross_objects = ["junction", "", "", ""]
        node.cross_distance = self.distance
