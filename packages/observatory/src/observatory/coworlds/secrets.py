"""Secrets of a game: bytes that its owner stores under the game's name, encrypted as those of policies are.

A manifest or a private configuration refers to one as `secret://coworld/<game>/<name>`. No response ever has the value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.coworlds import repository
from observatory.database.tables.coworlds import Coworld, CoworldSecret
from observatory.errors import Conflict, Forbidden, NotFound, Unavailable, Unprocessable
from observatory.keys import Keys
from observatory.policies.secrets import decrypt, encrypt
from observatory.public_ids import public_id
from softmax.wire.coworlds import CoworldSecretRow

__all__ = ["MAX_SECRET_BYTES", "delete_secret", "game_of", "list_secrets", "put_secret", "read_secret", "secret_row"]

MAX_SECRET_BYTES = 256 * 1024
MAX_SECRETS = 100

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")


def game_of(session: Session, reference: str, principal: Principal) -> Coworld:
    """Return the caller's Coworld that a name or a public id means; only its owner may have secrets of it."""
    if reference.startswith("cow_"):
        coworld = repository.coworld(session, reference, principal)
    else:
        coworld = repository.named(session, reference, principal)
    if coworld.user_id != principal.user_id:
        raise Forbidden(f"{coworld.name} belongs to another user; only its owner may store secrets for it")
    return coworld


def put_secret(
    session: Session, keys: Keys, coworld: Coworld, name: str, value: bytes, *, now: datetime
) -> CoworldSecret:
    """Store a secret, or replace it."""
    if not _NAME.fullmatch(name):
        raise Unprocessable(
            f"The name of a secret, {name[:80]!r}, must be at most 100 letters, digits, `_`, `.` and `-`, and begin "
            "with a letter or a digit"
        )
    row = _find(session, coworld, name)
    if row is None:
        own = (CoworldSecret.user_id == coworld.user_id, CoworldSecret.name_key == coworld.name_key)
        if (session.scalar(select(func.count()).where(*own)) or 0) >= MAX_SECRETS:
            raise Conflict(f"{coworld.name} has {MAX_SECRETS} secrets already; delete one first")
        row = CoworldSecret(user_id=coworld.user_id, name_key=coworld.name_key, name=name)
        session.add(row)
    own_key, context = AESGCM.generate_key(256), _context(row)
    row.wrapped_key = encrypt(keys.master, own_key, context)
    row.ciphertext = encrypt(own_key, value, context)
    row.size_bytes, row.updated_at = len(value), now
    session.flush()
    return row


def list_secrets(session: Session, coworld: Coworld) -> Sequence[CoworldSecret]:
    """Return the secrets of a game, by name."""
    own = (CoworldSecret.user_id == coworld.user_id, CoworldSecret.name_key == coworld.name_key)
    return session.scalars(select(CoworldSecret).where(*own).order_by(CoworldSecret.name)).all()


def delete_secret(session: Session, coworld: Coworld, name: str) -> CoworldSecret:
    """Delete a secret and return what it was."""
    row = _find(session, coworld, name)
    if row is None:
        raise NotFound(f"{coworld.name} has no secret {name[:80]!r}")
    session.delete(row)
    session.flush()
    return row


def read_secret(session: Session, keys: Keys, coworld: Coworld, name: str) -> bytes:
    """Return a secret of the game for an episode of the game; `NotFound` if there is none."""
    row = _find(session, coworld, name)
    if row is None:
        raise NotFound(f"{coworld.name} has no secret {name[:80]!r}")
    try:
        own_key = decrypt(keys.master, row.wrapped_key, _context(row))
        return decrypt(own_key, row.ciphertext, _context(row))
    except InvalidTag:
        raise Unavailable("The secret was encrypted with another master key; give the server the one it had") from None


def secret_row(row: CoworldSecret, coworld: Coworld) -> CoworldSecretRow:
    return CoworldSecretRow(
        coworld_id=public_id("cow", coworld.id),
        coworld_name=coworld.name,
        owner_user_id=row.user_id,
        secret_name=row.name,
        size_bytes=row.size_bytes,
        updated_at=row.updated_at,
    )


def _find(session: Session, coworld: Coworld, name: str) -> CoworldSecret | None:
    statement = select(CoworldSecret).where(
        CoworldSecret.user_id == coworld.user_id,
        CoworldSecret.name_key == coworld.name_key,
        CoworldSecret.name == name,
    )
    return session.scalar(statement)


def _context(row: CoworldSecret) -> bytes:
    """Return what the encryption is bound to, so that a row copied to another game cannot be decrypted there."""
    return f"{row.user_id}/{row.name_key}/{row.name}".encode()
