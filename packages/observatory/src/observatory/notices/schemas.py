"""Requests and responses about notices."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from observatory.database.tables.notices import ChallengeRule, Channel, DeliveryStatus, NoticeKind
from observatory.wire import Body

__all__ = [
    "DeliveryLine",
    "KindSetting",
    "NoticeLine",
    "NoticeSettingsPage",
    "NoticeSettingsUpdate",
    "NoticesPage",
    "NoticesRead",
    "Unread",
]

Place = Literal["page", "email", "webhook"]


class NoticeLine(BaseModel):
    """A notice; `url` is the path of the page that it is about."""

    id: uuid.UUID
    kind: NoticeKind
    title: str
    text: str
    url: str
    events: int
    """how many events it is about"""
    created_at: datetime
    updated_at: datetime
    read: bool


class NoticesPage(BaseModel):
    rows: list[NoticeLine]
    """newest first"""
    next_cursor: str | None
    unread: int


class Unread(BaseModel):
    """How many notices the user has not read."""

    unread: int


class NoticesRead(Body):
    """The notices that the user has read; without `ids` all of them."""

    ids: list[uuid.UUID] | None = Field(default=None, max_length=200)


class KindSetting(BaseModel):
    """Where notices of a kind go."""

    kind: NoticeKind
    page: bool
    email: bool
    webhook: bool


class DeliveryLine(BaseModel):
    """A recent delivery, for users who find out why nothing arrives."""

    channel: Channel
    status: DeliveryStatus
    title: str
    error: str | None
    at: datetime


class NoticeSettingsPage(BaseModel):
    kinds: list[KindSetting]
    has_email: bool
    """whether this server sends e-mail"""
    email: str | None
    email_confirmed: bool
    has_webhooks: bool
    webhook_url: str | None
    webhook_secret: str | None
    """signs what the webhook gets"""
    challenges: ChallengeRule
    deliveries: list[DeliveryLine]
    """the last ones, newest first"""


class NoticeSettingsUpdate(Body):
    """New settings; a field that is missing stays as it is, and null removes an address."""

    kinds: dict[NoticeKind, list[Place]] | None = None
    email: str | None = Field(default=None, max_length=255)
    webhook_url: str | None = Field(default=None, max_length=1000)
    new_webhook_secret: bool = False
    challenges: ChallengeRule | None = None
