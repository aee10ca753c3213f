"""The JSON Schemas that come with the package, for editors and other languages; generated from the models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from coworld.models import coworld_episode_request_schema, coworld_manifest_schema
from coworld.models.manifest import COWORLD_MANIFEST_V0, COWORLD_MANIFEST_V1, CoworldManifestV1
from coworld.stats import get_coworld_stats_schema

__all__ = ["PACKAGE", "SCHEMA_PATHS", "schema_files", "schema_text"]

PACKAGE = Path(__file__).parents[1]
SCHEMA_PATHS = {
    COWORLD_MANIFEST_V0: "coworld_manifest_schema.json",
    COWORLD_MANIFEST_V1: "manifest/v1_schema.json",
}
"""The path in the package of each manifest version's schema."""


def schema_text(schema: dict[str, Any]) -> str:
    """Return a schema as it is written to a file."""
    return json.dumps(schema, indent=2) + "\n"


def schema_files() -> dict[Path, str]:
    """Return every schema file of the package with its expected text."""
    return {
        PACKAGE / SCHEMA_PATHS[COWORLD_MANIFEST_V0]: schema_text(coworld_manifest_schema()),
        PACKAGE / SCHEMA_PATHS[COWORLD_MANIFEST_V1]: schema_text(CoworldManifestV1.model_json_schema(by_alias=True)),
        PACKAGE / "runner" / "episode_request_schema.json": schema_text(coworld_episode_request_schema()),
        PACKAGE / "coworld_stats_schema.json": schema_text(get_coworld_stats_schema()),
    }
