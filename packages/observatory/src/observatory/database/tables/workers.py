"""Workers as they last reported themselves. All servers on a database share these rows."""

from __future__ import annotations

import uuid
from datetime import datetime

from sqlalchemy import String, Text
from sqlalchemy.orm import Mapped, mapped_column

from observatory.database.base import Base, Json

__all__ = ["ConnectedWorker"]


class ConnectedWorker(Base):
    """A worker that has called: its labels, its capacity, and why it takes no jobs, if it takes none."""

    __tablename__ = "connected_workers"

    name: Mapped[str] = mapped_column(String(200), primary_key=True)
    token_id: Mapped[uuid.UUID | None]
    """the token it calls with"""
    labels: Mapped[list[str]] = mapped_column(Json, default=list)
    cpus: Mapped[int | None]
    gpus: Mapped[int | None]
    memory_mb: Mapped[int | None]
    unable: Mapped[str | None] = mapped_column(Text)
    """why it takes no jobs now, such as a full disk; None if it takes jobs"""
    last_seen_at: Mapped[datetime] = mapped_column(index=True)
    """to within some seconds, see `observatory.jobs.workers_seen`"""
