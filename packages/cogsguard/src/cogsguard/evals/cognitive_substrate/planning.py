"""Planning: key, switch and door in four rooms around a hall have to be used in order before the goal."""

from cogsguard.evals.cognitive_substrate.common import (
    CognitiveSubstrateMission,
    count_stat,
    rotated_options,
    success_handler,
)
from mettagrid.config.filter import AnyFilter, actorHasTag, isNot
from mettagrid.config.handler_config import Handler
from mettagrid.config.mettagrid_config import GridObjectConfig
from mettagrid.config.mutation import EntityTarget, addTag
from mettagrid.map_builder.choice_ascii import ChoiceAsciiMapBuilder

_CHAIN = {"key": "pickup", "switch": "flip", "door": "unlock"}
"""The objects in order, and the names of their handlers."""


def _cross(arm: int) -> list[str]:
    """Return corridors of `arm` cells from the start to key, switch, door and goal, clockwise from the north."""
    size = 2 * arm + 3
    middle = size // 2
    rows = [["#"] * size for _ in range(size)]
    for k in range(1, size - 1):
        rows[k][middle] = rows[middle][k] = "."
    ends = [(1, middle), (middle, size - 2), (size - 2, middle), (middle, 1)]
    for char, (row, column) in zip("KSDG", ends, strict=True):
        rows[row][column] = char
    rows[middle][middle] = "@"
    return ["".join(row) for row in rows]


def _link(name: str, before: str | None) -> GridObjectConfig:
    needs: list[AnyFilter] = [actorHasTag(f"state:{before}")] if before else []
    handler = Handler(
        name=_CHAIN[name],
        filters=[*needs, isNot(actorHasTag(f"state:{name}"))],
        mutations=[addTag(f"state:{name}", EntityTarget.ACTOR), *count_stat(f"planning.{name}")],
    )
    return GridObjectConfig(name=name, tags=[f"planning:{name}"], on_use_handler=handler)


def _mission(level: str, arm: int, steps: int) -> CognitiveSubstrateMission:
    links = {name: _link(name, before) for name, before in zip(_CHAIN, (None, *_CHAIN), strict=False)}
    solve = success_handler(needs=[actorHasTag("state:door")])
    goal = GridObjectConfig(name="goal", tags=["planning:goal"], on_use_handler=solve)
    return CognitiveSubstrateMission(
        name=f"planning_unlock_chain_{level}",
        description="Use key, switch and door in order, then the goal.",
        map_builder=ChoiceAsciiMapBuilder.Config(
            map_options=rotated_options(_cross(arm)),
            char_to_map_name={"K": "key", "S": "switch", "D": "door", "G": "goal"},
        ),
        max_steps=steps,
        objects={**links, "goal": goal},
        symbols={"key": "K", "switch": "S", "door": "D", "goal": "G"},
        tags=[f"state:{name}" for name in _CHAIN],
    )


EVAL_MISSIONS = [_mission("easy", 6, 192), _mission("medium", 10, 320), _mission("hard", 14, 448)]
