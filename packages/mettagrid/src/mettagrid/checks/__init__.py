"""Checkers for what players write: `check_mission(config)` says what is wrong with a mission."""

from mettagrid.checks.mission import check_mission, refuse_bad_mission
from mettagrid.checks.problems import BadMission, Problem, ProblemKind

__all__ = ["BadMission", "Problem", "ProblemKind", "check_mission", "refuse_bad_mission"]
