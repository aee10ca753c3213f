"""Leagues: games, seeds, divisions, who plays in them, rounds and events."""

from __future__ import annotations

import uuid
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ForeignKey, Index, String, Text, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from observatory.database.base import Base, Json, enum_type, new_id
from observatory.database.tables.accounts import Player
from observatory.database.tables.policies import PolicyVersion

__all__ = [
    "AutoChampion",
    "CompetitionEvent",
    "Division",
    "DivisionType",
    "EventAudience",
    "GradeRequest",
    "LadderRating",
    "League",
    "LeagueGame",
    "LeagueSeed",
    "LeagueSubmission",
    "Membership",
    "MembershipEvent",
    "MembershipStatus",
    "RecordedWindow",
    "Round",
    "RoundResult",
    "RoundStatus",
    "SubmissionStatus",
]


class LeagueGame(Base):
    """A game that leagues are about; its versions are Coworlds of this name."""

    __tablename__ = "league_games"

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=new_id)
    name: Mapped[str] = mapped_column(String(200))
    slug: Mapped[str] = mapped_column(String(200))
    coworld_name: Mapped[str] = mapped_column(String(200), unique=True)
    description: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime]


class League(Base):
    """A competition in one game."""

    __tablename__ = "leagues"
    __table_args__ = (Index("ix_leagues_created_at_id", "created_at", "id"),)

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=new_id)
    game_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("league_games.id"), index=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"))
    """its owner"""
    name: Mapped[str] = mapped_column(String(200))
    slug: Mapped[str] = mapped_column(String(200))
    default_variant_id: Mapped[str | None] = mapped_column(String(200))
    commissioner_key: Mapped[str] = mapped_column(String(100), default="platform")
    commissioner_config: Mapped[dict[str, Any]]
    public: Mapped[bool] = mapped_column(default=False)
    hidden: Mapped[bool] = mapped_column(default=False)
    is_game_of_week: Mapped[bool] = mapped_column(default=False)
    settings: Mapped[dict[str, Any]]
    settings_revision: Mapped[int] = mapped_column(default=1)
    seed_policies: Mapped[dict[str, Any]]
    """policy versions that take neutral seats, and how many of them: `policy_version_ids` and `count`"""
    state: Mapped[dict[str, Any]]
    """what its commissioner wants to remember"""
    submissions_locked_at: Mapped[datetime | None]
    locked_coworld_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("coworlds.id"))
    """the version it plays; without one, the canonical version of its game"""
    rounds_paused_at: Mapped[datetime | None]
    round_triggered_at: Mapped[datetime | None]
    """each division whose last round is older starts one as soon as it can"""
    disabled_at: Mapped[datetime | None]
    created_at: Mapped[datetime]

    game: Mapped[LeagueGame] = relationship()
    divisions: Mapped[list[Division]] = relationship(order_by="Division.level.desc()", back_populates="league")


class LeagueSeed(Base):
    """What an operator wants a league to be; the league follows it."""

    __tablename__ = "league_seeds"
    __table_args__ = (UniqueConstraint("coworld_name", "league_key"),)

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=new_id)
    coworld_name: Mapped[str] = mapped_column(String(200))
    league_key: Mapped[str] = mapped_column(String(200))
    league_name: Mapped[str] = mapped_column(String(200))
    default_variant_id: Mapped[str | None] = mapped_column(String(200))
    template: Mapped[str] = mapped_column(String(100))
    overrides: Mapped[dict[str, Any]]
    enabled: Mapped[bool] = mapped_column(default=True)
    created_by: Mapped[str] = mapped_column(ForeignKey("users.id"))
    league_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("leagues.id"), unique=True)
    created_at: Mapped[datetime]


class DivisionType(StrEnum):
    COMPETITION = "competition"
    STAGING = "staging"


class Division(Base):
    __tablename__ = "divisions"
    __table_args__ = (UniqueConstraint("league_id", "name"),)

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=new_id)
    league_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("leagues.id"))
    name: Mapped[str] = mapped_column(String(200))
    level: Mapped[int]
    """the highest is the best"""
    type: Mapped[DivisionType] = mapped_column(enum_type(DivisionType))
    hidden: Mapped[bool] = mapped_column(default=False)
    description: Mapped[str | None] = mapped_column(Text)
    commissioner_description: Mapped[dict[str, Any] | None] = mapped_column(Json)
    leaderboards: Mapped[dict[str, Any] | None] = mapped_column(Json)
    """what the commissioner published last"""
    archived_at: Mapped[datetime | None]
    created_at: Mapped[datetime]

    league: Mapped[League] = relationship(back_populates="divisions")


