"""Challenges and the friendly matches that come of them."""

from __future__ import annotations

import uuid
from datetime import datetime
from enum import StrEnum

from sqlalchemy import BigInteger, ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from observatory.database.base import Base, Json, enum_type, new_id
from observatory.database.tables.accounts import User
from observatory.database.tables.jobs import Job
from observatory.database.tables.policies import PolicyVersion

__all__ = ["ENDED_FRIENDLY", "OPEN_FRIENDLY", "Friendly", "FriendlyStatus"]


class FriendlyStatus(StrEnum):
    """The state of a friendly match."""

    ASKED = "asked"
    """the owner of the other policy has not answered"""
    DECLINED = "declined"
    """the owner of the other policy declined; final"""
    WITHDRAWN = "withdrawn"
    """the challenger withdrew, or the answer did not come in time; final"""
    WAITING = "waiting"
    """its job waits for a worker"""
    RUNNING = "running"
    """being played"""
    COMPLETED = "completed"
    """played and scored; final"""
    FAILED = "failed"
    """ended without scores; final"""


OPEN_FRIENDLY = frozenset({FriendlyStatus.ASKED, FriendlyStatus.WAITING, FriendlyStatus.RUNNING})
ENDED_FRIENDLY = frozenset({FriendlyStatus.COMPLETED, FriendlyStatus.FAILED})


class Friendly(Base):
    """A match that one user asked another for. It counts for no table."""

    __tablename__ = "friendlies"
    __table_args__ = (Index(None, "challenger_id", "created_at"), Index(None, "opponent_id", "created_at"))

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=new_id)
    challenger_id: Mapped[str] = mapped_column(ForeignKey("users.id"))
    opponent_id: Mapped[str] = mapped_column(ForeignKey("users.id"))
    """the owner of the other policy"""
    version_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("policy_versions.id"), index=True)
    """the policy version of the challenger"""
    opponent_version_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("policy_versions.id"), index=True)
    mission: Mapped[str] = mapped_column(String(200))
    """for people: the season whose game it is, or the mission"""
    season: Mapped[str | None] = mapped_column(String(100))
    """name of the season whose game it is"""
    env_config_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("env_configs.id"))
    assignments: Mapped[list[int]] = mapped_column(Json)
    """for each agent 0 for the challenger's policy, or 1"""
    seed: Mapped[int] = mapped_column(BigInteger)
    status: Mapped[FriendlyStatus] = mapped_column(enum_type(FriendlyStatus))
    job_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("jobs.id"), unique=True)
    score: Mapped[float | None]
    opponent_score: Mapped[float | None]
    error: Mapped[str | None] = mapped_column(Text)
    error_type: Mapped[str | None] = mapped_column(String(64))
    failed_policy_index: Mapped[int | None]
    created_at: Mapped[datetime]
    answered_at: Mapped[datetime | None]
    completed_at: Mapped[datetime | None]

    challenger: Mapped[User] = relationship(foreign_keys=[challenger_id])
    opponent: Mapped[User] = relationship(foreign_keys=[opponent_id])
    version: Mapped[PolicyVersion] = relationship(foreign_keys=[version_id])
    opponent_version: Mapped[PolicyVersion] = relationship(foreign_keys=[opponent_version_id])
    job: Mapped[Job | None] = relationship()
