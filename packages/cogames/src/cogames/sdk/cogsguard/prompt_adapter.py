"""Render states and instructions as text for agents whose code is written by a language model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cogames.sdk.cogsguard.learnings import render_cogsguard_learnings
from cogames.sdk.cogsguard.scenarios import CogsguardScenarioPresets
from mettagrid.sdk.agent.progress import ProgressSnapshot
from mettagrid.sdk.agent.state import AttributeValue, MettagridState, SemanticEntity

__all__ = ["CogsguardPromptAdapter"]

SKILLS = (
    ("resource_coverage", "Mine every element the team lacks, and bring it home before the cog is full."),
    ("focused_extractor_lock", "Set target_entity_id to one extractor to keep the cog there while it gives elements."),
    ("teammate_shadowing", "Set target_entity_id to a teammate in view, such as agent-1, to follow it."),
    ("region_reanchor", "Set target_region (west, east, frontier) to move the work there without a fixed target."),
    ("heart_gated_alignment", "Aligners and scramblers take a heart first; without one a junction stays as it is."),
    ("safe_deposit_cycle", "A loaded cog that is hurt or sees enemies goes to the hub before anything else."),
    ("lane_pressure", "With hearts to spare, more cogs align and scramble."),
)
CONTROLS = (
    ("role", "miner, aligner or scrambler: the work that the program does for the cog"),
    ("objective", "resource_coverage, economy_bootstrap or aligner_pressure"),
    ("target_entity_id", "the extractor, junction or teammate to work on; overrides the other targets"),
    ("target_region", "the part of the map to work in"),
    ("resource_bias", "the element to prefer among known extractors"),
    ("talk", "a message of at most 140 characters to cogs in view, if the game lets cogs talk"),
)
PRACTICES = (
    "Set one of target_entity_id, target_region and resource_bias at a time.",
    'sdk.helpers.nearest_visible_entity(entity_type="junction", label="neutral") finds the next junction to capture.',
    'sdk.helpers.visible_entities(entity_type="junction", label="enemy") lists the junctions to scramble.',
    "sdk.helpers.shared_inventory() and sdk.helpers.recent_event_types() show progress; read them before a new plan.",
    "Use only documented fields and helpers; sdk.state has no others.",
    "Cogs that talk have the label talking and the attributes talk_text and talk_remaining_steps.",
    "Cogs meet by chance only: to stay together, one of them follows the other by target_entity_id.",
    "Keep step(sdk) short: choose directives, and leave walking and using objects to the program.",
    "Replace a target that brings nothing instead of waiting longer.",
)


class CogsguardPromptAdapter:
    """Renders the parts of a prompt."""

    def render_state(self, state: MettagridState) -> str:
        """Return a state as text: the cog, then one line for each entity in view, then the recent events."""
        own, team = state.self_state, state.team_summary
        stock, objectives = ({}, []) if team is None else (team.shared_inventory, team.shared_objectives)
        lines = [
            "SELF",
            f"step: {state.step}",
            f"team: {own.attributes.get('team', 'unknown') if team is None else team.team_id}",
            f"role: {own.role}",
            f"position: ({own.position.x}, {own.position.y})",
            f"inventory: {_values(own.inventory) or 'none'}",
            f"status: {', '.join(own.status) or 'none'}",
            f"talk: {_talk(own)}",
            f"shared_inventory: {_values(stock) or 'none'}",
            f"shared_objectives: {', '.join(objectives) or 'none'}",
            "VISIBLE",
            *map(_entity, state.visible_entities),
        ]
        if state.recent_events:
            lines += ["RECENT_EVENTS", *(f"- {event.event_type}: {event.summary}" for event in state.recent_events)]
        return "\n".join(lines)

    def render_skill_library(self) -> str:
        """Return what directives can ask for."""
        return "\n".join(
            ["SKILLS", *_pairs(SKILLS), "CONTROL_PRIMITIVES", *_pairs(CONTROLS), "BEST_PRACTICES"]
            + [f"- {practice}" for practice in PRACTICES]
        )

    def render_reference_notes(self, *, objective: str, progress: ProgressSnapshot | None = None) -> str:
        """Return the example scenarios and the advice for an objective."""
        scenarios = ["SCENARIO_PRESETS", *_pairs(CogsguardScenarioPresets.library())]
        return "\n".join([*scenarios, render_cogsguard_learnings(objective=objective, progress=progress)])


def _entity(entity: SemanticEntity) -> str:
    place, labels = f"({entity.position.x}, {entity.position.y})", ", ".join(entity.labels)
    return f"- {entity.entity_type} at {place} [{labels}] {_values(entity.attributes)}"


def _talk(entity: SemanticEntity) -> str:
    text = entity.attributes.get("talk_text")
    return f"{text} (ttl={entity.attributes.get('talk_remaining_steps', 0)})" if text else "none"


def _values(values: Mapping[str, AttributeValue]) -> str:
    return ", ".join(f"{name}={value}" for name, value in sorted(values.items()))


def _pairs(pairs: Iterable[tuple[str, str]]) -> list[str]:
    return [f"- {name}: {text}" for name, text in pairs]
