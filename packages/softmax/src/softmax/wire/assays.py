"""Responses about assays, and the missions that an assay plays."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import Field

from softmax.wire.base import Nullable, ResponseModel
from softmax.wire.states import AssayAxisName, AssayStatus

__all__ = [
    "AssayResultsResponse",
    "AssayRunResponse",
    "AxisScore",
    "DiagnosisFinding",
    "MissionMetrics",
    "MissionSpec",
]


class MissionSpec(ResponseModel):
    """A mission as clients send it; the server has limits of its own."""

    mission_name: str = Field(min_length=1)
    env_config: dict[str, Any]
    num_episodes: int = Field(default=3, gt=0)
    max_steps: int = Field(default=10_000, gt=0)


class AssayRunResponse(ResponseModel):
    id: UUID
    policy_version_id: UUID
    user_id: str
    name: Nullable[str] = None
    compat_version: Nullable[str] = None
    status: AssayStatus
    total_jobs: int
    completed_jobs: int
    failed_jobs: int
    error: Nullable[str] = None
    created_at: datetime
    started_at: Nullable[datetime] = None
    completed_at: Nullable[datetime] = None


class MissionMetrics(ResponseModel):
    reward_variance: float = 0.0
    non_zero_episode_pct: float = 0.0
    timeout_rate: float = 0.0
    mean_move_success: float = 0.0
    mean_action_failed: float = 0.0
    mean_stuck_steps: float = 0.0


class AxisScore(ResponseModel):
    axis: AssayAxisName
    score: float
    derived_metrics: MissionMetrics


class DiagnosisFinding(ResponseModel):
    """A weakness of a policy, and what its author can do; `severity` is between 0 and 1."""

    axis: str
    severity: float
    likely_cause: str
    action: str
    expected_effect: str


class AssayResultsResponse(ResponseModel):
    """Metrics of each mission that was played, and scores of the axes they speak for."""

    status: AssayStatus
    missions: dict[str, MissionMetrics]
    axes: list[AxisScore]
