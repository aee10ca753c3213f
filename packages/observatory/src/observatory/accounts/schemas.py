"""Request and response schemas of accounts."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, Field, StringConstraints

from observatory.accounts.tokens import WRITE, TokenKind
from observatory.wire import Body

__all__ = [
    "CodeExchange",
    "CreatedCredential",
    "CreatedInvitation",
    "CreatedToken",
    "CredentialCreate",
    "DeletedCredential",
    "ExchangedToken",
    "InvitationCreate",
    "PlayerCreate",
    "PlayerCredential",
    "PlayerLoginResponse",
    "PlayerResponse",
    "TokenCreate",
    "TokenRead",
    "UserCreate",
    "UserRead",
    "UserRow",
    "UserUpdate",
    "ValidateResponse",
    "WhoAmI",
]

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=255, pattern=r"^[^\x00]*$")]


def _known_scopes(scopes: list[str]) -> list[str]:
    unknown = sorted(set(scopes) - {WRITE})
    if unknown:
        raise ValueError(f"unknown scope {unknown[0]!r}; there is only {WRITE!r}")
    return sorted(set(scopes))


Scopes = Annotated[list[str], AfterValidator(_known_scopes)]


class WhoAmI(BaseModel):
    """The caller's identity."""

    user_email: str
    name: str | None = None
    is_softmax_team_member: bool = False
    is_softmax_admin: bool = False
    subject_type: Literal["user", "player"] = "user"
    subject_id: str | None = None
    owner_user_id: str | None = None
    scopes: list[str] = []


class _ValidUser(BaseModel):
    id: str


class ValidateResponse(BaseModel):
    """The token is valid."""

    valid: Literal[True] = True
    user: _ValidUser


class UserRow(BaseModel):
    """A user as others may see them; `email` only for themselves and administrators."""

    id: str
    name: str | None = None
    email: str | None = None
    is_softmax_team_member: bool | None = None
    discord_id: str | None = None
    created_at: datetime | None = None


class PlayerCreate(Body):
    name: Name


class PlayerResponse(BaseModel):
    """A player of the caller."""

    user_id: str
    user: UserRow | None = None
    id: str
    name: str
    is_default: bool
    avatar_url: str | None = None
    created_at: datetime
    disabled_at: datetime | None = None


class PlayerLoginResponse(BaseModel):
    """A session as a player."""

    player_id: str
    token: str
    expires_at: datetime


class CredentialCreate(Body):
    name: Name
    scopes: Scopes = Field(default_factory=list)
    expires_in_days: int | None = Field(default=None, ge=1, le=3650)


class PlayerCredential(BaseModel):
    """A named token of a player, without the token."""

    id: uuid.UUID
    player_id: str
    name: str
    token_preview: str
    created_at: datetime
    expires_at: datetime | None = None
    scopes: list[str]


class CreatedCredential(PlayerCredential):
    """The only answer that shows the token."""

    token: str


class DeletedCredential(BaseModel):
    id: uuid.UUID


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


class CreatedInvitation(BaseModel):
    """The link, shown once."""

    id: uuid.UUID
    url: str
    expires_at: datetime
