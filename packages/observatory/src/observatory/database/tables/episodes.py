"""Episodes: the game, its policies and its results."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column, relationship

from observatory.database import Base, Json
from observatory.database.tables.policies import PolicyVersion
from observatory.database.tables.seasons import Season

__all__ = ["Episode", "EpisodePolicy", "EpisodeTag"]


class Episode(Base):
    """A game that was played to its end.

    It is public, unless it belongs to a season that is not public, or to one user: then only staff, that user and, if
    it was played on request, the owners of its policies see it.
    """

    __tablename__ = "episodes"
    __table_args__ = (Index("ix_episodes_created_at_id", "created_at", "id"),)

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    job_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("jobs.id"), unique=True)
    season_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("seasons.id"))
    owner_id: Mapped[str | None] = mapped_column(ForeignKey("users.id"))
    """the owner of an episode that is not public"""
    replay_key: Mapped[str | None] = mapped_column(String(300))
    """where the store has the replay"""
    replay_url: Mapped[str | None] = mapped_column(String(2000))
    """of a replay on another server"""
    thumbnail_url: Mapped[str | None] = mapped_column(String(2000))
    attributes: Mapped[dict[str, Any]]
    eval_task_id: Mapped[uuid.UUID | None]
    primary_policy_version_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("policy_versions.id"), index=True)
    game_stats: Mapped[dict[str, Any]]
    steps: Mapped[int | None]
    created_at: Mapped[datetime]

    season: Mapped[Season | None] = relationship()
    tags: Mapped[list[EpisodeTag]] = relationship(order_by="EpisodeTag.key")
    policies: Mapped[list[EpisodePolicy]] = relationship(order_by="EpisodePolicy.position")

    @property
    def is_public(self) -> bool:
        """Return whether the episode is public."""
        return self.owner_id is None and (self.season is None or self.season.public)


class EpisodeTag(Base):
    __tablename__ = "episode_tags"
    __table_args__ = (Index("ix_episode_tags_key_value", "key", "value"),)

    episode_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("episodes.id"), primary_key=True)
    key: Mapped[str] = mapped_column(String(100), primary_key=True)
    value: Mapped[str] = mapped_column(String(500))


class EpisodePolicy(Base):
    """The result of one policy; `agents` are the rows of the response."""

    __tablename__ = "episode_policies"

    episode_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("episodes.id"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    policy_version_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("policy_versions.id"), index=True)
    name: Mapped[str | None] = mapped_column(String(200))
    """of a policy that is not a version on this server"""
    num_agents: Mapped[int]
    avg_reward: Mapped[float]
    avg_metrics: Mapped[dict[str, Any]]
    agents: Mapped[list[dict[str, Any]]] = mapped_column(Json)

    policy_version: Mapped[PolicyVersion | None] = relationship()
