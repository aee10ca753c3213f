"""The base class and column types of all tables, the same on SQLite and PostgreSQL."""

from __future__ import annotations

import os
import threading
import time
import uuid
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, DateTime, Dialect, Enum, MetaData, Uuid
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.types import TypeDecorator

__all__ = ["Base", "Json", "UtcDateTime", "enum_type", "new_id"]

Json = JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")
"""any JSON value; an empty column is NULL, never the text `null`"""


class UtcDateTime(TypeDecorator[datetime]):
    """A moment. Goes in with a zone and comes out in UTC."""

    impl = DateTime
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        return dialect.type_descriptor(DateTime(timezone=dialect.name == "postgresql"))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value} has no zone")
        value = value.astimezone(UTC)
        return value if dialect.name == "postgresql" else value.replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Base(DeclarativeBase):
    """The base of all tables. Constraints have names, so that migrations can refer to them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {uuid.UUID: Uuid(), datetime: UtcDateTime(), dict[str, Any]: Json}  # noqa: RUF012


def enum_type(kind: type[StrEnum]) -> Enum:
    """Return a column for an enum, kept as the text of its value; a new value needs no migration."""
    return Enum(
        kind, native_enum=False, length=32, values_callable=lambda members: [member.value for member in members]
    )


_id_lock = threading.Lock()
_last_stamp = 0


def new_id() -> uuid.UUID:
    """Return a UUID of version 7. Within one process a later one is greater, so equal times still have an order."""
    global _last_stamp
    with _id_lock:
        # 48 bits of milliseconds and 12 of their fraction, moved on by one where the clock has not.
        _last_stamp = stamp = max((time.time_ns() << 12) // 1_000_000, _last_stamp + 1)
    value = (stamp >> 12) << 80 | 0x7 << 76 | (stamp & 0xFFF) << 64 | 0b10 << 62
    return uuid.UUID(int=value | int.from_bytes(os.urandom(8)) >> 2)
