"""The audience of a response: the properties of the caller on which cached responses depend."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime

from fastapi import Request

from observatory.accounts.tokens import hash_token
from observatory.accounts.visitors import COOKIE
from observatory.database.freshness import TableVersions

__all__ = ["ANYBODY", "TRUSTED_SECONDS", "Audience", "Audiences", "credential_of"]

MAX_CALLERS = 20_000
TRUSTED_SECONDS = 5.0
"""after which a response, or the owner of a credential, is looked up again: another process may have changed it"""
_ACCOUNTS = ("users", "tokens", "players", "ended_sessions")


@dataclass(frozen=True, slots=True)
class Audience:
    """The users who share a response: all but administrators, unless the route responds per user."""

    user_id: str | None
    is_admin: bool


ANYBODY = Audience(None, False)


class Audiences:
    """Cached owners of tokens and cookies."""

    def __init__(self, versions: TableVersions) -> None:
        self._versions = versions
        self._lock = threading.Lock()
        self._known: OrderedDict[str, tuple[Audience, tuple[int, ...], float, datetime | None]] = OrderedDict()

    def versions(self) -> tuple[int, ...]:
        """Return numbers that change whenever this process changes a table on which permissions depend."""
        return self._versions.of(_ACCOUNTS)

    def of(self, request: Request) -> tuple[Audience | None, bool]:
        """Return the cached audience, None if unknown, and whether to refresh it in the background: it expires soon."""
        credential = credential_of(request)
        if credential is None:
            return ANYBODY, False
        with self._lock:
            found = self._known.get(credential)
        if found is None:
            return None, False
        audience, versions, until, expires_at = found
        left = until - time.monotonic()
        expired = expires_at is not None and expires_at <= request.app.state.clock()
        if expired or left < 0 or versions != self.versions():
            return None, False
        return audience, left < TRUSTED_SECONDS / 2

    def remember(
        self, request: Request, audience: Audience, versions: tuple[int, ...], expires_at: datetime | None
    ) -> None:
        credential = credential_of(request)
        if credential is None:
            return
        with self._lock:
            self._known[credential] = audience, versions, time.monotonic() + TRUSTED_SECONDS, expires_at
            self._known.move_to_end(credential)
            while len(self._known) > MAX_CALLERS:
                self._known.popitem(last=False)


def credential_of(request: Request) -> str | None:
    """Return a hash of the request's credentials and of the privileges it asks for."""
    headers = request.headers
    shown = headers.get("x-auth-token"), headers.get("authorization"), request.cookies.get(COOKIE)
    if not any(shown):
        return None
    asked = headers.get("x-use-elevated-privileges", "").lower()
    return hash_token("\n".join(part or "" for part in (*shown, asked)))
