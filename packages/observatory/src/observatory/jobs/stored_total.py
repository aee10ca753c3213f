"""The bytes of all files in the store.

The files of all episodes are too many to add up for each reading of `/metrics`: that reads every job. Each server adds
them up once an hour, and for a reading it adds only newer ones.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, case, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from observatory.database import Database
from observatory.database.tables.coworlds import ContentFile
from observatory.database.tables.images import Blob, BlobUpload
from observatory.database.tables.jobs import Job, PolicyLog
from observatory.database.tables.policies import PolicyVersion

__all__ = ["StoredTotal"]

_LONGEST_TRANSACTION = timedelta(minutes=1)
_EPISODE_FILES = ((Job.artifact_bytes, Job.completed_at), (PolicyLog.bytes, PolicyLog.created_at))
_OTHER_FILES = (PolicyVersion.bundle_bytes, Blob.size, BlobUpload.received, ContentFile.size_bytes)


class StoredTotal:
    """Knows the bytes of the episodes that ended before the last measurement. Each server process has one."""

    def __init__(self) -> None:
        self._measured: tuple[datetime, int] | None = None

    def measure(self, database: Database, now: datetime) -> None:
        """Add up the files of all episodes that have ended."""
        end = now - _LONGEST_TRANSACTION  # older rows are visible now
        with database.read() as session:
            # All rows in their order: by the index of times, a database would look each of them up.
            sums = [_sum(session, case((at > end, 0), else_=size)) for size, at in _EPISODE_FILES]
        self._measured = end, sum(sums)

    def read(self, session: Session) -> int:
        """Return the bytes of all files. Files removed since the last measurement still count."""
        others = sum(_sum(session, size) for size in _OTHER_FILES)
        if self._measured is None:
            return others + sum(_sum(session, size) for size, _ in _EPISODE_FILES)
        end, measured = self._measured
        return others + measured + sum(_sum(session, size, at > end) for size, at in _EPISODE_FILES)


def _sum(
    session: Session, size: ColumnElement[int] | InstrumentedAttribute[int | None], *conditions: ColumnElement[bool]
) -> int:
    return int(session.scalar(select(func.sum(size)).where(*conditions)) or 0)
