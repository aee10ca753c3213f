"""Responses about episodes on request."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from softmax.wire.base import Nullable, ResponseModel
from softmax.wire.reproduction import ReproducedArtifact, ReproducedPolicy

__all__ = [
    "BulkEpisode",
    "BulkEpisodePage",
    "ChangeBatch",
    "DownloadEntry",
    "DownloadManifest",
    "EpisodeChange",
    "EpisodeChanges",
    "EpisodeParticipant",
    "EpisodeReproduction",
    "EpisodeRequestList",
    "EpisodeRequestPage",
    "EpisodeRequestRow",
    "EpisodeRequestSummary",
    "EpisodeScore",
    "ExperienceRequestDetail",
    "ExperienceRequestPage",
    "ExperienceRequestRow",
    "PolicyArtifactInfo",
    "ReplaySession",
    "RequestedAgentStats",
    "RequestedEpisodeStats",
    "RequestedPolicyStats",
]


class EpisodeParticipant(ResponseModel):
    """The policy or the person in a seat."""

    position: int
    kind: Literal["policy", "human"] = "policy"
    policy_version_id: Nullable[UUID] = None
    policy_id: Nullable[UUID] = None
    policy_name: Nullable[str] = None
    version: Nullable[int] = None
    player_id: Nullable[str] = None
    player_name: Nullable[str] = None
    is_filler: bool = False
    user_id: Nullable[str] = None
    name: Nullable[str] = None


class EpisodeScore(ResponseModel):
    policy_version_id: UUID
    score: float


class EpisodeRequestRow(ResponseModel):
    id: str
    requester_user_id: str
    round_id: Nullable[str] = None
    experience_request_id: Nullable[str] = None
    mod_name: Nullable[str] = None
    env_config_name: Nullable[str] = None
    coworld_id: Nullable[str] = None
    variant_id: Nullable[str] = None
    seed: Nullable[int] = None
    max_steps: Nullable[int] = None
    status: str
    policy_version_ids: list[UUID]
    participants: list[EpisodeParticipant]
    job_id: Nullable[UUID] = None
    episode_id: Nullable[UUID] = None
    replay_url: Nullable[str] = None
    live_url: Nullable[str] = None
    error_type: Nullable[str] = None
    error: Nullable[str] = None
    failed_policy_index: Nullable[int] = None
    failed_agent_index: Nullable[int] = None
    scores: list[EpisodeScore]
    game_config: Nullable[dict[str, Any]] = Field(default=None, description="of a single episode only")
    pool_id: Nullable[str] = None
    assignments: list[int] = Field(default=[], description="for clients of the first generation")
    created_at: datetime


class EpisodeRequestSummary(ResponseModel):
    id: str
    status: str
    coworld_id: Nullable[str] = None
    round_id: Nullable[str] = None
    replay_url: Nullable[str] = None
    policy_version_ids: list[UUID]
    created_at: datetime


class EpisodeRequestPage(ResponseModel):
    entries: list[EpisodeRequestSummary]
    next_cursor: Nullable[str] = None


class EpisodeRequestList(ResponseModel):
    """As clients of the second generation list episodes."""

    entries: list[EpisodeRequestRow]
    next_cursor: Nullable[str] = None


class BulkEpisode(ResponseModel):
    id: str
    experience_request_id: Nullable[str] = None
    created_at: datetime
    status: str
    error_type: Nullable[str] = None
    evidence_state: Literal["pending", "sealed"]
    scores: Nullable[list[EpisodeScore]] = None
    participants: Nullable[list[EpisodeParticipant]] = None
    replay_url: Nullable[str] = None
    error: Nullable[str] = None


class BulkEpisodePage(ResponseModel):
    entries: list[BulkEpisode]
    unavailable_ids: list[str]
    next_cursor: Nullable[str] = None
    observed_at: datetime


class ChangeBatch(ResponseModel):
    id: str
    status: str
    episode_count: int


class EpisodeChange(ResponseModel):
    id: str
    experience_request_id: Nullable[str] = None
    revision: int
    removed: bool
    episode: Nullable[BulkEpisode] = None


class EpisodeChanges(ResponseModel):
    batches: list[ChangeBatch]
    phase: Literal["snapshot", "changes"]
    entries: list[EpisodeChange]
    next_cursor: Nullable[str] = None
    has_more: bool
    poll_after_seconds: float
    expires_at: datetime


class DownloadEntry(ResponseModel):
    """A file of an episode: where to get it, or why there is none."""

    episode_request_id: str
    category: str
    position: Nullable[int] = None
    artifact_id: str
    version: str
    filename: str
    state: Literal["pending", "ready", "not_produced", "unavailable"]
    media_type: str
    encoding: str = "identity"
    size: Nullable[int] = None
    etag: Nullable[str] = None
    url: Nullable[str] = None
    expires_at: Nullable[datetime] = None
    inline_json: Nullable[Any] = None


class DownloadManifest(ResponseModel):
    entries: list[DownloadEntry]
    unavailable_ids: list[str]
    next_cursor: Nullable[str] = None


class ExperienceRequestRow(ResponseModel):
    id: str
    requester_user_id: str
    requester: Nullable[str] = None
    coworld_id: str
    coworld_name: str
    coworld_version: str
    variant_id: Nullable[str] = None
    title: Nullable[str] = None
    description: Nullable[str] = None
    status: str
    episode_count: int
    pending_count: int
    submitted_count: int
    running_count: int
    completed_count: int
    failed_count: int
    error: Nullable[str] = None
    created_at: datetime
    started_at: Nullable[datetime] = None
    completed_at: Nullable[datetime] = None


class ExperienceRequestDetail(ExperienceRequestRow):
    episodes: list[EpisodeRequestRow]
    requested: dict[str, Any]


class ExperienceRequestPage(ResponseModel):
    entries: list[ExperienceRequestRow]
    next_cursor: Nullable[str] = None
    total_count: int = 0
    limit: int = 0
    offset: int = 0


class RequestedAgentStats(ResponseModel):
    agent_id: int
    reward: float
    metrics: dict[str, float]


class RequestedPolicyStats(ResponseModel):
    position: int
    policy_version_id: Nullable[UUID] = None
    policy_name: Nullable[str] = None
    policy_version: Nullable[int] = None
    num_agents: int
    avg_metrics: dict[str, float]
    avg_reward: float
    agents: list[RequestedAgentStats]


class RequestedEpisodeStats(ResponseModel):
    game_stats: dict[str, float]
    policy_stats: list[RequestedPolicyStats]
    steps: Nullable[int] = None


class PolicyArtifactInfo(ResponseModel):
    """A seat whose files the caller may have."""

    position: int
    policy_version_id: UUID
    policy_name: Nullable[str] = None
    has_log: bool
    has_artifact: bool


class ReplaySession(ResponseModel):
    """A page that shows a replay."""

    viewer_url: str
    ready: bool


class EpisodeReproduction(ResponseModel):
    """An episode as it was played: the game, its configuration, the policies, and what came of it."""

    id: str
    job_id: UUID
    coworld_id: str
    coworld_name: str
    coworld_version: str
    manifest_hash: str
    variant_id: Nullable[str] = None
    seed: Nullable[int] = None
    status: str
    spec: dict[str, Any] = Field(description="the job, without the manifest")
    policies: list[ReproducedPolicy]
    artifacts: dict[str, ReproducedArtifact] = Field(description="files by name, with their digests")
    runnables: list[dict[str, Any]] = Field(description="programs with the digests of their images or files")
    versions: dict[str, str] = Field(description="of the packages that played it")
