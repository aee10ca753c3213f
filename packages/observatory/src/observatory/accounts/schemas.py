"""Requests about accounts, and responses for operators and sign-in; the other responses are in `softmax.wire`."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, Field, StringConstraints

from observatory.tokens import WRITE, TokenKind
from observatory.wire import Body

__all__ = [
    "CodeExchange",
    "CreatedInvitation",
    "CreatedToken",
    "CredentialCreate",
    "ExchangedToken",
    "InvitationCreate",
    "PlayerCreate",
    "TokenCreate",
    "TokenRead",
    "UserCreate",
    "UserRead",
    "UserUpdate",
    "ValidateResponse",
]

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=255, pattern=r"^[^\x00]*$")]


def _known_scopes(scopes: list[str]) -> list[str]:
    unknown = sorted(set(scopes) - {WRITE})
    if unknown:
        raise ValueError(f"unknown scope {unknown[0]!r}; there is only {WRITE!r}")
    return sorted(set(scopes))


Scopes = Annotated[list[str], AfterValidator(_known_scopes)]


class _ValidUser(BaseModel):
    id: str


class ValidateResponse(BaseModel):
    """The token is valid."""

    valid: Literal[True] = True
    user: _ValidUser


class PlayerCreate(Body):
    name: Name


class CredentialCreate(Body):
    name: Name
    scopes: Scopes = Field(default_factory=list)
    expires_in_days: int | None = Field(default=None, ge=1, le=3650)


class CodeExchange(Body):
    code: str = Field(min_length=1, max_length=200)


class ExchangedToken(BaseModel):
    token: str


class UserCreate(Body):
    """A new account; without a password the response has a link to choose one."""

    email: Name
    name: Name | None = None
    is_admin: bool = False


class UserUpdate(Body):
    is_admin: bool | None = None
    disabled: bool | None = None


class UserRead(BaseModel):
    """An account as administrators see it."""

    id: str
    email: str
    name: str | None
    is_admin: bool
    github_login: str | None
    created_at: datetime
    disabled_at: datetime | None


class TokenCreate(Body):
    """A token for a user, or, without one, for a worker."""

    name: Name
    email: Name | None = Field(default=None, description="the user; None makes a token for a worker")
    scopes: Scopes = Field(default=[WRITE], description="of a user's token; without `write` it may only read")
    expires_in_days: int | None = Field(default=None, ge=1, le=3650)


class TokenRead(BaseModel):
    """A token without the token."""

    id: uuid.UUID
    kind: TokenKind
    name: str
    user_id: str | None
    token_preview: str
    scopes: list[str]
    created_at: datetime
    expires_at: datetime | None


class CreatedToken(TokenRead):
    """The only answer that shows the token."""

    token: str


class InvitationCreate(Body):
    """A link to register an account or, for an existing account, to choose a new password."""

    email: Name | None = Field(default=None, description="account the link is for; None lets the guest choose a name")
    is_admin: bool = False
    expires_in_hours: int = Field(default=72, ge=1, le=24 * 365)
    max_uses: int = Field(default=1, ge=1, le=1000, description="accounts that the link may make")
    note: str = Field(default="", max_length=200, description="the intended guest, for administrators")


class CreatedInvitation(BaseModel):
    """The link, shown once."""

    id: uuid.UUID
    url: str
    expires_at: datetime