class AutoChampion(StrEnum):
    ALWAYS = "always"
    NEVER = "never"
    LINEAGE = "lineage"
    """only if the champion is an earlier version of the same policy"""


class SubmissionStatus(StrEnum):
    PENDING = "pending"
    PROCESSING = "processing"
    PLACED = "placed"
    REJECTED = "rejected"


class LeagueSubmission(Base):
    """A player wants to enter a league with a policy version."""

    __tablename__ = "league_submissions"
    __table_args__ = (Index("ix_league_submissions_created_at_id", "created_at", "id"),)

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=new_id)
    league_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("leagues.id"), index=True)
    policy_version_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("policy_versions.id"), index=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"), index=True)
    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"))
    auto_champion: Mapped[AutoChampion] = mapped_column(enum_type(AutoChampion))
    preferences: Mapped[dict[str, Any]]
    status: Mapped[SubmissionStatus] = mapped_column(enum_type(SubmissionStatus))
    notes: Mapped[str | None] = mapped_column(Text)
    membership_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("memberships.id"))
    created_at: Mapped[datetime]

    league: Mapped[League] = relationship()
    policy_version: Mapped[PolicyVersion] = relationship()
    player: Mapped[Player] = relationship()


class MembershipStatus(StrEnum):
    SUBMITTED = "submitted"
    QUALIFYING = "qualifying"
    COMPETING = "competing"
    DISQUALIFIED = "disqualified"


class Membership(Base):
    """A policy version in a division. It is live until it has an end, unless it is disqualified."""

    __tablename__ = "memberships"
    __table_args__ = (
        Index("ix_memberships_created_at_id", "created_at", "id"),
        Index("ix_memberships_division_id_status", "division_id", "status"),
        Index(
            "uq_memberships_champion",
            "league_id",
            "player_id",
            unique=True,
            sqlite_where=text("is_champion"),
            postgresql_where=text("is_champion"),
        ),
    )

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=new_id)
    league_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("leagues.id"))
    division_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("divisions.id"))
    policy_version_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("policy_versions.id"), index=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"), index=True)
    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"))
    status: Mapped[MembershipStatus] = mapped_column(enum_type(MembershipStatus))
    substatus: Mapped[str | None] = mapped_column(String(100))
    is_champion: Mapped[bool] = mapped_column(default=False)
    """the version that its player nominates; at most one of a player in a league"""
    start_time: Mapped[datetime]
    end_time: Mapped[datetime | None]
    created_at: Mapped[datetime]

    league: Mapped[League] = relationship()
    division: Mapped[Division] = relationship()
    policy_version: Mapped[PolicyVersion] = relationship()
    player: Mapped[Player] = relationship()


class MembershipEvent(Base):
    """A change of a membership, and why."""

    __tablename__ = "membership_events"

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=new_id)
    membership_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("memberships.id"), index=True)
    from_division_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("divisions.id"))
    to_division_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("divisions.id"))
    status: Mapped[MembershipStatus] = mapped_column(enum_type(MembershipStatus))
    substatus: Mapped[str | None] = mapped_column(String(100))
    reason: Mapped[str] = mapped_column(Text)
    notes: Mapped[str | None] = mapped_column(Text)
    evidence: Mapped[list[dict[str, Any]]] = mapped_column(Json)
    created_at: Mapped[datetime]


class RoundStatus(StrEnum):
    PENDING = "pending"
    CLAIMED = "claimed"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    ABORTED = "aborted"


