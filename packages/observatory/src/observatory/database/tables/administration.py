"""What administrators set: quotas of users, workers that get no more jobs."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from observatory.database.base import Base

__all__ = ["DrainedWorker", "UserQuota"]


class UserQuota(Base):
    """The limits of one user. None means the limit of the server's settings."""

    __tablename__ = "user_quotas"

    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"), primary_key=True)
    max_stored_bytes: Mapped[int | None] = mapped_column(BigInteger)
    max_uploads_per_day: Mapped[int | None]
    updated_at: Mapped[datetime]


class DrainedWorker(Base):
    """A worker that gets no more jobs; the one that it has is finished."""

    __tablename__ = "drained_workers"

    name: Mapped[str] = mapped_column(String(200), primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"))
    """the administrator who drained it"""
    created_at: Mapped[datetime]
