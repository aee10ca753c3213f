"""Episodes of Coworlds on request, alone or many at once."""

from __future__ import annotations

import uuid
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from observatory.database.base import Base, enum_type, new_id
from observatory.database.tables.accounts import Player, User
from observatory.database.tables.coworlds import Coworld
from observatory.database.tables.jobs import Job
from observatory.database.tables.policies import PolicyVersion

__all__ = [
    "EpisodeRequest",
    "EpisodeRequestStatus",
    "EpisodeSeat",
    "EvidenceState",
    "ExperienceRequest",
    "ExperienceStatus",
    "RequestSource",
]


class ExperienceStatus(StrEnum):
    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    """every episode has ended, however it ended"""
    FAILED = "failed"
    CANCELLED = "cancelled"


class ExperienceRequest(Base):
    """A user requested episodes of a Coworld with a roster."""

    __tablename__ = "experience_requests"
    __table_args__ = (Index("ix_experience_requests_created_at_id", "created_at", "id"),)

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=new_id)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"), index=True)
    player_id: Mapped[str | None] = mapped_column(ForeignKey("players.id"))
    """of a request with a player's token"""
    coworld_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("coworlds.id"))
    league_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("leagues.id"))
    division_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("divisions.id"))
    variant_id: Mapped[str | None] = mapped_column(String(200))
    title: Mapped[str] = mapped_column(Text)
    description: Mapped[str] = mapped_column(Text)
    requested: Mapped[dict[str, Any]]
    """the body of the request"""
    status: Mapped[ExperienceStatus] = mapped_column(enum_type(ExperienceStatus))
    error: Mapped[str | None] = mapped_column(Text)
    episode_count: Mapped[int]
    created_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    completed_at: Mapped[datetime | None]

    coworld: Mapped[Coworld] = relationship()
    episodes: Mapped[list[EpisodeRequest]] = relationship(
        order_by="EpisodeRequest.number", back_populates="experience_request"
    )


class RequestSource(StrEnum):
    """Why an episode is played."""

    EXPERIENCE = "experience_request"
    COWORLD_UPLOAD = "coworld_upload"
    """to see that a new version of a game works"""
    ROUND = "round"
    LOBBY = "lobby"


class EpisodeRequestStatus(StrEnum):
    PENDING = "pending"
    SUBMITTED = "submitted"
    """a worker has leased its job"""
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class EvidenceState(StrEnum):
    PENDING = "pending"
    SEALED = "sealed"
    """every file of the episode is stored, or known not to exist"""


class EpisodeRequest(Base):
    """One episode of a Coworld to be played, and what came of it."""

    __tablename__ = "episode_requests"
    __table_args__ = (
        Index("ix_episode_requests_created_at_id", "created_at", "id"),
        Index("ix_episode_requests_coworld_id_source", "coworld_id", "source"),
    )

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=new_id)
    source: Mapped[RequestSource] = mapped_column(enum_type(RequestSource))
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"), index=True)
    """who asked; the owner of the game for its own episodes, of the league for those of rounds"""
    coworld_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("coworlds.id"))
    experience_request_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("experience_requests.id"), index=True)
    round_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("rounds.id"), index=True)
    number: Mapped[int]
    """its place in the request or the round"""
    variant_id: Mapped[str | None] = mapped_column(String(200))
    seed: Mapped[int | None] = mapped_column(BigInteger)
    max_steps: Mapped[int | None]
    game_config: Mapped[dict[str, Any]]
    tags: Mapped[dict[str, Any]]
    status: Mapped[EpisodeRequestStatus] = mapped_column(enum_type(EpisodeRequestStatus))
    job_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("jobs.id"), unique=True)
    episode_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("episodes.id"), unique=True)
    error: Mapped[str | None] = mapped_column(Text)
    error_type: Mapped[str | None] = mapped_column(String(64))
    failed_policy_index: Mapped[int | None]
    """the seat at fault, if any"""
    evidence: Mapped[EvidenceState] = mapped_column(enum_type(EvidenceState), default=EvidenceState.PENDING)
    revision: Mapped[int] = mapped_column(BigInteger, index=True)
    """rises with every change, over all episodes of the server"""
    created_at: Mapped[datetime]
    completed_at: Mapped[datetime | None]

    coworld: Mapped[Coworld] = relationship()
    job: Mapped[Job | None] = relationship()
    experience_request: Mapped[ExperienceRequest | None] = relationship(back_populates="episodes")
    seats: Mapped[list[EpisodeSeat]] = relationship(order_by="EpisodeSeat.position")


class EpisodeSeat(Base):
    """The policy or the person in a seat. Without either, a player of the game itself has the seat."""

    __tablename__ = "episode_seats"

    episode_request_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("episode_requests.id"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    policy_version_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("policy_versions.id"), index=True)
    player_id: Mapped[str | None] = mapped_column(ForeignKey("players.id"))
    game_player_id: Mapped[str | None] = mapped_column(String(200))
    """its id in the manifest"""
    user_id: Mapped[str | None] = mapped_column(ForeignKey("users.id"), index=True)
    """the person in a seat of a lobby"""
    is_filler: Mapped[bool] = mapped_column(default=False)
    score: Mapped[float | None]

    policy_version: Mapped[PolicyVersion | None] = relationship()
    player: Mapped[Player | None] = relationship()
    user: Mapped[User | None] = relationship()
