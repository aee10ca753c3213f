"""Request and response schemas of assays."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from observatory.assays.tables import AssayStatus
from observatory.documents import Document
from observatory.wire import Body

__all__ = ["AssayCreate", "AssayResultsResponse", "AssayRunResponse", "AxisResult", "MissionMetrics", "MissionSpec"]


class MissionSpec(Body):
    mission_name: str = Field(min_length=1, max_length=200)
    env_config: Document
    num_episodes: int = Field(default=3, gt=0, le=100)
    max_steps: int = Field(default=10_000, gt=0, le=1_000_000)


class AssayCreate(Body):
    """A policy version of the caller's, to be played on missions. `name` keeps the same assay from running twice."""

    policy_version_id: uuid.UUID
    missions: list[MissionSpec] = Field(min_length=1, max_length=200)
    name: str | None = Field(default=None, max_length=200)
    compat_version: str | None = Field(default=None, max_length=32)


class AssayRunResponse(BaseModel):
    id: uuid.UUID
    policy_version_id: uuid.UUID
    user_id: str
    name: str | None
    compat_version: str | None
    status: AssayStatus
    total_jobs: int
    completed_jobs: int
    failed_jobs: int
    error: str | None
    created_at: datetime
    started_at: datetime | None
    completed_at: datetime | None


class MissionMetrics(BaseModel):
    reward_variance: float = 0.0
    non_zero_episode_pct: float = 0.0
    timeout_rate: float = 0.0
    mean_move_success: float = 0.0
    mean_action_failed: float = 0.0
    mean_stuck_steps: float = 0.0


class AxisResult(BaseModel):
    axis: Literal["stability", "efficiency", "control"]
    score: float
    derived_metrics: MissionMetrics


class AssayResultsResponse(BaseModel):
    """Metrics of each mission that was played, and scores of the axes they speak for."""

    status: AssayStatus
    missions: dict[str, MissionMetrics]
    axes: list[AxisResult]
