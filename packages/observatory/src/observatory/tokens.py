"""Tokens: their format and their hashes.

A token is 32 random bytes behind a prefix that says what it is for, so that one found in a log or a repository can be
recognised. Only its SHA-256 is stored: with this much randomness there is nothing to guess, and a slow hash would make
every request slow.
"""

import hashlib
import secrets
from enum import StrEnum

__all__ = ["WRITE", "TokenKind", "hash_token", "mint_token", "new_player_id", "new_user_id", "preview"]

WRITE = "write"

_RANDOM_BYTES = 32
_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"
_PREVIEW_CHARACTERS = 4


class TokenKind(StrEnum):
    """The identity that a token gives its holder."""

    PERSONAL = "personal"
    """the user who created it, with all permissions of the user"""
    PLAYER_SESSION = "player_session"
    """one player of a user, for a day"""
    PLAYER_CREDENTIAL = "player_credential"
    """one player of a user, named, until it is revoked or expires"""
    WORKER = "worker"
    """a program that leases jobs; no user"""

    @property
    def prefix(self) -> str:
        return _PREFIXES[self]


# Published clients take a token that begins with `ply_` for a player's.
_PREFIXES = {
    TokenKind.PERSONAL: "obs_",
    TokenKind.PLAYER_SESSION: "ply_",
    TokenKind.PLAYER_CREDENTIAL: "ply_",
    TokenKind.WORKER: "wrk_",
}


def mint_token(prefix: str) -> str:
    """Return a new random token."""
    return prefix + secrets.token_urlsafe(_RANDOM_BYTES)


def hash_token(token: str) -> str:
    """Return the stored hash of a token, in hexadecimal."""
    return hashlib.sha256(token.encode()).hexdigest()


def preview(token: str) -> str:
    """Return a short prefix of a token that distinguishes it from others."""
    prefix, _, rest = token.partition("_")
    return f"{prefix}_{rest[:_PREVIEW_CHARACTERS]}…"


def new_user_id() -> str:
    """Lower-case letters and digits, as published clients expect of a user's id."""
    return "u" + _random_name(19)


def new_player_id() -> str:
    return "ply_" + _random_name(20)


def _random_name(length: int) -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(length))
