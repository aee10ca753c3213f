"""The mission `arena`: the full game on a small map."""

from cogsguard.missions.arenas import arena_map
from cogsguard.missions.mission import CvCMission
from mettagrid.mapgen.mapgen import MapGenConfig

_MAX_COGS = 20


def make_arena_map_builder(num_agents: int = 8) -> MapGenConfig:
    """Return the map of `arena`: 50 x 50 cells with many buildings."""
    return arena_map(50, num_agents, even_junctions=True, building_coverage=0.1, map_corner_offset=1)


ARENA_MAP_BUILDER = make_arena_map_builder(_MAX_COGS)


def make_basic_mission(num_cogs: int = 8, max_steps: int = 1000) -> CvCMission:
    """Return the mission `arena`."""
    return CvCMission(
        name="arena",
        description="The full game on a small map with many buildings.",
        map_builder=make_arena_map_builder(num_cogs),
        num_cogs=num_cogs,
        max_cogs=_MAX_COGS,
        num_agents=num_cogs,
        max_steps=max_steps,
    )
