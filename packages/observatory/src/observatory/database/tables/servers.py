"""Server processes of one database, and what they share."""

from __future__ import annotations

import uuid
from datetime import datetime

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from observatory.database.base import Base

__all__ = ["RateLevel", "SchemaSupport", "ServerProcess"]


class ServerProcess(Base):
    """A server that uses this database. While it runs, it holds the advisory lock with its `number`."""

    __tablename__ = "server_processes"

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(unique=True)
    url: Mapped[str] = mapped_column(String(500))
    """where other servers reach it"""
    version: Mapped[str] = mapped_column(String(100))
    revision: Mapped[str] = mapped_column(String(32))
    """the newest migration that it knows"""
    started_at: Mapped[datetime]


class RateLevel(Base):
    """What is left in the bucket of a caller who has lately used much of it."""

    __tablename__ = "rate_levels"

    limiter: Mapped[str] = mapped_column(String(20), primary_key=True)
    caller: Mapped[str] = mapped_column(String(64), primary_key=True)
    """hash of an address, a user or an account"""
    level: Mapped[float]
    """calls; negative if several servers together allowed too many"""
    updated_at: Mapped[float]
    """seconds since 1970, by the clock of the database"""


class SchemaSupport(Base):
    """One row: the oldest migration whose programs can use the database as it is."""

    __tablename__ = "schema_support"

    revision: Mapped[str] = mapped_column(String(32), primary_key=True)
    """the migration to which the database was brought"""
    oldest: Mapped[str] = mapped_column(String(32))
    """a program whose newest migration is this one, or a later one, works"""
