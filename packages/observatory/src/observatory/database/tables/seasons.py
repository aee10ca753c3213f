"""Seasons, their pools, members and teams."""

from __future__ import annotations

import uuid
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, String, Text, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from observatory.database import Base, enum_type
from observatory.database.tables.policies import PolicyVersion
from softmax.wire.states import SeasonStatus, TournamentType

__all__ = [
    "EnvConfig",
    "MembershipAction",
    "MembershipChange",
    "Pool",
    "PoolPlayer",
    "Season",
    "SeasonLife",
    "SeasonStatus",
    "Team",
    "TeamMember",
    "TournamentType",
]


class MembershipAction(StrEnum):
    """What happened to a policy in a pool."""

    ADD = "add"
    REMOVE = "remove"


class SeasonLife(StrEnum):
    """The life of a season, for the people who run it. Published clients see `SeasonStatus`."""

    DRAFT = "draft"
    """administrators prepare it; others do not see it"""
    OPEN = "open"
    """takes policies; its matches have not started"""
    PLAYING = "playing"
    """plays matches"""
    CLOSED = "closed"
    """takes no policies and plays no matches; can be reopened"""
    ENDED = "ended"
    """its results are final and its seeds public"""


class EnvConfig(Base):
    """The game of a pool. One row per content."""

    __tablename__ = "env_configs"

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    game_engine: Mapped[str] = mapped_column(String(64))
    config: Mapped[dict[str, Any]]
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[datetime]


class Season(Base):
    """One version of a season. One version of each name is canonical: the one meant when no version is named."""

    __tablename__ = "seasons"
    __table_args__ = (
        UniqueConstraint("name", "version"),
        Index(
            "uq_seasons_canonical_name",
            "name",
            unique=True,
            sqlite_where=text("canonical"),
            postgresql_where=text("canonical"),
        ),
        Index(
            "uq_seasons_default_of_type",
            "tournament_type",
            unique=True,
            sqlite_where=text("is_default"),
            postgresql_where=text("is_default"),
        ),
    )

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(100))
    version: Mapped[int]
    canonical: Mapped[bool]
    display_name: Mapped[str] = mapped_column(String(200))
    summary: Mapped[str] = mapped_column(Text)
    game_description: Mapped[str | None] = mapped_column(Text)
    tournament_type: Mapped[TournamentType] = mapped_column(enum_type(TournamentType))
    compat_version: Mapped[str | None] = mapped_column(String(32))
    public: Mapped[bool]
    is_default: Mapped[bool]
    auto_roll_hour_utc: Mapped[int | None]
    entry_pool: Mapped[str | None] = mapped_column(String(100))
    leaderboard_pool: Mapped[str | None] = mapped_column(String(100))
    config: Mapped[dict[str, Any]]
    """how it is played: `observatory.seasons.config`"""
    source: Mapped[str | None] = mapped_column(Text)
    """the original YAML"""
    seed: Mapped[int] = mapped_column(BigInteger)
    """the source of all randomness of the season, so that it can be reproduced"""
    created_at: Mapped[datetime]
    opened_at: Mapped[datetime | None]
    """when it was shown to everyone and took policies; None for a draft, which is also disabled"""
    started_at: Mapped[datetime | None]
    completed_at: Mapped[datetime | None]
    disabled_at: Mapped[datetime | None]

    pools: Mapped[list[Pool]] = relationship(back_populates="season", order_by="Pool.position")

    @property
    def status(self) -> SeasonStatus:
        if self.completed_at is not None:
            return SeasonStatus.complete
        return SeasonStatus.not_started if self.started_at is None else SeasonStatus.in_progress

    @property
    def life(self) -> SeasonLife:
        if self.completed_at is not None:
            return SeasonLife.ENDED
        if self.opened_at is None:
            return SeasonLife.DRAFT
        if self.disabled_at is not None:
            return SeasonLife.CLOSED
        return SeasonLife.OPEN if self.started_at is None else SeasonLife.PLAYING


class Pool(Base):
    """A part of a season in which policies play the same game."""

    __tablename__ = "pools"
    __table_args__ = (UniqueConstraint("season_id", "name"),)

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    season_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("seasons.id"))
    name: Mapped[str] = mapped_column(String(100))
    position: Mapped[int]
    """order in which pools are shown and served"""
    description: Mapped[str] = mapped_column(Text)
    config_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("env_configs.id"))

    season: Mapped[Season] = relationship(back_populates="pools")


class PoolPlayer(Base):
    """A policy version in a pool. One that left is retired; a row is deleted only with a version that never played."""

    __tablename__ = "pool_players"
    __table_args__ = (UniqueConstraint("pool_id", "policy_version_id"),)

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    pool_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("pools.id"))
    policy_version_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("policy_versions.id"), index=True)
    retired: Mapped[bool]
    created_at: Mapped[datetime]

    pool: Mapped[Pool] = relationship()
    policy_version: Mapped[PolicyVersion] = relationship()


class MembershipChange(Base):
    """Every change of a membership, with its reason."""

    __tablename__ = "membership_changes"

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    pool_player_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("pool_players.id"), index=True)
    action: Mapped[MembershipAction] = mapped_column(enum_type(MembershipAction))
    notes: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime]


class Team(Base):
    """Policies that play together; a team that advances to the next pool is copied there."""

    __tablename__ = "teams"

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    pool_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("pools.id"), index=True)
    parent_team_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("teams.id"))
    position: Mapped[int] = mapped_column(default=0)
    """order in the pool, from 0"""
    score: Mapped[float | None]
    eliminated: Mapped[bool]
    notes: Mapped[str | None] = mapped_column(Text)
    """why it is out"""
    created_at: Mapped[datetime]

    pool: Mapped[Pool] = relationship()
    members: Mapped[list[TeamMember]] = relationship(order_by="TeamMember.position")


class TeamMember(Base):
    """A seat of a team; one policy may have several."""

    __tablename__ = "team_members"

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("teams.id"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    policy_version_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("policy_versions.id"), index=True)

    policy_version: Mapped[PolicyVersion] = relationship()
