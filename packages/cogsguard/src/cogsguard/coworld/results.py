"""The results of an episode: the model behind `results_schema`."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.runner.episode.outcome import EpisodeOutcome

__all__ = ["Results", "Stats", "results_of", "results_schema"]


class Stats(BaseModel):
    """Statistics of the game and of each cog, by name."""

    model_config = ConfigDict(extra="forbid")

    game: dict[str, float]
    agent: list[dict[str, float]]


class Results(BaseModel):
    """The results of an episode. Lists have one entry per slot, in order."""

    model_config = ConfigDict(extra="forbid")

    scores: list[float] = Field(description="The sum of each cog's rewards")
    teams: list[int] = Field(description="The team of each cog; cogs of a team play together")
    steps: int = Field(ge=0, description="Number of played steps")
    max_steps: int = Field(ge=0)
    late_steps: list[int] = Field(description="Steps in which the player was connected and sent no action in time")
    absent_steps: list[int] = Field(description="Steps in which no player was connected")
    stats: Stats


def results_of(
    outcome: EpisodeOutcome, env: MettaGridConfig, *, late_steps: list[int], absent_steps: list[int]
) -> Results:
    """Return the results of a finished episode."""
    agents = env.game.agents
    count = len(outcome.rewards)
    return Results(
        scores=[float(reward) for reward in outcome.rewards],
        teams=[agents[slot].team_id if slot < len(agents) else 0 for slot in range(count)],
        steps=outcome.steps,
        max_steps=outcome.max_steps,
        late_steps=late_steps,
        absent_steps=absent_steps,
        stats=Stats(game=dict(outcome.stats["game"]), agent=[dict(stats) for stats in outcome.stats["agent"]]),
    )


def results_schema(slots: int) -> dict[str, Any]:
    """Return the JSON Schema of results with a number of slots."""
    table = {"type": "object", "additionalProperties": {"type": "number"}}

    def per_slot(kind: dict[str, Any], field: str) -> dict[str, Any]:
        described = Results.model_fields[field].description
        return {"type": "array", "items": kind, "minItems": slots, "maxItems": slots, "description": described}

    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "additionalProperties": False,
        "required": list(Results.model_fields),
        "properties": {
            "scores": per_slot({"type": "number"}, "scores"),
            "teams": per_slot({"type": "integer", "minimum": 0}, "teams"),
            "steps": {"type": "integer", "minimum": 0, "description": Results.model_fields["steps"].description},
            "max_steps": {"type": "integer", "minimum": 0},
            "late_steps": per_slot({"type": "integer", "minimum": 0}, "late_steps"),
            "absent_steps": per_slot({"type": "integer", "minimum": 0}, "absent_steps"),
            "stats": {
                "type": "object",
                "additionalProperties": False,
                "required": ["game", "agent"],
                "properties": {
                    "game": table,
                    "agent": {"type": "array", "items": table, "minItems": slots, "maxItems": slots},
                },
            },
        },
    }
