"""Secrets of policies: encrypted at rest, sent only to the job that runs the policy, with a record of each read.

Each version's secrets have a separate key, which the master key encrypts; both are bound to the version, so that a row
copied to another version cannot be decrypted there.
"""

from __future__ import annotations

import json
import os
import re
import uuid
from collections.abc import Mapping
from datetime import datetime

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory.database import new_id
from observatory.database.tables.policies import PolicySecret, SecretRead
from observatory.errors import Unavailable, Unprocessable
from observatory.keys import Keys

__all__ = [
    "USE_BEDROCK",
    "check_secrets",
    "decrypt",
    "encrypt",
    "has_secrets",
    "read_secrets",
    "store_secrets",
    "wants_models",
]

USE_BEDROCK = "USE_BEDROCK"

MAX_KEYS = 10
MAX_KEY_CHARACTERS = 100
MAX_VALUE_CHARACTERS = 2000
MAX_JSON_BYTES = 64 * 1024

_KEY = re.compile(r"[A-Z_][A-Z0-9_]*")
_NONCE_BYTES = 12

# These variables would change how the policy's process starts.
_RESERVED = re.compile(r"LD_.*|PYTHON.*|PATH|HOME|TMPDIR|COGBOX_.*|MALLOC_.*|GLIBC_TUNABLES")


def check_secrets(secrets: Mapping[str, str]) -> dict[str, str]:
    """Raise `Unprocessable` for secrets beyond the limits. Messages never contain a value."""
    if len(secrets) > MAX_KEYS:
        raise Unprocessable(f"There are {len(secrets)} secrets; at most {MAX_KEYS} are allowed")
    for key, value in secrets.items():
        if len(key) > MAX_KEY_CHARACTERS or not _KEY.fullmatch(key):
            raise Unprocessable(
                f"The name of a secret, {key[:MAX_KEY_CHARACTERS]!r}, must be at most {MAX_KEY_CHARACTERS} capitals, "
                "digits and `_`, and not begin with a digit"
            )
        if _RESERVED.fullmatch(key):
            raise Unprocessable(f"A secret cannot be called {key}, because that variable changes how programs start")
        if len(value) > MAX_VALUE_CHARACTERS:
            raise Unprocessable(
                f"The secret {key} has {len(value)} characters; at most {MAX_VALUE_CHARACTERS} are allowed"
            )
        if "\0" in value:
            raise Unprocessable(f"The secret {key} holds a zero byte, which no environment variable can")
    if len(json.dumps(dict(secrets)).encode()) > MAX_JSON_BYTES:
        raise Unprocessable(f"The secrets have more than {MAX_JSON_BYTES // 1024} KB together")
    return dict(secrets)


def wants_models(secrets: Mapping[str, str]) -> bool:
    """Return whether the policy asks for hosted models."""
    return secrets.get(USE_BEDROCK, "").strip().lower() in ("1", "true", "yes")


def store_secrets(
    session: Session, keys: Keys, policy_version_id: uuid.UUID, secrets: Mapping[str, str], *, now: datetime
) -> None:
    """Encrypt and keep them; a version's secrets are stored once and never changed."""
    own_key = AESGCM.generate_key(256)
    context = policy_version_id.bytes
    row = PolicySecret(
        policy_version_id=policy_version_id,
        wrapped_key=encrypt(keys.master, own_key, context),
        ciphertext=encrypt(own_key, json.dumps(dict(secrets)).encode(), context),
        created_at=now,
    )
    session.add(row)
    session.flush()


def has_secrets(session: Session, policy_version_id: uuid.UUID) -> bool:
    statement = select(PolicySecret.created_at).where(PolicySecret.policy_version_id == policy_version_id)
    return session.scalar(statement) is not None


def read_secrets(
    session: Session, keys: Keys, policy_version_id: uuid.UUID, *, reader: str, job_id: uuid.UUID | None, now: datetime
) -> dict[str, str]:
    """Return the secrets of a version for the job that runs it, empty if it has none. The read is recorded."""
    row = session.get(PolicySecret, policy_version_id)
    if row is None:
        return {}
    context = policy_version_id.bytes
    try:
        own_key = decrypt(keys.master, row.wrapped_key, context)
        secrets: dict[str, str] = json.loads(decrypt(own_key, row.ciphertext, context))
    except InvalidTag:
        raise Unavailable(
            "The secrets were encrypted with another master key; give the server the one it had"
        ) from None
    session.add(
        SecretRead(id=new_id(), policy_version_id=policy_version_id, job_id=job_id, reader=reader[:200], created_at=now)
    )
    session.flush()
    return secrets


def encrypt(key: bytes, data: bytes, context: bytes) -> bytes:
    """Encrypt data that can be decrypted with the same key and the same context only."""
    nonce = os.urandom(_NONCE_BYTES)
    return nonce + AESGCM(key).encrypt(nonce, data, context)


def decrypt(key: bytes, data: bytes, context: bytes) -> bytes:
    """Decrypt; raise `InvalidTag` for another key or context."""
    return AESGCM(key).decrypt(data[:_NONCE_BYTES], data[_NONCE_BYTES:], context)
