"""Checkers for missions and policies: `check_mission(config)` lists the problems of a mission.

The checker for policies is `mettagrid.policy.checks.check_policy`; `mettagrid` itself exports both.
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
