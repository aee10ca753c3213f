"""The queue."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from observatory.database.base import Base, Json, enum_type, new_id
from observatory.jobs.states import JobStatus

__all__ = ["Job"]


class Job(Base):
    """An episode to be played, and what came of it."""

    __tablename__ = "jobs"
    __table_args__ = (Index(None, "status", "priority", "created_at"), Index(None, "user_id"))

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=new_id)
    job_type: Mapped[str] = mapped_column(String(32), default="episode")
    spec: Mapped[dict[str, Any]] = mapped_column(Json)
    """the `SingleEpisodeJob`; its policies are `metta://policy/<policy version>`"""
    status: Mapped[JobStatus] = mapped_column(enum_type(JobStatus), default=JobStatus.PENDING)
    priority: Mapped[int] = mapped_column(default=0)
    """greater comes first"""
    user_id: Mapped[str | None] = mapped_column(ForeignKey("users.id"))
    """who asked for it; None for the league itself"""

    attempts: Mapped[int] = mapped_column(default=0)
    """leases so far; the files of a lease lie in a folder of this number until it is finished"""
    lost_leases: Mapped[int] = mapped_column(default=0)
    """leases that ran out"""
    worker: Mapped[str | None] = mapped_column(String(200))
    job_token_hash: Mapped[str | None] = mapped_column(String(64))
    """of the current or the last lease"""
    lease_expires_at: Mapped[datetime | None]
    secrets_given_at: Mapped[datetime | None]
    """when the holder of the current lease took the policies' secrets"""

    result: Mapped[dict[str, Any] | None] = mapped_column(Json)
    error: Mapped[str | None] = mapped_column(Text)
    error_type: Mapped[str | None] = mapped_column(String(64))
    failed_policy_index: Mapped[int | None]
    episode_id: Mapped[uuid.UUID | None]

    created_at: Mapped[datetime]
    dispatched_at: Mapped[datetime | None]
    running_at: Mapped[datetime | None]
    completed_at: Mapped[datetime | None]
