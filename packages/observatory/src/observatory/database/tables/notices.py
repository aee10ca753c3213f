"""Notices for users, their deliveries by e-mail and webhook, and each user's settings."""

from __future__ import annotations

import uuid
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from observatory.database.base import Base, Json, enum_type, new_id

__all__ = [
    "ChallengeRule",
    "Channel",
    "DeliveryStatus",
    "Notice",
    "NoticeDelivery",
    "NoticeKind",
    "NoticeSettings",
    "TableRanks",
]


class NoticeKind(StrEnum):
    """The kind of event that a notice is about."""

    MATCH = "match"
    """matches of an own policy ended"""
    FAILURE = "failure"
    """an own policy failed"""
    PROMOTION = "promotion"
    """an own policy qualified, was promoted, relegated or disqualified, became a champion, or finished a season"""
    OVERTAKEN = "overtaken"
    """another policy overtook an own one in a table"""
    CHALLENGE = "challenge"
    """a challenge was received, answered or played"""


class Channel(StrEnum):
    """A way in which a notice leaves the server."""

    EMAIL = "email"
    WEBHOOK = "webhook"


class ChallengeRule(StrEnum):
    """The challenges that the policies of a user accept."""

    ACCEPT = "accept"
    """all: the match is played at once"""
    ASK = "ask"
    """those that the user accepts"""
    REFUSE = "refuse"
    """none"""


class DeliveryStatus(StrEnum):
    """The state of a delivery."""

    WAITING = "waiting"
    """is sent when it is due"""
    SENDING = "sending"
    """a server is sending it"""
    SENT = "sent"
    """the receiver accepted it; final"""
    FAILED = "failed"
    """every attempt was refused, or it is unknown whether it arrived; final"""
    SKIPPED = "skipped"
    """the user read the notice first, or switched the channel off; final"""


class Notice(Base):
    """A sentence for a user. A later event with the same `topic` is added to an unread notice of the same day."""

    __tablename__ = "notices"
    __table_args__ = (Index(None, "user_id", "updated_at"), Index(None, "user_id", "kind", "topic"))

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=new_id)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"))
    kind: Mapped[NoticeKind] = mapped_column(enum_type(NoticeKind))
    topic: Mapped[str] = mapped_column(String(200))
    """events of one topic share a notice"""
    title: Mapped[str] = mapped_column(String(300))
    text: Mapped[str] = mapped_column(Text)
    url: Mapped[str] = mapped_column(String(300))
    """path of the page that it is about"""
    events: Mapped[int] = mapped_column(default=1)
    details: Mapped[dict[str, Any]]
    """running totals of a notice about several events"""
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]
    read_at: Mapped[datetime | None]

    deliveries: Mapped[list[NoticeDelivery]] = relationship(back_populates="notice")


class NoticeDelivery(Base):
    """A notice on its way out; at most one per notice and channel."""

    __tablename__ = "notice_deliveries"
    __table_args__ = (Index(None, "status", "due_at"),)

    notice_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("notices.id"), primary_key=True)
    channel: Mapped[Channel] = mapped_column(enum_type(Channel), primary_key=True)
    status: Mapped[DeliveryStatus] = mapped_column(enum_type(DeliveryStatus), default=DeliveryStatus.WAITING)
    attempts: Mapped[int] = mapped_column(default=0)
    due_at: Mapped[datetime]
    """when it is sent; while it is being sent, when that counts as lost"""
    error: Mapped[str | None] = mapped_column(String(500))
    """of the last attempt"""
    ended_at: Mapped[datetime | None]

    notice: Mapped[Notice] = relationship(back_populates="deliveries")


class NoticeSettings(Base):
    """Which notices a user wants, and where. A user without a row has the defaults."""

    __tablename__ = "notice_settings"

    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"), primary_key=True)
    kinds: Mapped[dict[str, Any]] = mapped_column(Json, default=dict)
    """by kind: the list of `page`, `email` and `webhook`; a kind that is missing has its default"""
    email: Mapped[str | None] = mapped_column(String(255))
    """where e-mail goes, once it is confirmed"""
    email_confirmed_at: Mapped[datetime | None]
    email_asked_at: Mapped[datetime | None]
    """when the last e-mail with a link for the confirmation was sent"""
    webhook_url: Mapped[str | None] = mapped_column(String(1000))
    webhook_nonce: Mapped[str | None] = mapped_column(String(64))
    """from which the secret of the webhook is derived"""
    challenges: Mapped[ChallengeRule] = mapped_column(enum_type(ChallengeRule), default=ChallengeRule.ASK)


class TableRanks(Base):
    """The ranks in the table of a pool that were reported to its members last."""

    __tablename__ = "table_ranks"

    pool_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("pools.id"), primary_key=True)
    ranks: Mapped[dict[str, Any]]
    """by policy version"""
    updated_at: Mapped[datetime]
    final_at: Mapped[datetime | None]
    """when the end of the season was reported to the members"""
