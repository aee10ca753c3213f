"""Cogs vs Clips in words: states, events, skills, prompts and replies for language-model players.

`CogsguardSemanticSurface` turns observations into states with events. `build_planner_prompt` asks a model for a
directive, and `parse_planner_response` reads its reply. `CogsguardProgressTracker` notices stalls.
"""

from cogames.sdk.cogsguard import (
    constants,
    events,
    learnings,
    llm_contract,
    progress,
    prompt_adapter,
    scenarios,
    state,
    surface,
)
from cogames.sdk.cogsguard.constants import (
    COGSGUARD_BOOTSTRAP_HUB_OFFSETS,
    COGSGUARD_GEAR_COSTS,
    COGSGUARD_HUB_ALIGN_DISTANCE,
    COGSGUARD_JUNCTION_ALIGN_DISTANCE,
    COGSGUARD_JUNCTION_AOE_RANGE,
    COGSGUARD_ROLE_HP_THRESHOLDS,
    COGSGUARD_ROLE_NAMES,
)
from cogames.sdk.cogsguard.events import CogsguardEventExtractor
from cogames.sdk.cogsguard.learnings import (
    CogsguardLearning,
    render_cogsguard_learnings,
    select_cogsguard_learnings,
)
from cogames.sdk.cogsguard.llm_contract import (
    JunctionSnapshot,
    PlannerDirective,
    PlannerSkillOption,
    PlannerSummary,
    SkillName,
    SkillStatus,
    StrategyMode,
    build_planner_prompt,
    parse_planner_response,
    preferred_role_for_skill,
    render_planner_library,
    render_skill_options,
    resource_names,
)
from cogames.sdk.cogsguard.progress import CogsguardProgressTracker
from cogames.sdk.cogsguard.prompt_adapter import CogsguardPromptAdapter
from cogames.sdk.cogsguard.scenarios import CogsguardScenario, CogsguardScenarioBuilder, CogsguardScenarioPresets
from cogames.sdk.cogsguard.state import CogsguardStateAdapter
from cogames.sdk.cogsguard.surface import CogsguardSemanticSurface

__all__ = [
    "COGSGUARD_BOOTSTRAP_HUB_OFFSETS",
    "COGSGUARD_GEAR_COSTS",
    "COGSGUARD_HUB_ALIGN_DISTANCE",
    "COGSGUARD_JUNCTION_ALIGN_DISTANCE",
    "COGSGUARD_JUNCTION_AOE_RANGE",
    "COGSGUARD_ROLE_HP_THRESHOLDS",
    "COGSGUARD_ROLE_NAMES",
    "CogsguardEventExtractor",
    "CogsguardLearning",
    "CogsguardProgressTracker",
    "CogsguardPromptAdapter",
    "CogsguardScenario",
    "CogsguardScenarioBuilder",
    "CogsguardScenarioPresets",
    "CogsguardSemanticSurface",
    "CogsguardStateAdapter",
    "JunctionSnapshot",
    "PlannerDirective",
    "PlannerSkillOption",
    "PlannerSummary",
    "SkillName",
    "SkillStatus",
    "StrategyMode",
    "build_planner_prompt",
    "constants",
    "events",
    "learnings",
    "llm_contract",
    "parse_planner_response",
    "preferred_role_for_skill",
    "progress",
    "prompt_adapter",
    "render_cogsguard_learnings",
    "render_planner_library",
    "render_skill_options",
    "resource_names",
    "scenarios",
    "select_cogsguard_learnings",
    "state",
    "surface",
]
