"""Browser sessions: a signed cookie identifies the user, and a CSRF token proves that a form is ours."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Annotated, Any

from fastapi import Depends, Request, Response
from sqlalchemy.orm import Session

from observatory import events
from observatory.accounts import repository
from observatory.accounts.callbacks import is_loopback_host
from observatory.database import DatabaseDep
from observatory.database.tables.accounts import EndedSession, User
from observatory.errors import Forbidden
from observatory.events import Change, ChangeKind
from observatory.http.deps import KeysDep
from observatory.keys import Keys
from observatory.settings import Settings
from observatory.signing import Signer
from observatory.tokens import hash_token

__all__ = ["COOKIE", "Visitor", "VisitorDep", "cookies_are_secure", "signed_in_visitor"]

COOKIE = "observatory_session"
SESSION_DAYS = 14
CLOCK_DAYS = 365


@dataclass(frozen=True)
class Visitor:
    """A browser session, signed in or not."""

    user: User | None
    nonce: str
    """random; the forms' tokens are made from it"""
    is_new: bool
    secure: bool
    signer: Signer = field(repr=False)

    @property
    def csrf(self) -> str:
        return self.signer.mac(f"csrf {self.nonce}")

    def check(self, csrf: str) -> None:
        """Refuse a form that is not from one of our pages."""
        if not csrf.isascii() or not hmac.compare_digest(csrf, self.csrf):
            raise Forbidden("This form has expired or is not from this server; go back, reload the page and try again")

    def keep(self, response: Response) -> Response:
        """Set the cookie, so that the forms of this visitor can be verified."""
        return self._set(response, self.user, self.nonce) if self.is_new else response

    def sign_in(self, response: Response, user: User) -> Response:
        """Sign this browser in as the user, with a new nonce."""
        return self._set(response, user, secrets.token_urlsafe(16))

    def sign_out(self, response: Response, session: Session, now: datetime) -> Response:
        """End this session: the browser forgets its cookie, and the database refuses copies of it."""
        # A cookie expires by the clock of the machine; a year more covers a clock that was wrong when it started.
        expires_at = now + timedelta(days=SESSION_DAYS + CLOCK_DAYS)
        session.merge(EndedSession(nonce_hash=hash_token(self.nonce), expires_at=expires_at))
        events.note(session, Change(ChangeKind.ACCOUNT))
        response.delete_cookie(COOKIE, path="/", secure=self.secure, httponly=True, samesite="lax")
        return response

    def _set(self, response: Response, user: User | None, nonce: str) -> Response:
        content = {"user": user and user.id, "version": user and user.session_version, "nonce": nonce}
        seconds = SESSION_DAYS * 86400
        value = self.signer.sign(content, seconds=seconds)
        response.set_cookie(COOKIE, value, max_age=seconds, path="/", secure=self.secure, httponly=True, samesite="lax")
        return response


def cookies_are_secure(settings: Settings) -> bool:
    """Return whether cookies are limited to https: always, unless the server is reached from this machine only."""
    return settings.base_url().startswith("https://") or not is_loopback_host(settings.host)


def signed_in_visitor(request: Request, keys: Keys, session: Session) -> Visitor | None:
    """Return the signed-in visitor of this request; None without a valid cookie of a signed-in user."""
    signer = Signer(keys.secret, "browser session")
    content = signer.read(request.cookies.get(COOKIE))
    user = None if content is None or repository.has_ended(session, content["nonce"]) else _user(session, content)
    if content is None or user is None:
        return None
    return Visitor(user, content["nonce"], False, cookies_are_secure(request.app.state.settings), signer)


def _user(session: Session, content: dict[str, Any]) -> User | None:
    """Return the user that a cookie names, while the cookie is valid."""
    user = None if content["user"] is None else repository.user(session, content["user"])
    if user is None or user.disabled_at is not None or user.session_version != content["version"]:
        return None
    return user


async def _visitor(request: Request, keys: KeysDep, database: DatabaseDep) -> Visitor:
    signer = Signer(keys.secret, "browser session")
    secure = cookies_are_secure(request.app.state.settings)
    content = signer.read(request.cookies.get(COOKIE))
    if content is None:
        return Visitor(None, secrets.token_urlsafe(16), True, secure, signer)

    def find(session: Session) -> tuple[bool, User | None]:
        return repository.has_ended(session, content["nonce"]), _user(session, content)

    has_ended, user = await database.query(find)
    if has_ended:
        return Visitor(None, secrets.token_urlsafe(16), True, secure, signer)
    return Visitor(user, content["nonce"], False, secure, signer)


VisitorDep = Annotated[Visitor, Depends(_visitor)]
