"""The audit log: decisions of administrators, in the database and in the server's log."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory.database import new_id
from observatory.database.tables.accounts import User
from observatory.database.tables.audit import AuditEntry
from observatory.paging import Page

__all__ = ["audit_entries", "record"]

logger = logging.getLogger(__name__)


def record(session: Session, actor_id: str, action: str, *, now: datetime, **details: str | None) -> None:
    """Add an entry in the transaction of the decision."""
    session.add(AuditEntry(id=new_id(), actor_id=actor_id, action=action, details=details, created_at=now))
    logger.info("Audit: %s", action, extra={"actor": actor_id, **details})


def audit_entries(session: Session, page: Page) -> Sequence[tuple[AuditEntry, User]]:
    """Return entries with the administrators who caused them, newest first."""
    statement = select(AuditEntry, User).join(User, User.id == AuditEntry.actor_id)
    statement = statement.order_by(AuditEntry.created_at.desc(), AuditEntry.id.desc())
    return [(row[0], row[1]) for row in session.execute(statement.limit(page.limit).offset(page.offset))]
