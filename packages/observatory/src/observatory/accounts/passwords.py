"""Hash passwords with scrypt and a salt per password."""

import base64
import hashlib
import hmac
import secrets

__all__ = ["MIN_PASSWORD_LENGTH", "hash_password", "password_matches", "password_problem"]

MIN_PASSWORD_LENGTH = 10
MAX_PASSWORD_LENGTH = 1000

# 16 MiB and some 50 ms: slow enough for guessing, quick enough for signing in.
_COST, _BLOCK_SIZE, _PARALLEL = 2**14, 8, 1
_SALT_BYTES = 16


def password_problem(password: str) -> str | None:
    """Return why a password cannot be used, in one sentence."""
    if len(password) < MIN_PASSWORD_LENGTH:
        return f"The password must have at least {MIN_PASSWORD_LENGTH} characters"
    if len(password) > MAX_PASSWORD_LENGTH:
        return f"The password must have at most {MAX_PASSWORD_LENGTH} characters"
    return None


def hash_password(password: str) -> str:
    """Hash a password; return the text to store."""
    salt = secrets.token_bytes(_SALT_BYTES)
    digest = _scrypt(password, salt, _COST, _BLOCK_SIZE, _PARALLEL)
    parts = (base64.b64encode(part).decode() for part in (salt, digest))
    return "$".join(["scrypt", str(_COST), str(_BLOCK_SIZE), str(_PARALLEL), *parts])


def password_matches(password: str, stored: str | None) -> bool:
    """Return whether the password matches; without a stored one it takes the same time."""
    _, cost, block_size, parallel, salt, digest = (stored or _NO_PASSWORD).split("$")
    found = _scrypt(password, base64.b64decode(salt), int(cost), int(block_size), int(parallel))
    return hmac.compare_digest(found, base64.b64decode(digest)) and stored is not None


def _scrypt(password: str, salt: bytes, cost: int, block_size: int, parallel: int) -> bytes:
    return hashlib.scrypt(
        password[:MAX_PASSWORD_LENGTH].encode(), salt=salt, n=cost, r=block_size, p=parallel, dklen=32
    )


_NO_PASSWORD = f"scrypt${_COST}${_BLOCK_SIZE}${_PARALLEL}${base64.b64encode(bytes(16)).decode()}$AAAA"
