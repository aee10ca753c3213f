"""The permissions of a long-lived connection, and whether they are still valid."""

from __future__ import annotations

import time
from datetime import datetime

from fastapi import Request
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.database import Database
from observatory.errors import Unauthorized
from observatory.events import ChangeKind
from observatory.http.callers import find_principal

__all__ = ["RIGHTS_SECONDS", "Rights"]

RIGHTS_SECONDS = 5.0
"""how long an expired token may go unnoticed; sign-out and revocation take effect at once"""


class Rights:
    """The permissions of the sender of a request. Anonymous callers have none that could be revoked."""

    def __init__(self, request: Request, principal: Principal | None) -> None:
        self._request = request
        self.principal = principal
        self._checked: tuple[object, float] = None, 0.0

    async def still_hold(self, database: Database) -> bool:
        """Return False once the user has signed out, the token has expired or the admin role has changed."""
        if self.principal is None:
            return True
        state = database.changes.versions([ChangeKind.ACCOUNT])
        checked, checked_at = self._checked
        if state == checked and time.monotonic() < checked_at + RIGHTS_SECONDS:
            return True
        self._checked = state, time.monotonic()
        try:
            now, _ = await database.query(self._find)
        except Unauthorized:
            return False
        return now is not None and now.is_admin == self.principal.is_admin

    def _find(self, session: Session) -> tuple[Principal | None, datetime | None]:
        return find_principal(self._request, session)
