"""Quotas of the store per user."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from observatory.database.tables.administration import UserQuota
from observatory.database.tables.coworlds import ContentFile
from observatory.database.tables.images import Blob, BlobOwner, BlobUpload
from observatory.database.tables.jobs import Job, PolicyLog
from observatory.database.tables.policies import Policy, PolicyVersion, Upload
from observatory.errors import TooLarge, TooManyRequests
from observatory.settings import MEGABYTE, Settings

__all__ = ["Limits", "check_stored_bytes", "check_uploads", "limits_of", "stored_bytes", "uploads_of_day"]


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


def uploads_of_day(session: Session, user_id: str, *, now: datetime) -> int:
    """Return how many uploads a user began in the last day."""
    begun = (Upload.user_id == user_id, Upload.created_at > now - timedelta(days=1))
    return session.scalar(select(func.count()).select_from(Upload).where(*begun)) or 0


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
    """Return the bytes of a user's bundles, images, policy logs and requested episodes.

    A blob counts for each user who sent it.
    """
    blobs = select(func.sum(Blob.size)).join(BlobOwner, BlobOwner.digest == Blob.digest)
    logs = select(func.sum(PolicyLog.bytes)).join(PolicyVersion, PolicyVersion.id == PolicyLog.policy_version_id)
    parts = (
        select(func.sum(PolicyVersion.bundle_bytes)).join(Policy).where(Policy.user_id == user_id),
        logs.join(Policy, Policy.id == PolicyVersion.policy_id).where(Policy.user_id == user_id),
        select(func.sum(Job.artifact_bytes)).where(Job.user_id == user_id),
        select(func.sum(ContentFile.size_bytes)).where(ContentFile.user_id == user_id),
        blobs.where(BlobOwner.user_id == user_id),
        select(func.sum(BlobUpload.received)).where(BlobUpload.user_id == user_id),
    )
    return sum(int(session.scalar(part) or 0) for part in parts)
