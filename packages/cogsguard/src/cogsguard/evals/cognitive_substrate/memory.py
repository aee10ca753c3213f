"""Memory: a cue next to the start shows which goal at the end of a corridor is the right one.

`cue_1` means the first goal from the left. The right goal and the decoys look the same to the cog.
"""

from cogsguard.evals.cognitive_substrate.common import CognitiveSubstrateMission, success_handler
from mettagrid.config.handler_config import Handler
from mettagrid.config.mettagrid_config import GridObjectConfig
from mettagrid.map_builder.choice_ascii import ChoiceAsciiMapBuilder

_MAX_GOALS = 4
_RIGHT, _DECOY = "memory_goal_reward", "memory_goal_decoy"


def _map(cue: int, goals: int, corridor: int) -> str:
    """Return the map for a cue: a corridor up from the start `@` to a hall, right goal `R`, decoys `D`."""
    width = 2 * goals + 3
    middle = width // 2
    row_of_goals = ["#", ".", *(char for k in range(goals) for char in ("R" if k == cue else "D", ".")), "#"]
    passage = "#" * middle + "." + "#" * (width - middle - 1)
    start = "#" * middle + "@" + str(cue + 1) + "#" * (width - middle - 2)
    rows = [
        "#" * width,
        "".join(row_of_goals)[:width],
        "#" + "." * (width - 2) + "#",
        *([passage] * corridor),
        start,
        "#" * width,
    ]
    return "\n".join(rows)


def _objects() -> dict[str, GridObjectConfig]:
    cues = {f"cue_{k}": GridObjectConfig(name=f"cue_{k}", tags=["memory:cue"]) for k in range(1, _MAX_GOALS + 1)}
    handlers = {_RIGHT: success_handler(), _DECOY: Handler(name="touch")}
    goals = {
        name: GridObjectConfig(name="memory_goal", map_name=name, tags=["memory:goal"], on_use_handler=handler)
        for name, handler in handlers.items()
    }
    return {**cues, **goals}


def _mission(level: str, goals: int, corridor: int, steps: int) -> CognitiveSubstrateMission:
    cues = {str(k): f"cue_{k}" for k in range(1, goals + 1)}
    return CognitiveSubstrateMission(
        name=f"memory_mystery_path_{level}",
        description=f"Remember the cue at the start and choose the right one of {goals} goals.",
        map_builder=ChoiceAsciiMapBuilder.Config(
            map_options=[_map(cue, goals, corridor) for cue in range(goals)],
            char_to_map_name={**cues, "R": _RIGHT, "D": _DECOY},
        ),
        max_steps=steps,
        objects=_objects(),
        symbols={**{name: char for char, name in cues.items()}, _RIGHT: "G", _DECOY: "G"},
    )


EVAL_MISSIONS = [_mission("easy", 2, 10, 96), _mission("medium", 3, 20, 144), _mission("hard", 4, 40, 256)]
