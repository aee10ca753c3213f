"""Advice for language-model players, chosen by objective and progress."""

from __future__ import annotations

from pydantic import BaseModel, Field

from mettagrid.sdk.agent.progress import ProgressSnapshot

__all__ = ["CogsguardLearning", "render_cogsguard_learnings", "select_cogsguard_learnings"]


class CogsguardLearning(BaseModel):
    """One piece of advice. Without objectives it applies to all of them."""

    learning_id: str
    summary: str
    objectives: list[str] = Field(default_factory=list)
    tags: list[str] = Field(default_factory=list)


LEARNINGS = (
    CogsguardLearning(
        learning_id="single_steering_primitive",
        summary="Steer with one field per directive. target_entity_id is the most precise, then target_region, then "
        "resource_bias.",
        tags=["directive"],
    ),
    CogsguardLearning(
        learning_id="resource_bias_not_lock",
        summary="resource_bias ranks the known extractors and can be overruled. To stay at one extractor, name it in "
        "target_entity_id.",
        tags=["directive"],
    ),
    CogsguardLearning(
        learning_id="coverage_escape_hatch",
        summary="When the search for the last element takes too long, move on after a fixed number of steps with the "
        "elements the team has.",
        objectives=["resource_coverage"],
        tags=["stalled", "opening"],
    ),
    CogsguardLearning(
        learning_id="bootstrap_needs_hearts",
        summary="Stock without hearts captures no junction. If the team has no heart for long, mine the scarcest "
        "element until the hub can make one, or change the objective.",
        objectives=["economy_bootstrap"],
        tags=["stalled", "heart_economy"],
    ),
    CogsguardLearning(
        learning_id="pressure_needs_map_change",
        summary="If no junction changes hands for long, try another region, another role or another objective.",
        objectives=["aligner_pressure"],
        tags=["stalled", "map_control"],
    ),
    CogsguardLearning(
        learning_id="heart_gated_junctions",
        summary="To capture or clear a junction costs a heart. Take hearts at the hub before the walk.",
        objectives=["economy_bootstrap", "aligner_pressure"],
        tags=["heart_economy"],
    ),
)


def select_cogsguard_learnings(
    *, objective: str, progress: ProgressSnapshot | None = None, limit: int = 4
) -> list[CogsguardLearning]:
    """Return the advice for an objective, most useful first.

    Advice for stalls comes first when progress has stalled and last otherwise. Advice about hearts moves up when the
    team has none.
    """
    stalled = progress is not None and bool(progress.metric("progress_stalled", False))
    heartless = progress is not None and not progress.metric("heart_total", 0)

    def score(learning: CogsguardLearning) -> int:
        points = 2 if learning.objectives else 1
        if "stalled" in learning.tags:
            points += 4 if stalled else -2
        if "heart_economy" in learning.tags and heartless:
            points += 2
        return points

    suitable = [each for each in LEARNINGS if not each.objectives or objective in each.objectives]
    return sorted(suitable, key=score, reverse=True)[:limit]


def render_cogsguard_learnings(*, objective: str, progress: ProgressSnapshot | None = None, limit: int = 4) -> str:
    """Return the chosen advice as a section of a prompt."""
    chosen = select_cogsguard_learnings(objective=objective, progress=progress, limit=limit)
    return "\n".join(["TACTICAL_LEARNINGS", *(f"- {each.summary}" for each in chosen)])
