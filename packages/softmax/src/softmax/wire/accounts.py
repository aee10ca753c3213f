"""Responses about accounts and their players."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from softmax.wire.base import DescribedAs, ResponseModel

__all__ = [
    "PlayerCredential",
    "PlayerCredentialCreateResponse",
    "PlayerCredentialDeleteResponse",
    "PlayerLoginResponse",
    "PlayerResponse",
    "UserRow",
    "WhoAmIResponse",
]


class WhoAmIResponse(ResponseModel):
    """The caller's identity."""

    user_email: str
    name: str | None = None
    is_softmax_team_member: bool = False
    is_softmax_admin: bool = False
    subject_type: Annotated[str, DescribedAs(Literal["user", "player"])] = "user"
    subject_id: str | None = None
    owner_user_id: str | None = None
    scopes: list[str] = Field(default=[])


class UserRow(ResponseModel):
    """A user as others may see them; `email` only for themselves and administrators."""

    id: str
    name: str | None = None
    email: str | None = None
    is_softmax_team_member: bool | None = None
    discord_id: str | None = None
    created_at: datetime | None = None


class PlayerResponse(ResponseModel):
    """A player of the caller."""

    user_id: str
    user: UserRow | None = None
    id: str
    name: str
    is_default: bool
    avatar_url: str | None = None
    created_at: datetime
    disabled_at: datetime | None = None


class PlayerLoginResponse(ResponseModel):
    """A session as a player."""

    player_id: str
    token: str
    expires_at: datetime


class PlayerCredential(ResponseModel):
    """A named token of a player, without the token."""

    id: UUID
    player_id: str
    name: str
    token_preview: str
    created_at: datetime
    expires_at: datetime | None = None
    scopes: list[str]


class PlayerCredentialCreateResponse(PlayerCredential):
    """The only answer that shows the token."""

    token: str


class PlayerCredentialDeleteResponse(ResponseModel):
    id: UUID
