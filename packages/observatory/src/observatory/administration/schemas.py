"""Response schemas for operators."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from pydantic import BaseModel, Field

from observatory.job_states import JobStatus

__all__ = ["AdminJob", "AdminWorker", "AuditRow", "Failure", "MatchAgain"]


class AdminWorker(BaseModel):
    """A worker seen since the start, and its current job."""

    name: str
    last_seen_at: datetime | None
    job_id: uuid.UUID | None
    match_id: uuid.UUID | None
    since: datetime | None
    lease_expires_at: datetime | None


class AdminJob(BaseModel):
    """A job, without its environment and its seeds."""

    id: uuid.UUID
    status: JobStatus
    priority: int
    worker: str | None
    attempts: int
    lost_leases: int
    faults: list[str] = Field(description="`worker: what went wrong on its machine`, the first fault first")
    policies: list[str]
    match_id: uuid.UUID | None
    season_name: str | None
    error: str | None
    error_type: str | None
    runtime: dict[str, Any] | None
    digests: dict[str, str] | None
    created_at: datetime
    dispatched_at: datetime | None
    running_at: datetime | None
    completed_at: datetime | None


class Failure(BaseModel):
    """A match that failed; `blamed` is the policy at fault, if any."""

    match_id: uuid.UUID
    season_name: str
    season_version: int
    pool_name: str
    error: str | None
    error_type: str | None
    blamed: str | None
    blamed_policy_version_id: uuid.UUID | None
    isolation: list[str | None] = Field(description="of each policy, where it is known")
    failed_at: datetime | None


class MatchAgain(BaseModel):
    """The match that replaces a failed one."""

    match_id: uuid.UUID
    sentence: str


class AuditRow(BaseModel):
    """A decision of an administrator."""

    at: datetime
    actor: str = Field(description="name of the administrator's account")
    action: str = Field(description="such as `network.grant`")
    details: dict[str, str | None]
