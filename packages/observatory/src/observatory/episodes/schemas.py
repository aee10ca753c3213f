"""Requests about episodes, and the response to an upload; the other responses are in `softmax.wire`."""

from __future__ import annotations

import uuid

from pydantic import BaseModel, Field

from observatory.documents import Document
from observatory.wire import Body
from softmax.wire import AgentResult

__all__ = [
    "BulkUploadComplete",
    "BulkUploadResponse",
    "EpisodeQuery",
    "UploadedEpisode",
]

MAX_OFFSET = 2**31 - 1


class EpisodeQuery(Body):
    """Which episodes are wanted. A tag with None must be there, with any value."""

    primary_policy_version_ids: list[uuid.UUID] | None = Field(default=None, max_length=1000)
    episode_ids: list[uuid.UUID] | None = Field(default=None, max_length=1000)
    tag_filters: dict[str, list[str] | None] | None = Field(default=None, max_length=50)
    limit: int | None = Field(default=200, ge=1, le=1000)
    offset: int = Field(default=0, ge=0, le=MAX_OFFSET)


class UploadedAgent(AgentResult, Body):
    """An agent of an uploaded episode."""


class UploadedPolicy(Body):
    """A policy of an uploaded episode, with its agents."""

    policy_version_id: uuid.UUID
    agents: list[UploadedAgent] = Field(min_length=1, max_length=1000)


class UploadedEpisode(Body):
    """One line of a bulk upload."""

    policies: list[UploadedPolicy] = Field(min_length=1, max_length=100)
    replay_url: str | None = Field(default=None, max_length=2000, pattern=r"^https?://")
    thumbnail_url: str | None = Field(default=None, max_length=2000, pattern=r"^https?://")
    attributes: Document = Field(default={})
    eval_task_id: uuid.UUID | None = None
    tags: dict[str, str] = Field(default={}, max_length=50)
    game_stats: dict[str, float] = Field(default={})
    steps: int | None = Field(default=None, ge=0, le=MAX_OFFSET)


class BulkUploadComplete(Body):
    upload_id: uuid.UUID


class BulkUploadResponse(BaseModel):
    episodes_created: int
    episode_ids: list[uuid.UUID]
