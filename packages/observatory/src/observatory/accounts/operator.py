"""Admin access for processes that can read the server's key: `observatory admin` signs in this way."""

from __future__ import annotations

from observatory.signing import Signer

__all__ = ["is_operator_token", "operator_token"]

_PREFIX = "opr_"
_SECONDS = 60


def operator_token(secret_key: bytes) -> str:
    """Return a token that is valid for a minute; it is not stored."""
    return _PREFIX + _signer(secret_key).sign({}, seconds=_SECONDS)


def is_operator_token(secret_key: bytes, token: str) -> bool:
    return token.startswith(_PREFIX) and _signer(secret_key).read(token.removeprefix(_PREFIX)) is not None


def _signer(secret_key: bytes) -> Signer:
    return Signer(secret_key, "operator token")
