"""Hash passwords with Argon2id (RFC 9106) and a salt each, as PHC texts: `$argon2id$v=19$m=19456,t=2,p=1$...`."""

import base64
import functools
import hashlib
import hmac
import secrets

from cryptography.exceptions import InvalidKey
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

__all__ = ["MIN_PASSWORD_LENGTH", "hash_password", "is_outdated", "password_matches", "password_problem"]

MIN_PASSWORD_LENGTH = 10
MAX_PASSWORD_LENGTH = 1000

# 19 MiB and some 30 ms: slow enough for guessing, quick enough for signing in.
_MEMORY_KIB, _ITERATIONS, _LANES = 19_456, 2, 1
_SALT_BYTES, _HASH_BYTES = 16, 32
_SCRYPT = "scrypt$"
"""the prefix of hashes that earlier releases stored"""


def password_problem(password: str) -> str | None:
    """Return why a password cannot be used, in one sentence."""
    if len(password) < MIN_PASSWORD_LENGTH:
        return f"The password must have at least {MIN_PASSWORD_LENGTH} characters"
    if len(password) > MAX_PASSWORD_LENGTH:
        return f"The password must have at most {MAX_PASSWORD_LENGTH} characters"
    return None


def hash_password(password: str) -> str:
    """Hash a password; return the text to store."""
    return _argon2(secrets.token_bytes(_SALT_BYTES)).derive_phc_encoded(_bytes(password))


def password_matches(password: str, stored: str | None) -> bool:
    """Return whether the password matches; without a stored one it takes the same time."""
    if stored is not None and stored.startswith(_SCRYPT):
        return _scrypt_matches(password, stored)
    try:
        Argon2id.verify_phc_encoded(_bytes(password), stored or _no_password())
    except InvalidKey:
        return False
    return stored is not None


def is_outdated(stored: str) -> bool:
    """Return whether a hash was made with other settings than today's: the next sign-in replaces it."""
    return not stored.startswith(f"$argon2id$v=19$m={_MEMORY_KIB},t={_ITERATIONS},p={_LANES}$")


def _argon2(salt: bytes) -> Argon2id:
    return Argon2id(salt=salt, length=_HASH_BYTES, iterations=_ITERATIONS, lanes=_LANES, memory_cost=_MEMORY_KIB)


def _bytes(password: str) -> bytes:
    return password[:MAX_PASSWORD_LENGTH].encode()


def _scrypt_matches(password: str, stored: str) -> bool:
    _, cost, block_size, parallel, salt, digest = stored.split("$")
    numbers = {"n": int(cost), "r": int(block_size), "p": int(parallel)}
    computed = hashlib.scrypt(_bytes(password), salt=base64.b64decode(salt), dklen=32, **numbers)
    return hmac.compare_digest(computed, base64.b64decode(digest))


@functools.cache
def _no_password() -> str:
    """Return a hash that no password matches."""
    return _argon2(bytes(_SALT_BYTES)).derive_phc_encoded(secrets.token_bytes(16))
