"""Response schemas for operators."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from observatory.accounts.schemas import UserRead
from observatory.job_states import JobStatus
from observatory.wire import Body

__all__ = [
    "AdminJob",
    "AdminWorker",
    "AuditPage",
    "AuditRow",
    "Failure",
    "InvitationRow",
    "MatchAgain",
    "QuotaChange",
    "QuotaRow",
    "UserLine",
    "UsersPage",
    "WorkerChanged",
]


class AdminWorker(BaseModel):
    """A worker seen in the last day, and its current job."""

    name: str
    last_seen_at: datetime | None
    job_id: uuid.UUID | None
    match_id: uuid.UUID | None
    since: datetime | None
    lease_expires_at: datetime | None
    labels: list[str] = Field(description="that the worker was started with, or found on its machine")
    cpus: int | None = Field(description="that it may use")
    gpus: int | None = Field(description="that it may use")
    memory_mb: int | None = Field(description="of its machine")
    unable: str | None = Field(description="why it takes no jobs now, such as a full disk")
    drained_at: datetime | None = Field(description="since when it gets no more jobs")


class WorkerChanged(BaseModel):
    """The change of a worker."""

    name: str
    sentence: str


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


class AuditPage(BaseModel):
    """A part of the audit log, newest first."""

    rows: list[AuditRow]
    next_cursor: str | None
    actions: list[str] = Field(description="the kinds of decisions that the log has")


class InvitationRow(BaseModel):
    """An invitation without its link, which is shown only when it is created."""

    id: uuid.UUID
    account: str | None = Field(description="whose new password it is for; null for new accounts")
    is_admin: bool
    note: str
    created_by: str | None
    uses: int
    max_uses: int
    state: Literal["open", "used", "expired", "revoked"]
    created_at: datetime
    expires_at: datetime


class QuotaRow(BaseModel):
    """What a user may store and upload, and has. A limit of its own is not null."""

    user_id: str
    stored_bytes: int
    uploads_today: int
    max_stored_bytes: int | None
    max_uploads_per_day: int | None


class UserLine(BaseModel):
    """An account with its quota."""

    user: UserRead
    quota: QuotaRow


class UsersPage(BaseModel):
    """Accounts that fit the search, oldest first, and the limits of users without their own."""

    users: list[UserLine]
    total: int
    default_max_stored_bytes: int
    default_max_uploads_per_day: int


class QuotaChange(Body):
    """Limits of a user; null means the server's."""

    max_stored_bytes: int | None = Field(default=None, ge=0, le=1 << 50)
    max_uploads_per_day: int | None = Field(default=None, ge=0, le=1_000_000)
