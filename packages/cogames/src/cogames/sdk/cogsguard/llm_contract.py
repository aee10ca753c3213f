"""The contract between a language model and the program that plays for it.

The program sends `build_planner_prompt(summary)`; the model replies with one JSON object, which
`parse_planner_response` turns into a `PlannerDirective`: a strategy mode and a skill.
"""

from cogames.sdk.cogsguard.planner_library import (
    preferred_role_for_skill,
    render_planner_library,
    render_skill_options,
    resource_names,
)
from cogames.sdk.cogsguard.planner_models import (
    JunctionSnapshot,
    PlannerDirective,
    PlannerSkillOption,
    PlannerSummary,
    ResourceName,
    SkillName,
    SkillStatus,
    StrategyMode,
)
from cogames.sdk.cogsguard.planner_prompt import build_planner_prompt
from cogames.sdk.cogsguard.planner_reply import parse_planner_response

__all__ = [
    "JunctionSnapshot",
    "PlannerDirective",
    "PlannerSkillOption",
    "PlannerSummary",
    "ResourceName",
    "SkillName",
    "SkillStatus",
    "StrategyMode",
    "build_planner_prompt",
    "parse_planner_response",
    "preferred_role_for_skill",
    "render_planner_library",
    "render_skill_options",
    "resource_names",
]
