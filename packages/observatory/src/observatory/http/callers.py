"""Authenticate the caller of an endpoint. Both token headers are equivalent.

Without a token the browser's cookie counts. Requests that change state then need the header `X-CSRF-Token` with the
value from `GET /observatory/api/me`: other sites can make a browser send its cookie, but not this header.

| dependency | anonymous | bad token | player, read-only | player, `write` | user | administrator, elevated |
|---|---|---|---|---|---|---|
| `OptionalPrincipal` | None | 401 | yes | yes | yes | yes |
| `CurrentPrincipal` | 401 | 401 | yes | yes | yes | yes |
| `Writer` | 401 | 401 | 403 | yes | yes | yes |
| `CurrentUser` | 401 | 401 | 403 | 403 | yes | yes |
| `Admin` | 401 | 401 | 403 | 403 | 403 | yes |

An administrator sees what others do not (private seasons, hidden seeds, names of workers) under the same condition as
`Admin`: with the header `X-Use-Elevated-Privileges: true` and a token that may write.

A user's token without the scope `write` is refused with 403 by `Writer` and `Admin`, and by `CurrentUser` unless the
request only reads.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from datetime import datetime
from typing import Annotated, Any

from fastapi import Depends, Request, Security
from fastapi.security import APIKeyHeader
from sqlalchemy.orm import Session

from observatory.accounts import repository
from observatory.accounts.operator import is_operator_token
from observatory.accounts.principal import Principal
from observatory.database import SessionDep
from observatory.errors import Forbidden, Unauthorized
from observatory.http.visitors import COOKIE, signed_in_visitor
from observatory.keys import Keys
from observatory.tokens import TokenKind, hash_token

__all__ = [
    "Admin",
    "CurrentPrincipal",
    "CurrentUser",
    "OptionalPrincipal",
    "Principal",
    "RequestToken",
    "Writer",
    "caller_check",
    "find_principal",
    "request_token",
]

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
BAD_TOKEN = (
    "The token is not known, has expired or was revoked; sign in again, for example with `cogames auth login --force`"
)

_token_header = APIKeyHeader(name="X-Auth-Token", auto_error=False)
_bearer_header = APIKeyHeader(name="Authorization", auto_error=False, description="`Bearer <token>`")


def _token_from_headers(
    x_auth_token: Annotated[str | None, Security(_token_header)],
    authorization: Annotated[str | None, Security(_bearer_header)],
) -> str | None:
    """Return the token of the request, from either header."""
    if x_auth_token:
        return x_auth_token
    scheme, _, token = (authorization or "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" and token.strip() else None


RequestToken = Annotated[str | None, Depends(_token_from_headers)]


def request_token(request: Request) -> str | None:
    """Return the token of a request, from either header."""
    return _token_from_headers(request.headers.get("x-auth-token"), request.headers.get("authorization"))


def find_principal(request: Request, session: Session) -> tuple[Principal | None, datetime | None]:
    """Return the sender of a request and when that expires; None without a token or cookie, 401 for a bad token."""
    state = request.app.state
    token = request_token(request)
    elevated = request.headers.get("x-use-elevated-privileges", "").lower() == "true"
    if token is None:
        return _from_browser(request, session, state.keys, elevated=elevated), None
    principal, expires_at = None, None
    if is_operator_token(state.keys.secret, token):
        admin = repository.first_admin(session)
        principal = None if admin is None else Principal(admin, elevated=True)
    else:
        row = repository.valid_token(session, hash_token(token), state.clock())
        # A worker is not a principal: its token is valid on the worker routes only.
        if row is not None and row.kind is not TokenKind.WORKER:
            principal, expires_at = Principal.of(row, elevated=elevated), row.expires_at
            state.tokens_used.record(row.id, state.clock())
    if principal is None:
        raise Unauthorized(BAD_TOKEN)
    request.state.principal_name = principal.player_id or principal.user_id
    state.rate_limits.remember(token, principal.user_id)
    return principal, expires_at


def _from_browser(request: Request, session: Session, keys: Keys, *, elevated: bool) -> Principal | None:
    visitor = signed_in_visitor(request, keys, session)
    if visitor is None or visitor.user is None:
        return None
    if request.method not in SAFE_METHODS:
        visitor.check(request.headers.get("x-csrf-token", ""))
    request.state.principal_name = visitor.user.id
    request.app.state.rate_limits.remember(request.cookies[COOKIE], visitor.user.id)
    return Principal(visitor.user, elevated=elevated)


def _optional(request: Request, _token: RequestToken, session: SessionDep) -> Principal | None:
    return find_principal(request, session)[0]


OptionalPrincipal = Annotated[Principal | None, Depends(_optional)]


def _current(principal: OptionalPrincipal) -> Principal:
    if principal is None:
        raise Unauthorized
    return principal


CurrentPrincipal = Annotated[Principal, Depends(_current)]


def _writer(principal: CurrentPrincipal) -> Principal:
    if not principal.can_write:
        raise Forbidden("This token may only read; make one with the scope `write`")
    return principal


Writer = Annotated[Principal, Depends(_writer)]


def _user(request: Request, principal: CurrentPrincipal) -> Principal:
    if principal.is_player:
        raise Forbidden("A player may not do this; use your own token")
    return principal if request.method in SAFE_METHODS else _writer(principal)


CurrentUser = Annotated[Principal, Depends(_user)]


def _admin(principal: CurrentUser) -> Principal:
    if not principal.user.is_admin:
        raise Forbidden("Only administrators may do this")
    _writer(principal)
    if not principal.is_admin:
        raise Forbidden("Administrators do this with the header X-Use-Elevated-Privileges: true")
    return principal


Admin = Annotated[Principal, Depends(_admin)]


def caller_check(calls: Set[Callable[..., Any]]) -> Callable[[Request, Session], object] | None:
    """Return the permission check that a route's dependencies make; None for a public route."""
    if not calls & {_optional, _current, _writer, _user, _admin}:
        return None

    def check(request: Request, session: Session) -> None:
        principal = find_principal(request, session)[0]
        if calls & {_current, _writer, _user, _admin}:
            principal = _current(principal)
            if calls & {_user, _admin}:
                _user(request, principal)
            if _writer in calls:
                _writer(principal)
            if _admin in calls:
                _admin(principal)

    return check
