"""Responses about matches."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from softmax.wire.base import Nullable, ResponseModel
from softmax.wire.episodes import EpisodeResponse
from softmax.wire.policies import PolicyVersionSummary

__all__ = ["MatchPlayerInfo", "MatchResponse"]


class MatchPlayerInfo(ResponseModel):
    policy: PolicyVersionSummary
    num_agents: int
    score: Nullable[float] = None


class MatchResponse(ResponseModel):
    """A match; `episode` only in the response for a single match, `seed` in digits once the season has ended."""

    id: UUID
    season_name: str
    pool_name: str
    status: str
    assignments: list[int]
    players: list[MatchPlayerInfo]
    error: Nullable[str] = None
    error_type: Nullable[str] = None
    episode_id: Nullable[UUID] = None
    job_id: Nullable[UUID] = None
    seed: str | None = None
    episode: EpisodeResponse | None = None
    created_at: datetime
