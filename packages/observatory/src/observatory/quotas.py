"""Quotas of the store per user."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session

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
            f"Your policies, their logs and your episodes would take {(stored + new_bytes) // MEGABYTE} MB; "
            f"your quota is {settings.max_stored_bytes_per_user // MEGABYTE} MB"
        )


def stored_bytes(session: Session, user_id: str | None = None) -> int:
    """Return the bytes of a user's bundles, policy logs and requested episodes, or of all users'."""
    bundles = select(func.sum(PolicyVersion.bundle_bytes))
    logs = select(func.sum(PolicyLog.bytes))
    episodes = select(func.sum(Job.artifact_bytes))
    if user_id is not None:
        episodes = episodes.where(Job.user_id == user_id)
        bundles = bundles.join(Policy).where(Policy.user_id == user_id)
        logs = logs.join(PolicyVersion, PolicyVersion.id == PolicyLog.policy_version_id)
        logs = logs.join(Policy, Policy.id == PolicyVersion.policy_id).where(Policy.user_id == user_id)
    return sum(int(session.scalar(part) or 0) for part in (bundles, logs, episodes))
