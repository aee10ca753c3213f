"""When tokens were last used. Recorded in memory, because requests that only read write nothing, and stored hourly."""

from __future__ import annotations

import threading
import uuid
from datetime import datetime

from sqlalchemy import update

from observatory import events
from observatory.database import Database
from observatory.database.tables.accounts import Token
from observatory.events import Change, ChangeKind

__all__ = ["TokensUsed"]

_MAX_TOKENS = 10_000


class TokensUsed:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last: dict[uuid.UUID, datetime] = {}

    def record(self, token_id: uuid.UUID, now: datetime) -> None:
        with self._lock:
            if len(self._last) < _MAX_TOKENS or token_id in self._last:
                self._last[token_id] = now

    def last_used(self, token: Token) -> datetime | None:
        """Return when a token was last used, as far as it is known."""
        with self._lock:
            recent = self._last.get(token.id)
        return recent or token.last_used_at

    def store(self, database: Database) -> None:
        """Store what was recorded, and forget it."""
        with self._lock:
            recorded, self._last = self._last, {}
        if not recorded:
            return
        with database.transaction() as session:
            for token_id, at in recorded.items():
                session.execute(update(Token).where(Token.id == token_id).values(last_used_at=at))
            events.note(session, Change(ChangeKind.ACCOUNT))
