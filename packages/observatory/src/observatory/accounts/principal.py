"""The authenticated caller of a request."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from observatory.tokens import WRITE, TokenKind

if TYPE_CHECKING:
    from observatory.database.tables.accounts import Token, User

__all__ = ["Principal"]


@dataclass(frozen=True)
class Principal:
    """A user, or one of their players.

    An administrator is an ordinary user until a request asks for more with `X-Use-Elevated-Privileges: true`.
    """

    user: User = field(repr=False)
    player_id: str | None = None
    scopes: tuple[str, ...] = (WRITE,)
    """without `write` only reading is allowed"""
    elevated: bool = False

    @classmethod
    def of(cls, token: Token, *, elevated: bool) -> Principal:
        assert token.user is not None
        if token.kind is TokenKind.PERSONAL:
            return cls(token.user, None, tuple(token.scopes), elevated)
        return cls(token.user, token.player_id, tuple(token.scopes))

    @property
    def user_id(self) -> str:
        return self.user.id

    @property
    def user_email(self) -> str:
        return self.user.email

    @property
    def is_player(self) -> bool:
        return self.player_id is not None

    @property
    def can_write(self) -> bool:
        return WRITE in self.scopes

    @property
    def may_elevate(self) -> bool:
        """Return whether the request may elevate to administrator rights; a read-only token never can."""
        return self.user.is_admin and not self.is_player and self.can_write

    @property
    def is_admin(self) -> bool:
        """Return whether the request has administrator rights: it may elevate, and it asked to."""
        return self.may_elevate and self.elevated
