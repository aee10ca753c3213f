"""Responses about episodes."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field

from softmax.wire.base import DescribedAs, Nullable, ResponseModel
from softmax.wire.policies import PolicyVersionSummary

__all__ = ["AgentResult", "EpisodeQueryResponse", "EpisodeResponse", "EpisodeWithTags", "PolicyResult"]


class AgentResult(ResponseModel):
    agent_id: int
    reward: float
    metrics: dict[str, float] = Field(default={})


class PolicyResult(ResponseModel):
    """How one policy did; averages are over its agents."""

    position: int
    policy: PolicyVersionSummary
    num_agents: int
    avg_reward: float
    avg_metrics: dict[str, float]
    agents: list[AgentResult]


class EpisodeResponse(ResponseModel):
    id: UUID
    replay_url: Nullable[str] = None
    thumbnail_url: Nullable[str] = None
    tags: dict[str, str]
    game_stats: dict[str, float]
    policy_results: list[PolicyResult]
    steps: Nullable[int] = None
    created_at: datetime


class EpisodeWithTags(ResponseModel):
    id: UUID
    primary_policy_version_id: UUID | None = None
    replay_url: str | None = None
    thumbnail_url: str | None = None
    attributes: dict[str, Any] | None = None
    eval_task_id: UUID | None = None
    created_at: Annotated[Any, DescribedAs(datetime)]
    tags: dict[str, str] | None = None
    avg_rewards: dict[str, float] | None = None
    job_id: UUID | None = None


class EpisodeQueryResponse(ResponseModel):
    episodes: list[EpisodeWithTags]
