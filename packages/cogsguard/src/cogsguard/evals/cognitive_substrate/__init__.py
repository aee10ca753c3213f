"""Evaluations of one ability of one cog: memory, exploration, planning. They use no rules of the game."""

from cogsguard.evals.cognitive_substrate.common import CognitiveSubstrateMission
from cogsguard.evals.cognitive_substrate.exploration import EVAL_MISSIONS as EXPLORATION_EVAL_MISSIONS
from cogsguard.evals.cognitive_substrate.memory import EVAL_MISSIONS as MEMORY_EVAL_MISSIONS
from cogsguard.evals.cognitive_substrate.planning import EVAL_MISSIONS as PLANNING_EVAL_MISSIONS

__all__ = [
    "CATEGORY_MISSIONS",
    "EVAL_MISSIONS",
    "EXPLORATION_EVAL_MISSIONS",
    "MEMORY_EVAL_MISSIONS",
    "PLANNING_EVAL_MISSIONS",
]

CATEGORY_MISSIONS: dict[str, list[CognitiveSubstrateMission]] = {
    "memory": MEMORY_EVAL_MISSIONS,
    "exploration": EXPLORATION_EVAL_MISSIONS,
    "planning": PLANNING_EVAL_MISSIONS,
}
EVAL_MISSIONS = [mission for missions in CATEGORY_MISSIONS.values() for mission in missions]
