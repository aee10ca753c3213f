"""How much of the workers' time each season and each person has had."""

from __future__ import annotations

from sqlalchemy import Index, String
from sqlalchemy.orm import Mapped, mapped_column

from observatory.database.base import Base, Json

__all__ = ["QueueShare"]


class QueueShare(Base):
    """A share of the queue: a lane, a group of jobs in it (such as a season), or a person in a group.

    The numbers of `used` and `clock` are virtual seconds: seconds of workers divided by the weight.
    """

    __tablename__ = "queue_shares"
    __table_args__ = (Index(None, "parent"),)

    key: Mapped[str] = mapped_column(String(140), primary_key=True)
    """a lane, a group, or `group/person`"""
    parent: Mapped[str | None] = mapped_column(String(64))
    weight: Mapped[float] = mapped_column(default=1.0)
    """a share of weight 2 gets twice the time of a share of weight 1"""
    used: Mapped[float] = mapped_column(default=0.0)
    """of jobs that have ended; never behind the `clock` of the parent at the moment when its first job was queued"""
    clock: Mapped[float] = mapped_column(default=0.0)
    """the virtual time of the shares in it: the greatest value at which one of them got a worker"""
    waits: Mapped[bool] = mapped_column(default=False)
    """whether it had waiting jobs when the last job of its lane was leased"""
    job_seconds: Mapped[float | None]
    """the mean length of its jobs, mostly of the last ones; None until one has ended"""
    worker_labels: Mapped[list[str] | None] = mapped_column(Json)
    """of a group: labels that a worker must have to get its jobs"""
