"""The viewer of a response: the properties of the caller on which cached responses depend."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from fastapi import Request
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.database import Database
from observatory.database.cache import FRESH_SECONDS, Cache
from observatory.errors import Unauthorized
from observatory.events import ChangeKind, Versions
from observatory.http.visitors import COOKIE
from observatory.tokens import hash_token

__all__ = ["ANONYMOUS", "FindPrincipal", "Viewer", "Viewers", "credential_of"]

MAX_VIEWERS = 20_000
_DEPENDENCIES = (ChangeKind.ACCOUNT,)

FindPrincipal = Callable[[Request, Session], tuple[Principal | None, datetime | None]]
"""returns the sender of a request and when their credentials expire; raises `Unauthorized`"""


@dataclass(frozen=True, slots=True)
class Viewer:
    """A user. Those who are not administrators see the same, except where a route responds per viewer."""

    user_id: str | None
    is_admin: bool
    player_id: str | None = None
    """of a player's token, which shows less than the user's own"""


ANONYMOUS = Viewer(None, False)


class Viewers:
    """The viewers of recently seen tokens and cookies; others are looked up in the database."""

    def __init__(self, database: Database, find_principal: FindPrincipal) -> None:
        self._database, self._find_principal = database, find_principal
        self._cache = Cache(max_entries=MAX_VIEWERS)

    def cached(self, request: Request) -> tuple[Viewer | None, bool]:
        """Return the cached viewer, None if unknown, and whether to look it up again soon, before it expires."""
        credential = credential_of(request)
        if credential is None:
            return ANONYMOUS, False
        entry = self._cache.fresh(credential, self._database.changes.versions)
        if entry is None:
            return None, False
        viewer, expires_at = entry.value
        if expires_at is not None and expires_at <= request.app.state.clock():
            return None, False
        return viewer, entry.expires_at - entry.confirmed_at < FRESH_SECONDS / 2

    async def find(self, request: Request) -> Viewer | None:
        """Look up the viewer and cache it; None for credentials that are not valid."""
        versions: Versions = self._database.changes.versions(_DEPENDENCIES)  # before anything is read
        try:
            principal, expires_at = await self._database.query(lambda session: self._find_principal(request, session))
        except Unauthorized:
            return None
        viewer = ANONYMOUS if principal is None else _viewer(principal)
        credential = credential_of(request)
        if credential is not None:
            self._cache.put(credential, (viewer, expires_at), _DEPENDENCIES, versions)
        return viewer


def _viewer(principal: Principal) -> Viewer:
    return Viewer(principal.user_id, principal.is_admin, principal.player_id)


def credential_of(request: Request) -> str | None:
    """Return a hash of the request's credentials and of the privileges it asks for; None for an anonymous caller."""
    headers = request.headers
    credentials = headers.get("x-auth-token"), headers.get("authorization"), request.cookies.get(COOKIE)
    if not any(credentials):
        return None
    elevated = headers.get("x-use-elevated-privileges", "").lower()
    return hash_token("\n".join(part or "" for part in (*credentials, elevated)))
