"""The audit log's table."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column, relationship

from observatory.database.base import Base
from observatory.database.tables.accounts import User

__all__ = ["AuditEntry"]


class AuditEntry(Base):
    """One decision of an administrator. Rows are added and never changed."""

    __tablename__ = "audit_log"

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    actor_id: Mapped[str] = mapped_column(ForeignKey("users.id"))
    action: Mapped[str] = mapped_column(String(64))
    """such as `network.grant`"""
    details: Mapped[dict[str, Any]]
    created_at: Mapped[datetime] = mapped_column(index=True)

    actor: Mapped[User] = relationship()
