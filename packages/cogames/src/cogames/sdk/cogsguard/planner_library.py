"""The modes and skills that a language model can choose, with their descriptions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from cogames.sdk.cogsguard.planner_models import (
    MAX_TALK,
    PlannerSkillOption,
    ResourceName,
    SkillName,
    SkillStatus,
    StrategyMode,
)

__all__ = [
    "MODES",
    "SKILLS",
    "preferred_role_for_skill",
    "render_planner_library",
    "render_skill_options",
    "resource_names",
]

MODES = {
    StrategyMode.BOOTSTRAP_ECONOMY: ("Buy gear and make the first hearts.", SkillName.GEAR_UP_MINER),
    StrategyMode.COVER_MISSING_RESOURCES: ("Mine what the team lacks.", SkillName.MINE_BIASED_RESOURCE),
    StrategyMode.FRONTIER_EXPAND: ("Find new extractors and free junctions.", SkillName.EXPLORE),
    StrategyMode.CONVERT_FRONTIER: ("Capture the junctions in reach.", SkillName.ALIGN_FRONTIER),
    StrategyMode.SCRAMBLE_PRESSURE: ("Take junctions away from the enemy.", SkillName.SCRAMBLE_FRONTIER),
    StrategyMode.RECOVER_AND_BANK: ("Heal, and bring the load home.", SkillName.DEPOSIT_RESOURCES),
}
"""mode -> (description, skill that a reply with only this mode means)"""

SKILLS = {
    SkillName.GEAR_UP_MINER: ("Get miner gear at its station.", "miner", StrategyMode.BOOTSTRAP_ECONOMY),
    SkillName.GEAR_UP_ALIGNER: ("Get aligner gear at its station.", "aligner", StrategyMode.BOOTSTRAP_ECONOMY),
    SkillName.GEAR_UP_SCRAMBLER: ("Get scrambler gear at its station.", "scrambler", StrategyMode.BOOTSTRAP_ECONOMY),
    SkillName.MINE_BIASED_RESOURCE: (
        "Mine the element of resource_bias, or else the one the team has least of.",
        "miner",
        StrategyMode.COVER_MISSING_RESOURCES,
    ),
    SkillName.DEPOSIT_RESOURCES: (
        "Bring carried elements to the hub or to an own junction.",
        "miner",
        StrategyMode.RECOVER_AND_BANK,
    ),
    SkillName.GET_HEART: (
        "Take a heart at the hub; mine for it if the hub cannot make one.",
        "aligner",
        StrategyMode.COVER_MISSING_RESOURCES,
    ),
    SkillName.ALIGN_FRONTIER: ("Capture the nearest junction in reach.", "aligner", StrategyMode.CONVERT_FRONTIER),
    SkillName.SCRAMBLE_FRONTIER: ("Clear the nearest enemy junction.", "scrambler", StrategyMode.SCRAMBLE_PRESSURE),
    SkillName.EXPLORE: ("Walk to unseen parts of the map.", None, StrategyMode.FRONTIER_EXPAND),
    SkillName.RETREAT: ("Return to own territory to heal.", None, StrategyMode.RECOVER_AND_BANK),
    SkillName.UNSTUCK: ("Leave a place where the cog makes no headway.", None, StrategyMode.RECOVER_AND_BANK),
}
"""skill -> (description, role whose gear it needs, mode that a reply with only this skill means)"""

STATUSES = {
    SkillStatus.ACTIVE: "the cog is doing this; keep it unless the situation has changed",
    SkillStatus.READY: "possible at once",
    SkillStatus.SETUP: "possible; the program first gets what is missing",
    SkillStatus.BLOCKED: "not possible now",
}


def resource_names() -> tuple[str, ...]:
    """Return the four elements."""
    return get_args(ResourceName)


def preferred_role_for_skill(skill: SkillName | None) -> str | None:
    """Return the role whose gear a skill needs; None if any cog can use it."""
    return None if skill is None else SKILLS[skill][1]


def render_planner_library() -> str:
    """Return the modes, skills and statuses as sections of a prompt."""
    lines = ["STRATEGY_MODES", *(f"- {mode.value}: {text}" for mode, (text, _) in MODES.items())]
    lines += ["SKILLS", *(f"- {skill.value}: {text}" for skill, (text, _, _) in SKILLS.items())]
    lines += ["COMMUNICATION", f"- talk: a message to cogs in view, at most {MAX_TALK} characters; null if not needed"]
    lines += ["SKILL_STATUS", *(f"- {status.value}: {text}" for status, text in STATUSES.items())]
    return "\n".join(lines)


def render_skill_options(options: Sequence[PlannerSkillOption]) -> str:
    """Return the skills that a cog has now as a section of a prompt."""
    lines = []
    for option in options:
        role = "" if option.preferred_role is None else f", role={option.preferred_role}"
        lines.append(f"- {option.name.value} [{option.status.value}{role}]: {option.reason}")
    return "\n".join(["SKILL_OPTIONS", *(lines or ["- none"])])
