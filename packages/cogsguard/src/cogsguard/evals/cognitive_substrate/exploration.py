"""Exploration: a goal at the far corner of a maze."""

from cogsguard.evals.cognitive_substrate.common import CognitiveSubstrateMission, success_handler
from mettagrid.config.mettagrid_config import GridObjectConfig
from mettagrid.map_builder.maze import MazePrimMapBuilder

_END = "hub"  # the maze builder's map name for its end


def _mission(level: str, size: int, steps: int) -> CognitiveSubstrateMission:
    goal = GridObjectConfig(name="goal", map_name=_END, tags=["exploration:goal"], on_use_handler=success_handler())
    return CognitiveSubstrateMission(
        name=f"exploration_sparse_search_{level}",
        description=f"Find the goal at the far corner of a maze of {size} x {size} cells.",
        map_builder=MazePrimMapBuilder.Config(width=size, height=size, start_pos=(1, 1), end_pos=(size - 2, size - 2)),
        max_steps=steps,
        objects={_END: goal},
        symbols={_END: "G"},
    )


EVAL_MISSIONS = [_mission("easy", 15, 192), _mission("medium", 23, 448), _mission("hard", 31, 896)]
