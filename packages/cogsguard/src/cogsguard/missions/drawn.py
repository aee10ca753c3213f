"""Missions on drawn maps."""

from pydantic import Field

from cogsguard.maps import load_map
from cogsguard.missions.mission import CvCMission
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.map_builder.ascii import AsciiMapBuilder, AsciiMapBuilderConfig
from mettagrid.map_builder.map_builder import AnyMapBuilderConfig


def _unread() -> AsciiMapBuilderConfig:
    return AsciiMapBuilder.Config(map_data=[], char_to_map_name={})


class DrawnMission(CvCMission):
    """A mission on the drawn map `map_name`, whose file is read when an environment is created."""

    map_name: str
    map_builder: AnyMapBuilderConfig = Field(default_factory=_unread)

    def make_env(self) -> MettaGridConfig:
        if not isinstance(self.map_builder, AsciiMapBuilder.Config) or self.map_builder.map_data:
            return super().make_env()
        return self.model_copy(update={"map_builder": load_map(self.map_name)}).make_env()


def drawn_mission(name: str, description: str, map_name: str, *, cogs: int = 8, steps: int = 10000) -> DrawnMission:
    """Return a mission on a drawn map, for `cogs` cogs."""
    return DrawnMission(
        name=name, description=description, map_name=map_name, num_cogs=cogs, num_agents=cogs, max_steps=steps
    )
