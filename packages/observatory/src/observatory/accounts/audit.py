"""The audit log: decisions of administrators and accepted invitations, in the database and in the server's log."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Select, String, cast, func, select
from sqlalchemy.orm import Session, contains_eager

from observatory.database import new_id
from observatory.database.tables.accounts import User
from observatory.database.tables.audit import AuditEntry
from observatory.paging import Page

__all__ = ["AuditFilter", "actions", "audit_entries", "record"]

logger = logging.getLogger(__name__)


def record(session: Session, actor_id: str, action: str, *, now: datetime, **details: str | None) -> None:
    """Add an entry in the transaction of the decision."""
    session.add(AuditEntry(id=new_id(), actor_id=actor_id, action=action, details=details, created_at=now))
    logger.info("Audit: %s", action, extra={"actor": actor_id, **details})


@dataclass(frozen=True)
class AuditFilter:
    """Which entries: of an action (or all that begin with `season.`, say), of an administrator, with a text."""

    action: str = ""
    actor: str = ""
    text: str = ""

    def statement(self) -> Select[AuditEntry]:
        statement = select(AuditEntry).join(AuditEntry.actor).options(contains_eager(AuditEntry.actor))
        if self.action:
            statement = statement.where(AuditEntry.action.startswith(self.action, autoescape=True))
        if self.actor:
            statement = statement.where(User.email.contains(self.actor.strip().lower(), autoescape=True))
        if self.text:
            details = cast(AuditEntry.details, String)
            statement = statement.where(func.lower(details).contains(self.text.strip().lower(), autoescape=True))
        return statement


def audit_entries(session: Session, page: Page) -> Sequence[AuditEntry]:
    """Return entries with the users who caused them, newest first."""
    statement = AuditFilter().statement().order_by(AuditEntry.created_at.desc(), AuditEntry.id.desc())
    return session.scalars(statement.limit(page.limit).offset(page.offset)).all()


def actions(session: Session) -> Sequence[str]:
    """Return the kinds of entries that the log has."""
    return session.scalars(select(AuditEntry.action).distinct().order_by(AuditEntry.action)).all()
