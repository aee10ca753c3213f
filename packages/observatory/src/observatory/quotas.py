"""Quotas of the store per user."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from observatory.database.tables.coworlds import ContentFile
from observatory.database.tables.images import Blob, BlobOwner, BlobUpload
from observatory.database.tables.jobs import Job, PolicyLog
from observatory.database.tables.policies import Policy, PolicyVersion, Upload
from observatory.errors import TooLarge, TooManyRequests
from observatory.settings import MEGABYTE, Settings

__all__ = ["check_stored_bytes", "check_uploads", "stored_bytes"]


def check_uploads(session: Session, user_id: str, *, settings: Settings, now: datetime) -> None:
    """Raise 429 for an upload beyond the daily limit."""
    day = select(Upload.created_at).where(Upload.user_id == user_id, Upload.created_at > now - timedelta(days=1))
    started_at = session.scalars(day.order_by(Upload.created_at)).all()
    if len(started_at) >= settings.max_uploads_per_day:
        wait = started_at[-settings.max_uploads_per_day] + timedelta(days=1) - now
        raise TooManyRequests(
            f"You may begin {settings.max_uploads_per_day} uploads a day", retry_after=int(wait.total_seconds()) + 1
        )


def check_stored_bytes(session: Session, user_id: str, new_bytes: int, *, settings: Settings) -> None:
    """Raise 413 for a bundle or an episode that exceeds the quota."""
    stored = stored_bytes(session, user_id)
    if stored + new_bytes > settings.max_stored_bytes_per_user:
        raise TooLarge(
            "Your policies, their logs, your images and your episodes would take "
            f"{(stored + new_bytes) // MEGABYTE} MB; "
            f"your quota is {settings.max_stored_bytes_per_user // MEGABYTE} MB"
        )


def stored_bytes(session: Session, user_id: str | None = None) -> int:
    """Return the bytes of a user's bundles, images, policy logs and requested episodes, or of all users'.

    A blob counts for each user who sent it; for all users it counts once.
    """
    bundles = select(func.sum(PolicyVersion.bundle_bytes))
    blobs = select(func.sum(Blob.size))
    uploads = select(func.sum(BlobUpload.received))
    logs = select(func.sum(PolicyLog.bytes))
    episodes = select(func.sum(Job.artifact_bytes))
    files = select(func.sum(ContentFile.size_bytes))
    if user_id is not None:
        episodes = episodes.where(Job.user_id == user_id)
        files = files.where(ContentFile.user_id == user_id)
        blobs = blobs.join(BlobOwner, BlobOwner.digest == Blob.digest).where(BlobOwner.user_id == user_id)
        uploads = uploads.where(BlobUpload.user_id == user_id)
        bundles = bundles.join(Policy).where(Policy.user_id == user_id)
        logs = logs.join(PolicyVersion, PolicyVersion.id == PolicyLog.policy_version_id)
        logs = logs.join(Policy, Policy.id == PolicyVersion.policy_id).where(Policy.user_id == user_id)
    return sum(int(session.scalar(part) or 0) for part in (bundles, logs, episodes, files, blobs, uploads))
