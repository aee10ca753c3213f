"""The `coworld.stats.v1` document: measurements of episodes, per seat."""

from __future__ import annotations

import json
from typing import Any

from pydantic import ValidationError

from coworld.errors import DocumentError, SourceError
from coworld.schema.problems import problems_of
from coworld.stats.models import (
    COWORLD_STATS_SCHEMA_URI,
    STATS_VERSION,
    EpisodeStats,
    MeasuredValue,
    MetricDefinition,
    MissingValue,
    NoOpportunities,
    SeatStats,
    StatsBlock,
    StatsFailure,
    StatsProvenance,
)

__all__ = [
    "COWORLD_STATS_SCHEMA_URI",
    "STATS_VERSION",
    "EpisodeStats",
    "MeasuredValue",
    "MetricDefinition",
    "MissingValue",
    "NoOpportunities",
    "SeatStats",
    "StatsBlock",
    "StatsFailure",
    "StatsProvenance",
    "get_coworld_stats_schema",
    "read_stats",
    "stats_text",
]


def get_coworld_stats_schema() -> dict[str, Any]:
    """Return the JSON Schema of the document. Only `read_stats` checks the meaning of the numbers."""
    return StatsBlock.model_json_schema()


def read_stats(data: bytes | str, *, name: str = "the document") -> StatsBlock:
    """Read and check a document.

    Raises:
        SourceError: it is not JSON.
        DocumentError: with every problem.
    """
    try:
        json.loads(data)  # pydantic reports less about the position of a JSON error
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SourceError(f"{name} is not JSON: {error}", hint="fix the text") from error
    try:
        return StatsBlock.model_validate_json(data)
    except ValidationError as error:
        raise DocumentError(problems_of(error, StatsBlock)) from None


def stats_text(block: StatsBlock) -> str:
    """Return the document as text; the same block always gives the same text."""
    return json.dumps(block.model_dump(mode="json"), indent=2, sort_keys=True, allow_nan=False) + "\n"
