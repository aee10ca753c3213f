"""The caller's own tokens, for the page of the profile."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta

from fastapi import Request
from pydantic import BaseModel, Field

from observatory.accounts import repository, service
from observatory.accounts.schemas import Name, Scopes
from observatory.accounts.tokens_used import TokensUsed
from observatory.clock import Now
from observatory.database import SessionDep
from observatory.database.tables.accounts import Token
from observatory.errors import Conflict, Forbidden, NotFound, Unauthorized, errors
from observatory.http.callers import CurrentUser
from observatory.http.routing import Router
from observatory.tokens import WRITE, TokenKind
from observatory.wire import Body

__all__ = ["router"]

router = Router(prefix="/observatory/api/tokens", tags=["accounts"])


class OwnToken(BaseModel):
    """A token of the caller, without the token."""

    id: uuid.UUID
    kind: TokenKind
    name: str
    preview: str
    scopes: list[str] = Field(description="without `write` it may only read")
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None = Field(description="to within an hour")
    is_expired: bool


class OwnTokenCreate(Body):
    name: Name
    scopes: Scopes = Field(default=[WRITE], description="without `write` it may only read")
    expires_in_days: int | None = Field(default=90, ge=1, le=3650)


class OwnTokenCreated(BaseModel):
    """The only response that shows the token."""

    token: str
    row: OwnToken


@router.get("", responses=errors(Unauthorized, Forbidden))
def list_own_tokens(user: CurrentUser, session: SessionDep, request: Request, now: Now) -> list[OwnToken]:
    """Return your tokens that were not revoked, newest first."""
    used: TokensUsed = request.app.state.tokens_used
    return [_token(row, used, now) for row in repository.tokens(session, user_id=user.user_id)]


@router.post("", status_code=201, responses=errors(Unauthorized, Forbidden, Conflict))
def create_own_token(
    body: OwnTokenCreate, user: CurrentUser, session: SessionDep, request: Request, now: Now
) -> OwnTokenCreated:
    """Create a token with which a program acts as you."""
    expires_in = None if body.expires_in_days is None else timedelta(days=body.expires_in_days)
    minted = service.mint(
        session,
        TokenKind.PERSONAL,
        body.name,
        now=now,
        expires_in=expires_in,
        user=user.user,
        scopes=body.scopes,
    )
    return OwnTokenCreated(token=minted.text, row=_token(minted.row, request.app.state.tokens_used, now))


@router.post("/{token_id}/revoke", responses=errors(Unauthorized, Forbidden, NotFound))
def revoke_own_token(
    token_id: uuid.UUID, user: CurrentUser, session: SessionDep, request: Request, now: Now
) -> OwnToken:
    """Revoke one of your tokens; programs that use it are refused at once."""
    row = service.revoke_token(session, token_id, user_id=user.user_id, now=now)
    return _token(row, request.app.state.tokens_used, now)


def _token(row: Token, used: TokensUsed, now: datetime) -> OwnToken:
    return OwnToken(
        id=row.id,
        kind=row.kind,
        name=row.name,
        preview=row.token_preview,
        scopes=row.scopes,
        created_at=row.created_at,
        expires_at=row.expires_at,
        last_used_at=used.last_used(row),
        is_expired=row.expires_at is not None and row.expires_at <= now,
    )
