"""Quotas of the store per user."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from observatory.database.tables.administration import UserQuota
from observatory.database.tables.coworlds import ContentFile
from observatory.database.tables.images import Blob, BlobOwner, BlobUpload
from observatory.database.tables.jobs import Job, PolicyLog
from observatory.database.tables.policies import Policy, PolicyVersion, Upload
from observatory.errors import TooLarge, TooManyRequests
from observatory.settings import MEGABYTE, Settings

__all__ = [
    "Limits",
    "check_stored_bytes",
    "check_uploads",
    "limits_of",
    "stored_bytes",
    "stored_bytes_of",
    "uploads_of_day",
]


@dataclass(frozen=True)
class Limits:
    """What a user may store and upload."""

    stored_bytes: int
    uploads_per_day: int


def limits_of(session: Session, user_id: str, *, settings: Settings) -> Limits:
    """Return the limits that an administrator set for a user, else those of the server."""
    own = session.get(UserQuota, user_id)
    stored = None if own is None else own.max_stored_bytes
    uploads = None if own is None else own.max_uploads_per_day
    return Limits(
        settings.max_stored_bytes_per_user if stored is None else stored,
        settings.max_uploads_per_day if uploads is None else uploads,
    )


def uploads_of_day(session: Session, user_ids: Collection[str], *, now: datetime) -> dict[str, int]:
    """Return how many uploads users began in the last day."""
    begun = (Upload.user_id.in_(user_ids), Upload.created_at > now - timedelta(days=1))
    rows = session.execute(select(Upload.user_id, func.count()).where(*begun).group_by(Upload.user_id))
    return dict.fromkeys(user_ids, 0) | {row[0]: row[1] for row in rows}


def check_uploads(session: Session, user_id: str, *, settings: Settings, now: datetime) -> None:
    """Raise 429 for an upload beyond the daily limit."""
    day = select(Upload.created_at).where(Upload.user_id == user_id, Upload.created_at > now - timedelta(days=1))
    started_at = session.scalars(day.order_by(Upload.created_at)).all()
    allowed = limits_of(session, user_id, settings=settings).uploads_per_day
    if len(started_at) >= allowed:
        wait = started_at[-allowed] + timedelta(days=1) - now if allowed else timedelta(days=1)
        raise TooManyRequests(f"You may begin {allowed} uploads a day", retry_after=int(wait.total_seconds()) + 1)


def check_stored_bytes(session: Session, user_id: str, new_bytes: int, *, settings: Settings) -> None:
    """Raise 413 for a bundle or an episode that exceeds the quota."""
    stored = stored_bytes(session, user_id)
    allowed = limits_of(session, user_id, settings=settings).stored_bytes
    if stored + new_bytes > allowed:
        raise TooLarge(
            "Your policies, their logs, your images and your episodes would take "
            f"{(stored + new_bytes) // MEGABYTE} MB; "
            f"your quota is {allowed // MEGABYTE} MB"
        )


def stored_bytes(session: Session, user_id: str) -> int:
    """Return the bytes of a user's bundles, images, policy logs and requested episodes."""
    return stored_bytes_of(session, [user_id])[user_id]


def stored_bytes_of(session: Session, user_ids: Collection[str]) -> dict[str, int]:
    """Return the bytes of users. A blob counts for each user who sent it."""
    blobs = select(BlobOwner.user_id, func.sum(Blob.size)).join(Blob, Blob.digest == BlobOwner.digest)
    logs = select(Policy.user_id, func.sum(PolicyLog.bytes)).join(PolicyVersion, PolicyVersion.policy_id == Policy.id)
    parts: list[tuple[Select[Any, Any], Any]] = [
        (select(Policy.user_id, func.sum(PolicyVersion.bundle_bytes)).join(PolicyVersion), Policy.user_id),
        (logs.join(PolicyLog, PolicyLog.policy_version_id == PolicyVersion.id), Policy.user_id),
        (select(Job.user_id, func.sum(Job.artifact_bytes)), Job.user_id),
        (select(ContentFile.user_id, func.sum(ContentFile.size_bytes)), ContentFile.user_id),
        (blobs, BlobOwner.user_id),
        (select(BlobUpload.user_id, func.sum(BlobUpload.received)), BlobUpload.user_id),
    ]
    totals = dict.fromkeys(user_ids, 0)
    for statement, user_id in parts:
        for owner, size in session.execute(statement.where(user_id.in_(user_ids)).group_by(user_id)):
            totals[owner] += int(size or 0)
    return totals
