"""Teams that explore first and then take what they found: `cogsguard_control` and `cogsguard_targeted`."""

from __future__ import annotations

from typing import Any, ClassVar

from cogames_agents.planner.policy import PlannerPolicy

__all__ = ["ControlPolicy", "TargetedPolicy"]


class ControlPolicy(PlannerPolicy):
    """Half of the team surveys the map for 60 steps; then all follow the team's needs."""

    short_names: ClassVar[list[str] | None] = ["cogsguard_control"]
    traits: ClassVar[dict[str, Any]] = {"shows_vibe": True, "surveyors": 0.5, "survey_until": 60}


class TargetedPolicy(PlannerPolicy):
    """A quarter of the team surveys the map for 80 steps; aligners keep strictly to their own junctions."""

    short_names: ClassVar[list[str] | None] = ["cogsguard_targeted"]
    traits: ClassVar[dict[str, Any]] = {"shows_vibe": True, "surveyors": 0.25, "survey_until": 80, "courtesy": 2.0}
