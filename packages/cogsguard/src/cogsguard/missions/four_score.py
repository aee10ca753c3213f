"""The mission `four_score`: four teams on one map."""

from pydantic import Field

from cogsguard.game.teams.four_score import MAP_SIZE, FourScoreVariant
from cogsguard.missions.arenas import arena_map
from cogsguard.missions.mission import CvCMission
from mettagrid.mapgen.mapgen import MapGenConfig

__all__ = ["FourScoreMission", "FourScoreVariant"]

_COGS = 32


def _map() -> MapGenConfig:
    return arena_map(MAP_SIZE, _COGS, sequential=True, even_junctions=True, building_coverage=0.075)


class FourScoreMission(CvCMission):
    """Four teams of cogs compete for the junctions of one large map."""

    name: str = "four_score"
    description: str = "Four teams of cogs compete for the junctions of one large map."
    map_builder: MapGenConfig = Field(default_factory=_map)
    num_cogs: int | None = _COGS
    min_cogs: int = Field(default=4, ge=1)
    max_cogs: int = Field(default=80, ge=1)
    default_variant: str | None = "four_score"
    num_agents: int = Field(default=_COGS, ge=1)
