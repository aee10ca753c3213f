"""Limits on the number of cogs of a mission: its own bounds, and the spawn points of its map.

check_cogs(mission, 21)      # CogsError: The mission 'arena' takes 1 to 20 cogs, not 21.
fit_cogs(mission, 4)         # 8 for a mission that takes 8 cogs
"""

from collections.abc import Iterable

from mettagrid.cogame.core import CoGameMission, CogsError
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.map_builder.ascii import AsciiMapBuilder
from mettagrid.map_builder.map_builder import AnyMapBuilderConfig

__all__ = ["check_cogs", "check_spawn_points", "drawn_spawn_points", "fit_cogs"]

_AGENT = "agent"


def check_cogs(mission: CoGameMission, cogs: int) -> None:
    """Raise `CogsError` for a number of cogs outside `min_cogs` and `max_cogs` of the mission."""
    if not mission.min_cogs <= cogs <= mission.max_cogs:
        raise _refusal(mission, cogs, mission.max_cogs)


def fit_cogs(mission: CoGameMission, cogs: int) -> int:
    """Return the number of cogs nearest to `cogs` that the mission, and its map if it is drawn, has room for."""
    fitting = min(max(cogs, mission.min_cogs), mission.max_cogs)
    points = drawn_spawn_points(mission.with_cogs(fitting).make_env().game.map_builder)
    return fitting if points is None else min(fitting, points)


def check_spawn_points(mission: CoGameMission, env: MettaGridConfig, cogs: int) -> None:
    """Raise `CogsError` if the map of `env`, built for `cogs` cogs, has too few spawn points.

    A procedural map is built once to count them, but only for more cogs than the mission has by default.
    """
    builder, agents = env.game.map_builder, env.game.num_agents
    points = drawn_spawn_points(builder)
    if points is None:
        if cogs <= (mission.num_cogs or 0):
            return
        points = _count(builder.create().build().grid.flat)
    if agents > points:
        # Variants may copy the team, so one cog can mean several agents.
        reason = f" (its map has {points} spawn point{'' if points == 1 else 's'})"
        raise _refusal(mission, cogs, points * cogs // agents, reason)


def drawn_spawn_points(builder: AnyMapBuilderConfig) -> int | None:
    """Count the spawn points of a drawn map; None for a procedural one."""
    if not isinstance(builder, AsciiMapBuilder.Config):
        return None
    legend = builder.char_to_map_name
    return _count(legend.get(char, "") for row in builder.map_data for char in row)


def _refusal(mission: CoGameMission, cogs: int, high: int, reason: str = "") -> CogsError:
    low = mission.min_cogs
    allowed = f"{low} to {high} cogs" if low < high else f"{high} cog{'' if high == 1 else 's'}"
    return CogsError(f"The mission {mission.name!r} takes {allowed}{reason}, not {cogs}.")


def _count(cells: Iterable[object]) -> int:
    return sum(str(cell).startswith(_AGENT) for cell in cells)
