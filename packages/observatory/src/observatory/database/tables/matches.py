"""Matches and who plays in them."""

from __future__ import annotations

import uuid
from datetime import datetime
from enum import StrEnum

from sqlalchemy import BigInteger, ForeignKey, Index, LargeBinary, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from observatory.database import Base, Json, enum_type
from observatory.database.tables.jobs import Job
from observatory.database.tables.seasons import Pool, PoolPlayer

__all__ = ["IN_FLIGHT", "Match", "MatchLogSegment", "MatchPlayer", "MatchStatus", "may_move"]


class MatchStatus(StrEnum):
    """The state of a match. The API shows scheduled as pending."""

    PENDING = "pending"
    """decided, without a job yet"""
    SCHEDULED = "scheduled"
    """its job waits for a worker"""
    RUNNING = "running"
    """being played"""
    COMPLETED = "completed"
    """played and scored; final"""
    FAILED = "failed"
    """ended without scores; final"""
    CANCELLED = "cancelled"
    """not played, because its season was closed; scheduled again when the season is reopened"""


IN_FLIGHT = frozenset({MatchStatus.PENDING, MatchStatus.SCHEDULED, MatchStatus.RUNNING})

_ENDS = {MatchStatus.COMPLETED, MatchStatus.FAILED, MatchStatus.CANCELLED}

# A worker may be lost: its job, and with it the match, waits again.
_MOVES = {
    MatchStatus.PENDING: {MatchStatus.SCHEDULED, MatchStatus.RUNNING, *_ENDS},
    MatchStatus.SCHEDULED: {MatchStatus.RUNNING, *_ENDS},
    MatchStatus.RUNNING: {MatchStatus.SCHEDULED, *_ENDS},
    MatchStatus.COMPLETED: set[MatchStatus](),
    MatchStatus.FAILED: set[MatchStatus](),
    MatchStatus.CANCELLED: {MatchStatus.SCHEDULED},
}


def may_move(current: MatchStatus, target: MatchStatus) -> bool:
    return target in _MOVES[current]


class Match(Base):
    """One game of a pool. `combination` and `repetition` say which: none is scheduled twice."""

    __tablename__ = "matches"
    __table_args__ = (
        UniqueConstraint("pool_id", "combination", "repetition"),
        Index("ix_matches_pool_id_status", "pool_id", "status"),
        Index("ix_matches_pool_id_created_at", "pool_id", "created_at"),
        Index("ix_matches_pool_id_completed_order", "pool_id", "completed_order"),
    )

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    pool_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("pools.id"))
    job_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("jobs.id"), unique=True)
    team_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("teams.id"), index=True)
    combination: Mapped[str] = mapped_column(String(400))
    repetition: Mapped[int]
    """counts the matches made for the combination, failed ones too"""
    sample: Mapped[int]
    """which of the combination's games this is: seed and map follow from it. A rematch plays the sample that failed"""
    assignments: Mapped[list[int]] = mapped_column(Json)
    """for each agent a `policy_index` of the players"""
    seed: Mapped[int] = mapped_column(BigInteger)
    status: Mapped[MatchStatus] = mapped_column(enum_type(MatchStatus))
    error: Mapped[str | None] = mapped_column(Text)
    error_type: Mapped[str | None] = mapped_column(String(32))
    failed_policy_index: Mapped[int | None]
    """the policy at fault for a failure, if any"""
    picked_policy_index: Mapped[int | None]
    """the policy for which the commissioner scheduled it, if any"""
    reason: Mapped[str | None] = mapped_column(Text)
    """why it is played, in a sentence"""
    created_at: Mapped[datetime]
    completed_at: Mapped[datetime | None]
    completed_order: Mapped[int | None] = mapped_column(BigInteger, unique=True)
    """numbers the matches of the server in the order they ended, completed or failed; None until then, and for
    cancelled matches, which count for nothing"""

    pool: Mapped[Pool] = relationship()
    job: Mapped[Job | None] = relationship()
    players: Mapped[list[MatchPlayer]] = relationship(order_by="MatchPlayer.policy_index", back_populates="match")


class MatchPlayer(Base):
    """A policy in a match; the score is there once the match is completed."""

    __tablename__ = "match_players"

    match_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("matches.id"), primary_key=True)
    policy_index: Mapped[int] = mapped_column(primary_key=True)
    pool_player_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("pool_players.id"), index=True)
    num_agents: Mapped[int]
    score: Mapped[float | None]

    match: Mapped[Match] = relationship(back_populates="players")
    pool_player: Mapped[PoolPlayer] = relationship()


class MatchLogSegment(Base):
    """A part of the log of a pool's ended matches as columns, so that a server that starts need not read the rows.

    It says nothing that the rows do not say, and may be removed at any time. Segments never change, and the next one
    begins where the last one ends.
    """

    __tablename__ = "match_log_segments"

    pool_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("pools.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    last_order: Mapped[int] = mapped_column(BigInteger)
    """the `completed_order` of its last match"""
    matches: Mapped[int]
    data: Mapped[bytes] = mapped_column(LargeBinary)
    """`scoring.match_log.LogColumns`, packed"""
    created_at: Mapped[datetime]
