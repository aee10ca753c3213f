"""Checkers for what players write: `check_mission(config)` says what is wrong with a mission.

The one for policies is `mettagrid.policy.checks.check_policy`, and both are offered by `mettagrid` itself.
"""

from mettagrid.checks.mission import check_mission, refuse_bad_mission
from mettagrid.checks.problems import BadMission, BadPolicy, PolicyProblemKind, Problem, ProblemKind

__all__ = [
    "BadMission",
    "BadPolicy",
    "PolicyProblemKind",
    "Problem",
    "ProblemKind",
    "check_mission",
    "refuse_bad_mission",
]
