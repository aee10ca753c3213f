"""Response schemas of reproductions."""

from __future__ import annotations

import uuid
from typing import Any

from pydantic import BaseModel, Field

__all__ = ["Artifact", "MatchReproduction", "ReproducedPolicy"]


class ReproducedPolicy(BaseModel):
    """A policy of the match. Without a `bundle_url` it is played from the recorded actions, and `why_not` says why."""

    name: str
    policy_version_id: uuid.UUID | None
    bundle_url: str | None
    bundle_sha256: str | None
    why_not: str | None


class Artifact(BaseModel):
    """A file that the match left: where it is, and the digest that was taken when the match ended."""

    url: str
    sha256: str


class MatchReproduction(BaseModel):
    """A match as it was played: its job with all seeds, its policies, and what came of it."""

    match_id: uuid.UUID
    job_id: uuid.UUID
    season_name: str
    season_version: int
    pool_name: str
    status: str
    spec: dict[str, Any] = Field(description="the job: environment, seats, seeds")
    policies: list[ReproducedPolicy]
    artifacts: dict[str, Artifact] = Field(description="by name: results.json, replay.json.z, actions.json.z")
    versions: dict[str, str] = Field(description="of the packages that played it")
