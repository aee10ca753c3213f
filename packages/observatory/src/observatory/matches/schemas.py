"""Response schemas of matches."""

from __future__ import annotations

import uuid
from datetime import datetime

from pydantic import BaseModel

from observatory.episodes.schemas import EpisodeResponse
from observatory.policies.schemas import PolicyVersionSummary

__all__ = ["MatchPlayerResponse", "MatchResponse"]


class MatchPlayerResponse(BaseModel):
    policy: PolicyVersionSummary
    num_agents: int
    score: float | None


class MatchResponse(BaseModel):
    """A match; `episode` only in the response for a single match, `seed` in digits once the season has ended."""

    id: uuid.UUID
    season_name: str
    pool_name: str
    status: str
    assignments: list[int]
    players: list[MatchPlayerResponse]
    error: str | None
    error_type: str | None
    episode_id: uuid.UUID | None
    job_id: uuid.UUID | None
    seed: str | None = None
    episode: EpisodeResponse | None = None
    created_at: datetime