class Round(Base):
    """The entrants of a division play a set of episodes, and are ranked."""

    __tablename__ = "rounds"
    __table_args__ = (
        UniqueConstraint("division_id", "round_number"),
        Index("ix_rounds_created_at_id", "created_at", "id"),
        Index(
            "uq_rounds_active",
            "division_id",
            unique=True,
            sqlite_where=text("status IN ('pending', 'claimed', 'running')"),
            postgresql_where=text("status IN ('pending', 'claimed', 'running')"),
        ),
    )

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=new_id)
    division_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("divisions.id"))
    round_number: Mapped[int]
    commissioner_key: Mapped[str] = mapped_column(String(100))
    execution_backend: Mapped[str] = mapped_column(String(32), default="dispatch")
    round_config: Mapped[dict[str, Any]]
    round_display: Mapped[dict[str, Any] | None] = mapped_column(Json)
    plan: Mapped[dict[str, Any] | None] = mapped_column(Json, deferred=True)
    """of the platform ladder: settings, entrants, seats and seeds; it never changes"""
    log: Mapped[list[Any] | None] = mapped_column(Json, deferred=True)
    """of the platform ladder: what each planned episode counted"""
    settled_order: Mapped[int | None] = mapped_column(unique=True)
    """the order in which rounds changed ratings, over all leagues"""
    status: Mapped[RoundStatus] = mapped_column(enum_type(RoundStatus))
    error: Mapped[str | None] = mapped_column(Text)
    started_at: Mapped[datetime | None]
    completed_at: Mapped[datetime | None]
    created_at: Mapped[datetime]

    division: Mapped[Division] = relationship()
    results: Mapped[list[RoundResult]] = relationship(order_by="RoundResult.rank")


class RoundResult(Base):
    """The rank of an entrant in a completed round."""

    __tablename__ = "round_results"
    __table_args__ = (UniqueConstraint("round_id", "policy_version_id"),)

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=new_id)
    round_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("rounds.id"))
    policy_version_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("policy_versions.id"), index=True)
    player_id: Mapped[str | None] = mapped_column(ForeignKey("players.id"))
    rank: Mapped[int]
    score: Mapped[float]
    result_metadata: Mapped[dict[str, Any]]
    created_at: Mapped[datetime]

    policy_version: Mapped[PolicyVersion] = relationship()
    player: Mapped[Player | None] = relationship()


class LadderRating(Base):
    """What the platform ladder knows of a player: the fold of all settled rounds of its league."""

    __tablename__ = "ladder_ratings"

    league_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("leagues.id"), primary_key=True)
    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"), primary_key=True)
    standing: Mapped[dict[str, Any]]
    round_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("rounds.id"))
    """the last round that changed it"""


class GradeRequest(Base):
    """The owner of a continuous league wants champions to be graded again."""

    __tablename__ = "grade_requests"
    __table_args__ = (UniqueConstraint("league_id", "user_id", "idempotency_key"),)

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=new_id)
    league_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("leagues.id"))
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"))
    idempotency_key: Mapped[str] = mapped_column(String(200))
    policy_version_ids: Mapped[list[Any]] = mapped_column(Json)
    waiting: Mapped[list[Any]] = mapped_column(Json)
    """those that no round has yet"""
    created_at: Mapped[datetime]


class RecordedWindow(Base):
    """An interval of the lasting games of a persistent league, with the score of each player."""

    __tablename__ = "recorded_windows"
    __table_args__ = (UniqueConstraint("league_id", "source_id"),)

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=new_id)
    league_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("leagues.id"))
    source_id: Mapped[str] = mapped_column(String(200))
    """the recorder's name for it"""
    started_at: Mapped[datetime]
    ended_at: Mapped[datetime]
    episodes: Mapped[list[Any]] = mapped_column(Json)
    """player, policy version, score and evidence of each player, by player"""
    round_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("rounds.id"))
    """the round that counts it"""
    created_at: Mapped[datetime]


class EventAudience(StrEnum):
    PUBLIC = "public"
    USER = "user"
    """only the user that the event is about"""


class CompetitionEvent(Base):
    """Something happened in a league. Events are only added."""

    __tablename__ = "competition_events"
    __table_args__ = (Index("ix_competition_events_created_at_id", "created_at", "id"),)

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=new_id)
    event_type: Mapped[str] = mapped_column(String(64))
    audience: Mapped[EventAudience] = mapped_column(enum_type(EventAudience))
    user_id: Mapped[str | None] = mapped_column(ForeignKey("users.id"))
    player_id: Mapped[str | None] = mapped_column(ForeignKey("players.id"))
    policy_version_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("policy_versions.id"))
    league_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("leagues.id"), index=True)
    division_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("divisions.id"))
    round_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("rounds.id"))
    headline: Mapped[str] = mapped_column(Text)
    summary: Mapped[str] = mapped_column(Text)
    payload: Mapped[dict[str, Any]]
    created_at: Mapped[datetime]

    player: Mapped[Player | None] = relationship()
    policy_version: Mapped[PolicyVersion | None] = relationship()
    league: Mapped[League | None] = relationship()
    division: Mapped[Division | None] = relationship()
