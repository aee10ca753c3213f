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
from typing import Any
from urllib.parse import urlsplit

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory.database import new_id
from observatory.database.tables.policies import PolicySecret, SecretEnv, SecretRead
from observatory.errors import NotFound, Unavailable, Unprocessable
from observatory.keys import Keys
from observatory.policies.names import is_host

__all__ = [
    "USE_BEDROCK",
    "check_secrets",
    "decrypt",
    "encrypt",
    "has_secrets",
    "read_secrets",
    "requested_hosts",
    "store_secret_env",
    "store_secrets",
    "take_secret_env",
    "wants_models",
]

USE_BEDROCK = "USE_BEDROCK"
LLM_ENABLED = "COWORLD_LLM_ENABLED"
LLM_ROUTE = "COWORLD_LLM_EXTERNAL_ROUTE"
HTTPS_HOSTS = "COWORLD_HTTPS_HOSTS"
MAX_HOSTS = 32

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
    """Return whether the policy asks for the models of the operator's gateway; one with its own route does not."""
    if LLM_ROUTE in secrets:
        return False
    return any(secrets.get(name, "").strip().lower() in ("1", "true", "yes") for name in (USE_BEDROCK, LLM_ENABLED))


def requested_hosts(secrets: Mapping[str, str]) -> list[str]:
    """Return the hosts that reserved variables name: HTTPS hosts, and the host of the policy's own model endpoint."""
    hosts: list[str] = []
    if HTTPS_HOSTS in secrets:
        listed = _json(secrets, HTTPS_HOSTS)
        if not isinstance(listed, list) or len(listed) > MAX_HOSTS or not all(isinstance(host, str) for host in listed):
            raise Unprocessable(f"{HTTPS_HOSTS} must be a JSON list of at most {MAX_HOSTS} host names")
        hosts += listed
    if LLM_ROUTE in secrets:
        route = _json(secrets, LLM_ROUTE)
        url = urlsplit(str(route.get("base_url", ""))) if isinstance(route, dict) else None
        if url is None or url.scheme != "https" or not url.hostname:
            raise Unprocessable(f"{LLM_ROUTE} must be a JSON object whose `base_url` begins with https://")
        hosts.append(url.netloc.rpartition("@")[2].lower())
    wrong = [host for host in hosts if not is_host(host)]
    if wrong:
        raise Unprocessable(f"{wrong[0][:80]!r} is not a host name; write `api.example.com`, in lower case")
    return sorted(set(hosts))


def _json(secrets: Mapping[str, str], name: str) -> Any:
    try:
        return json.loads(secrets[name])
    except (ValueError, RecursionError):
        raise Unprocessable(f"{name} must be JSON") from None


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


def store_secret_env(
    session: Session, keys: Keys, user_id: str, secrets: Mapping[str, str], *, now: datetime
) -> uuid.UUID:
    """Encrypt secrets for a version that the user will create; return the id by which the user names them."""
    own_key, env_id = AESGCM.generate_key(256), new_id()
    session.add(
        SecretEnv(
            id=env_id,
            user_id=user_id,
            wrapped_key=encrypt(keys.master, own_key, env_id.bytes),
            ciphertext=encrypt(own_key, json.dumps(dict(secrets)).encode(), env_id.bytes),
            created_at=now,
        )
    )
    session.flush()
    return env_id


def take_secret_env(session: Session, keys: Keys, user_id: str, env_id: uuid.UUID) -> dict[str, str]:
    """Return secrets that this user has stored for a new version."""
    row = session.get(SecretEnv, env_id)
    if row is None or row.user_id != user_id:
        raise NotFound(f"You have no secrets {env_id}; send them again")
    try:
        own_key = decrypt(keys.master, row.wrapped_key, env_id.bytes)
        secrets: dict[str, str] = json.loads(decrypt(own_key, row.ciphertext, env_id.bytes))
    except InvalidTag:
        raise Unavailable(
            "The secrets were encrypted with another master key; give the server the one it had"
        ) from None
    return secrets


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
