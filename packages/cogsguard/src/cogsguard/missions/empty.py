"""The mission `empty`: a map without rules."""

from cogsguard.missions.arenas import arena_map
from cogsguard.missions.mission import CvCMission

EMPTY_MAP_BUILDER = arena_map(50, 8)


def make_empty_mission(num_cogs: int = 8, max_steps: int = 1000) -> CvCMission:
    """Return the mission `empty`, to which variants add rules."""
    return CvCMission(
        name="empty",
        description="Walls and cogs, no rules: a base for your own choice of variants.",
        map_builder=EMPTY_MAP_BUILDER.model_copy(deep=True),
        num_cogs=num_cogs,
        max_cogs=8,
        num_agents=num_cogs,
        max_steps=max_steps,
        default_variant=None,
    )
