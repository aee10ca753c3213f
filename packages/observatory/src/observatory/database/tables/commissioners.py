"""Container commissioners: what they were asked, every message, and the episodes they asked for."""

from __future__ import annotations

import uuid
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from observatory.database.base import Base, Json, enum_type, new_id
from observatory.database.tables.jobs import Job
from observatory.database.tables.leagues import League, Round
from observatory.database.tables.requests import EpisodeRequest

__all__ = [
    "CommissionerEpisode",
    "CommissionerMessage",
    "CommissionerPhase",
    "CommissionerRun",
    "CommissionerRunStatus",
    "LeagueCommissioner",
]


class LeagueCommissioner(Base):
    """How far a league has come with its commissioner."""

    __tablename__ = "league_commissioners"

    league_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("leagues.id"), primary_key=True)
    version: Mapped[str | None] = mapped_column(String(64))
    """digest of the program and the configuration for which the league was migrated last"""
    refused: Mapped[list[Any]] = mapped_column(Json, default=list)
    """questions after a round that this version does not answer, so that they are not asked again"""
    scheduled_at: Mapped[datetime | None]
    """when the commissioner was last asked for rounds"""
    problem: Mapped[str | None] = mapped_column(Text)
    """why the last conversation failed"""
    failed_at: Mapped[datetime | None]


class CommissionerPhase(StrEnum):
    """What a conversation is about."""

    MIGRATION = "migration"
    """a new commissioner says which divisions there are, and who belongs where"""
    SCHEDULING = "scheduling"
    """the commissioner says which rounds to play"""
    ROUND = "round"
    """the commissioner runs a round"""
    REVIEW = "review"
    """after a round, the commissioner is asked for moves, the leaderboard and a description"""


class CommissionerRunStatus(StrEnum):
    RUNNING = "running"
    """waits for a worker, or talks"""
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class CommissionerRun(Base):
    """A conversation with a commissioner. It survives the program: another connection continues it."""

    __tablename__ = "commissioner_runs"
    __table_args__ = (UniqueConstraint("league_id", "idempotency_key"),)

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=new_id)
    league_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("leagues.id"))
    round_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("rounds.id"), index=True)
    phase: Mapped[CommissionerPhase] = mapped_column(enum_type(CommissionerPhase))
    status: Mapped[CommissionerRunStatus] = mapped_column(enum_type(CommissionerRunStatus), index=True)
    coworld_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("coworlds.id"))
    runnable_id: Mapped[str] = mapped_column(String(200))
    """of the commissioner in the manifest"""
    version: Mapped[str] = mapped_column(String(64))
    idempotency_key: Mapped[str | None] = mapped_column(String(200))
    """of a round, as the commissioner chose it: the same key never makes a second round"""
    opening: Mapped[dict[str, Any] | None] = mapped_column(Json)
    """the first message, frozen when it was first sent"""
    plan: Mapped[dict[str, Any]]
    """what the phase has to remember between messages"""
    job_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("jobs.id"), unique=True)
    connection: Mapped[int] = mapped_column(default=0)
    """number of the current connection; every start of the program makes a new one"""
    is_connected: Mapped[bool] = mapped_column(default=False)
    failures: Mapped[int] = mapped_column(default=0)
    """programs that ended before the conversation did"""
    active_at: Mapped[datetime | None]
    """when the last message was sent or received"""
    error: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime]
    completed_at: Mapped[datetime | None]

    league: Mapped[League] = relationship()
    round: Mapped[Round | None] = relationship()
    job: Mapped[Job | None] = relationship()


class CommissionerMessage(Base):
    """One message. Messages are only added."""

    __tablename__ = "commissioner_messages"
    __table_args__ = (
        UniqueConstraint("run_id", "connection", "from_commissioner", "number", name="uq_commissioner_messages_number"),
    )

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=new_id)
    run_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("commissioner_runs.id"))
    connection: Mapped[int]
    from_commissioner: Mapped[bool]
    number: Mapped[int]
    """counts the messages of one direction of a connection, from 1"""
    message_type: Mapped[str] = mapped_column(String(64))
    content: Mapped[dict[str, Any]]
    created_at: Mapped[datetime]


class CommissionerEpisode(Base):
    """An episode that a commissioner asked for in a round. It is played once, however often it is asked for."""

    __tablename__ = "commissioner_episodes"

    run_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("commissioner_runs.id"), primary_key=True)
    request_id: Mapped[str] = mapped_column(String(200), primary_key=True)
    """as the commissioner calls it"""
    episode_request_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("episode_requests.id"), unique=True)
    requested: Mapped[dict[str, Any]]
    asked_on: Mapped[int]
    """the last connection that asked for it"""
    reported_on: Mapped[int] = mapped_column(default=0)
    """the last connection that received its result"""
    cancelled: Mapped[bool] = mapped_column(default=False)
    """by the commissioner, which gets no result for it"""

    episode: Mapped[EpisodeRequest] = relationship()
