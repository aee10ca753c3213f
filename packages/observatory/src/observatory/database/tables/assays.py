"""Assays and their jobs."""

from __future__ import annotations

import uuid
from datetime import datetime

from sqlalchemy import ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from observatory.database import Base, enum_type
from softmax.wire.states import AssayStatus

__all__ = ["AssayJob", "AssayRun", "AssayStatus"]


class AssayRun(Base):
    """One policy version on a list of missions."""

    __tablename__ = "assay_runs"

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    policy_version_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("policy_versions.id"), index=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"), index=True)
    name: Mapped[str | None] = mapped_column(String(200))
    compat_version: Mapped[str | None] = mapped_column(String(32))
    status: Mapped[AssayStatus] = mapped_column(enum_type(AssayStatus))
    error: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    completed_at: Mapped[datetime | None]


class AssayJob(Base):
    """One episode of an assay."""

    __tablename__ = "assay_jobs"

    job_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("jobs.id"), primary_key=True)
    run_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("assay_runs.id"), index=True)
    mission_name: Mapped[str] = mapped_column(String(200))
    episode: Mapped[int]
