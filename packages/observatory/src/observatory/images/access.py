"""Credentials of callers of the registry.

A password or bearer token is one of

- the token of a user or a player, who may pull what they may see, and push to their own images;
- credentials for a push, from `push_token`: one image, for hours;
- credentials for pulls, from `pull_token`: some images, for the time of a lease;
- a registry token, which container engines get for one of these from `GET /v2/token`.
"""

from __future__ import annotations

import base64
import binascii
import uuid
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from observatory.accounts import repository as accounts
from observatory.database.tables.accounts import User
from observatory.errors import Unauthorized
from observatory.signing import Signer
from observatory.tokens import WRITE, TokenKind, hash_token

__all__ = ["ANONYMOUS", "RegistryCaller", "credential_of", "find_caller", "pull_token", "push_token", "registry_token"]

REGISTRY_TOKEN_SECONDS = 3600
_BAD = "These credentials are not known or have expired; sign in again"


@dataclass(frozen=True)
class RegistryCaller:
    """The sender of a request to the registry."""

    user_id: str | None = None
    can_write: bool = False
    push_image: uuid.UUID | None = None
    """the only image that these credentials are for; None means all images of the user"""
    pull_images: frozenset[uuid.UUID] = frozenset()
    """images that may be pulled whoever owns them"""

    @property
    def is_anonymous(self) -> bool:
        return self.user_id is None and not self.pull_images


ANONYMOUS = RegistryCaller()


def push_token(secret: bytes, image_id: uuid.UUID, user_id: str, *, seconds: int) -> str:
    """Return the password for a push to one image of a user."""
    return _signer(secret).sign({"push": str(image_id), "user": user_id}, seconds=seconds)


def pull_token(secret: bytes, image_ids: Collection[uuid.UUID], *, seconds: float) -> str:
    """Return the password with which the holder of a lease pulls the images that its job needs; any user name works."""
    return _signer(secret).sign({"pull": sorted(str(image_id) for image_id in image_ids)}, seconds=seconds)


def registry_token(secret: bytes, credential: str | None) -> str:
    """Return the bearer token for a credential that was checked; None is an anonymous caller."""
    signer = _signer(secret)
    if credential is None:
        return signer.sign({"anonymous": True}, seconds=REGISTRY_TOKEN_SECONDS)
    if signer.read(credential) is not None:
        return credential
    return signer.sign({"token_hash": hash_token(credential)}, seconds=REGISTRY_TOKEN_SECONDS)


def credential_of(authorization: str, x_auth_token: str | None = None) -> str | None:
    """Return the token or password in the headers; None without one. A header that cannot be read is refused."""
    if x_auth_token:
        return x_auth_token
    scheme, _, value = authorization.partition(" ")
    if scheme.lower() == "bearer" and value.strip():
        return value.strip()
    if scheme.lower() != "basic":
        return None
    try:
        user, _, password = base64.b64decode(value.strip(), validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        raise Unauthorized(_BAD) from None
    if not user and not password:  # podman sends an empty pair when it has no credentials
        return None
    return password


def find_caller(session: Session, secret: bytes, credential: str | None, *, now: datetime) -> RegistryCaller:
    """Return the holder of a credential; raise `Unauthorized` for one that is not valid."""
    if credential is None:
        return ANONYMOUS
    content = _signer(secret).read(credential)
    if content is None:
        return _user(session, hash_token(credential), now=now)
    if "token_hash" in content:
        return _user(session, content["token_hash"], now=now)
    if "pull" in content:
        return RegistryCaller(pull_images=frozenset(uuid.UUID(text) for text in content["pull"]))
    if "push" in content:
        user = session.get(User, content["user"])
        if user is None or user.disabled_at is not None:
            raise Unauthorized(_BAD)
        return RegistryCaller(user.id, can_write=True, push_image=uuid.UUID(content["push"]))
    return ANONYMOUS


def _user(session: Session, token_hash: str, *, now: datetime) -> RegistryCaller:
    row = accounts.valid_token(session, token_hash, now)
    if row is None or row.kind is TokenKind.WORKER or row.user is None:
        raise Unauthorized(_BAD)
    return RegistryCaller(row.user.id, can_write=WRITE in row.scopes)


def _signer(secret: bytes) -> Signer:
    return Signer(secret, "registry")
