"""Compatibility names for saved tokens by kind; the files are those of `softmax.client.credentials`."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["TokenKind", "delete_token", "load_token", "save_token"]


class TokenKind(StrEnum):
    """The active session, the user's own session, and the internal one of the Observatory."""

    COGAMES = "cogames"
    COGAMES_USER = "cogames_user"
    OBSERVATORY = "observatory"


def load_token(*, token_kind: TokenKind, server: str) -> str | None:
    """Return the saved token of a server; None when there is none. Raises `BadCredentials` for a broken file."""
    from softmax.client import credentials

    readers = {
        TokenKind.COGAMES: credentials.active_token,
        TokenKind.COGAMES_USER: credentials.user_token,
        TokenKind.OBSERVATORY: credentials.internal_token,
    }
    return readers[token_kind](server)


def save_token(*, token_kind: TokenKind, server: str, token: str) -> None:
    """Save a token of a server; tokens of other kinds stay."""
    from softmax.client import credentials

    credentials.save_token(_section(token_kind), server, token)


def delete_token(*, token_kind: TokenKind, server: str) -> bool:
    """Delete a token of a server; return whether there was one. Tokens of other kinds stay."""
    from softmax.client import credentials

    return credentials.delete_token(_section(token_kind), server)


def _section(token_kind: TokenKind) -> str:
    from softmax.client.credentials import ACTIVE, INTERNAL, USER

    sections = {TokenKind.COGAMES: ACTIVE, TokenKind.COGAMES_USER: USER, TokenKind.OBSERVATORY: INTERNAL}
    return sections[token_kind]
