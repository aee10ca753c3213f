"""Responses from which a match is played again."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from pydantic import Field

from softmax.wire.base import SENT, DescribedAs, Nullable, ResponseModel

__all__ = ["MatchReproduction", "ReproducedArtifact", "ReproducedPolicy"]


class ReproducedPolicy(ResponseModel):
    """A policy of the match. Without a `bundle_url` it is played from the recorded actions, and `why_not` says why."""

    name: str
    policy_version_id: Nullable[UUID] = None
    bundle_url: Nullable[str] = None
    bundle_sha256: Nullable[str] = None
    why_not: Nullable[str] = None


class ReproducedArtifact(ResponseModel):
    """A file that the match left: where it is, and the digest that was taken when the match ended."""

    url: str
    sha256: str


class MatchReproduction(ResponseModel):
    """A match as it was played: its job with all seeds, its policies, and what came of it."""

    match_id: UUID
    job_id: Annotated[UUID | None, SENT, DescribedAs(UUID)] = None
    season_name: str
    season_version: int
    pool_name: str
    status: Annotated[str | None, SENT, DescribedAs(str)] = None
    spec: dict[str, Any] = Field(description="the job: environment, seats, seeds")
    policies: list[ReproducedPolicy]
    artifacts: dict[str, ReproducedArtifact] = Field(description="by name: results.json, replay.json.z, actions.json.z")
    versions: Annotated[dict[str, str], SENT] = Field(default={}, description="of the packages that played it")
