"""Users, players, and the hashes of their credentials."""

from __future__ import annotations

import uuid
from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from observatory.database.base import Base, Json, enum_type, new_id
from observatory.tokens import TokenKind

__all__ = ["AuthCode", "EndedSession", "Invitation", "Player", "Token", "User"]


class User(Base):
    """A person."""

    __tablename__ = "users"

    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    email: Mapped[str] = mapped_column(String(255), unique=True)
    """the name to sign in with, in lower case; nothing is ever sent to it"""
    name: Mapped[str | None] = mapped_column(String(255))
    password_hash: Mapped[str | None] = mapped_column(String(255))
    is_admin: Mapped[bool] = mapped_column(default=False)
    github_id: Mapped[int | None] = mapped_column(BigInteger, unique=True)
    github_login: Mapped[str | None] = mapped_column(String(255))
    session_version: Mapped[int] = mapped_column(default=1)
    """cookies with another number are not valid"""
    created_at: Mapped[datetime]
    disabled_at: Mapped[datetime | None]

    @property
    def shown_name(self) -> str:
        """Return the name that other users see; never the address."""
        return self.name or "A person"


class Player(Base):
    """A name under which a user's policies play."""

    __tablename__ = "players"
    __table_args__ = (UniqueConstraint("user_id", "name"),)

    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"))
    name: Mapped[str] = mapped_column(String(255))
    is_default: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime]
    disabled_at: Mapped[datetime | None]

    user: Mapped[User] = relationship()


class Token(Base):
    """A token, stored as its hash."""

    __tablename__ = "tokens"
    __table_args__ = (Index(None, "user_id"), Index(None, "player_id"))

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=new_id)
    kind: Mapped[TokenKind] = mapped_column(enum_type(TokenKind))
    name: Mapped[str] = mapped_column(String(255))
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    token_preview: Mapped[str] = mapped_column(String(32))
    user_id: Mapped[str | None] = mapped_column(ForeignKey("users.id"))
    """None for a worker's"""
    player_id: Mapped[str | None] = mapped_column(ForeignKey("players.id"))
    scopes: Mapped[list[str]] = mapped_column(Json, default=list)
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]
    """to within an hour"""

    user: Mapped[User | None] = relationship()
    player: Mapped[Player | None] = relationship()


class Invitation(Base):
    """A link that makes accounts, or lets an account choose a new password. It works `max_uses` times."""

    __tablename__ = "invitations"

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=new_id)
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    user_id: Mapped[str | None] = mapped_column(ForeignKey("users.id"))
    """the account it is for; None for a new one"""
    is_admin: Mapped[bool] = mapped_column(default=False)
    note: Mapped[str] = mapped_column(String(200), default="")
    """the intended guest, for administrators"""
    created_by: Mapped[str | None] = mapped_column(ForeignKey("users.id"))
    max_uses: Mapped[int] = mapped_column(default=1)
    uses: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]
    """when it was used for the last possible time"""
    revoked_at: Mapped[datetime | None]

    user: Mapped[User | None] = relationship(foreign_keys=[user_id])
    creator: Mapped[User | None] = relationship(foreign_keys=[created_by])


class AuthCode(Base):
    """A code that a command line exchanges, once and soon, for a token."""

    __tablename__ = "auth_codes"

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=new_id)
    code_hash: Mapped[str] = mapped_column(String(64), unique=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"))
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]


class EndedSession(Base):
    """A browser session that its user has ended. Its cookie, and every copy of it, is rejected until it expires."""

    __tablename__ = "ended_sessions"
    __table_args__ = (Index(None, "expires_at"),)

    nonce_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    expires_at: Mapped[datetime]
