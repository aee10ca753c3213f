"""Render the prompt that asks a language model for a directive."""

from __future__ import annotations

import json

from cogames.sdk.cogsguard.planner_library import render_planner_library, render_skill_options
from cogames.sdk.cogsguard.planner_models import MAX_ANALYSIS, PlannerSummary

__all__ = ["build_planner_prompt"]

EXAMPLE = {
    "mode": "frontier_expand",
    "skill": "align_frontier",
    "resource_bias": "oxygen",
    "talk": "I take the junction in the east",
    "analysis": "two free junctions are near and I carry a heart",
}


def build_planner_prompt(summary: PlannerSummary) -> str:
    """Return the prompt that asks for a directive."""
    return "\n\n".join(
        [
            _render_situation(summary),
            "\n".join(["RECENT_EVENTS", *(f"- {event}" for event in summary.recent_events)])
            if summary.recent_events
            else "RECENT_EVENTS\nnone",
            render_skill_options(summary.skill_options),
            render_planner_library(),
            _render_rules(),
        ]
    )


def _render_situation(summary: PlannerSummary) -> str:
    place = "" if summary.map_size is None else f" Map: {summary.map_size[0]}x{summary.map_size[1]} cells."
    length = "" if summary.max_steps is None else f" of {summary.max_steps}"
    share = "" if summary.episode_percent is None else f" ({summary.episode_percent}% of the episode)"
    mode = "default" if summary.strategy_mode is None else summary.strategy_mode.value
    skill = "none" if summary.active_skill is None else summary.active_skill.value
    junctions = summary.junctions
    return "\n".join(
        [
            f"Cogs vs Clips, step {summary.step}{length}{share}.{place}",
            "In every step the team scores for the junctions it holds. Hold many, early, and keep them.",
            "",
            f"Agent {summary.agent_id}: HP={summary.hp}, Hearts={summary.inventory.get('heart', 0)}, "
            f"Role={summary.role}",
            f"Position: {summary.position}",
            f"Current mode: {mode}",
            f"Current active skill: {skill} (steps={summary.active_skill_steps})",
            f"Last skill exit: {summary.last_skill_exit_reason or 'none'}",
            f"Current resource bias: {summary.resource_bias}",
            f"Inventory: {_amounts(summary.inventory)}",
            f"Team resources: {_amounts(summary.team_resources)}",
            f"Observed same-team roles: {summary.roles or 'unknown'}",
            f"Junctions: friendly={junctions.friendly} enemy={junctions.enemy} neutral={junctions.neutral}",
            f"Stalled: {summary.stalled}, Oscillating: {summary.oscillating}",
            f"Safe distance to hub: {summary.safe_distance}",
            f"Has role gear: {summary.has_gear}, Emergency mining: {summary.emergency_mining}",
            f"Visible teammate talk: {'; '.join(summary.visible_talk) or 'none'}",
            f"Talk enabled: {summary.talk_enabled}, talk cooldown steps: {summary.talk_cooldown_steps}",
        ]
    )


def _render_rules() -> str:
    return "\n".join(
        [
            "Choose one mode and one skill. A program finds the targets and paths, and turns back when hp run low.",
            f"Answer with one JSON object and nothing else; analysis is at most {MAX_ANALYSIS} characters:",
            json.dumps(EXAMPLE, separators=(",", ":")),
            "- Use only the modes and skills above. resource_bias is carbon, oxygen, germanium or silicon; it may be "
            "left out.",
            "- Choose a ready skill, or one in setup if its preparation is worth the time. Do not choose a blocked "
            "skill.",
            "- Teammates may run other programs: rely on what you see and on what they say.",
        ]
    )


def _amounts(amounts: dict[str, int]) -> str:
    return ", ".join(f"{name}={amount}" for name, amount in sorted(amounts.items())) or "none"
