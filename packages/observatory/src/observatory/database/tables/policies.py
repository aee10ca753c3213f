"""Policies, their versions, uploads, secrets and grants."""

from __future__ import annotations

import uuid
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, LargeBinary, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from observatory.database import Base, enum_type
from observatory.database.tables.accounts import User

__all__ = [
    "GrantReason",
    "NetworkGrant",
    "OwnerGrant",
    "Policy",
    "PolicyKind",
    "PolicySecret",
    "PolicyVersion",
    "SecretEnv",
    "SecretRead",
    "SelectionScope",
    "Upload",
]

MAX_NAME_CHARACTERS = 64


class SelectionScope(StrEnum):
    """The users who may give a policy a seat in an episode on request."""

    ANY_REQUEST = "any_request"
    """every user"""
    OWNER_VISIBLE = "owner_visible"
    """its owner"""


class Policy(Base):
    """A name of a user's; what plays are its versions."""

    __tablename__ = "policies"
    __table_args__ = (UniqueConstraint("user_id", "name"), Index("ix_policies_name", "name"))

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"))
    name: Mapped[str] = mapped_column(String(MAX_NAME_CHARACTERS))
    attributes: Mapped[dict[str, Any]]
    selection_scope: Mapped[SelectionScope] = mapped_column(
        enum_type(SelectionScope), default=SelectionScope.OWNER_VISIBLE
    )
    created_at: Mapped[datetime]

    user: Mapped[User] = relationship()


class PolicyKind(StrEnum):
    """What a version was uploaded as."""

    BUNDLE = "bundle"
    """a zip archive with a manifest, which plays in seasons"""
    IMAGE = "image"
    """a container image"""
    FILE = "file"
    """a file that a game loads itself"""
    DESCRIPTION = "description"
    """nothing that could play"""


class PolicyVersion(Base):
    """A version of a policy, which plays in matches. Only its tags can change."""

    __tablename__ = "policy_versions"
    __table_args__ = (UniqueConstraint("policy_id", "version"), Index("ix_policy_versions_created_at", "created_at"))

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    policy_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("policies.id"))
    version: Mapped[int]
    player_id: Mapped[str | None] = mapped_column(ForeignKey("players.id"))
    """the player of the user who uploaded it"""
    kind: Mapped[PolicyKind] = mapped_column(enum_type(PolicyKind), default=PolicyKind.BUNDLE)
    bundle_key: Mapped[str | None] = mapped_column(String(300))
    """where the store has its bundle; None when it has none, and then it cannot play in a season"""
    bundle_bytes: Mapped[int | None] = mapped_column(BigInteger)
    """of its bundle or file"""
    bundle_sha256: Mapped[str | None] = mapped_column(String(64))
    container_image_id: Mapped[str | None] = mapped_column(String(200))
    """the public id of the image from which it runs"""
    spec: Mapped[dict[str, Any]]
    """its manifest; of an image `run`, `resources` and `startup`"""
    attributes: Mapped[dict[str, Any]]
    tags: Mapped[dict[str, Any]]
    public_bundle: Mapped[bool] = mapped_column(default=False)
    """the bundle is public"""
    created_at: Mapped[datetime]

    policy: Mapped[Policy] = relationship()


class Upload(Base):
    """A pending upload; it becomes a version once, even if the request is repeated."""

    __tablename__ = "uploads"

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"), index=True)
    player_id: Mapped[str | None] = mapped_column(ForeignKey("players.id"))
    kind: Mapped[str] = mapped_column(String(32))
    """`policy`, `policy-file`, or `episodes` for a bulk upload"""
    key: Mapped[str] = mapped_column(String(300))
    created_at: Mapped[datetime]
    completed_at: Mapped[datetime | None]
    policy_version_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("policy_versions.id"))


class PolicySecret(Base):
    """The secrets of a version, encrypted with a separate key, which the master key encrypts."""

    __tablename__ = "policy_secrets"

    policy_version_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("policy_versions.id"), primary_key=True)
    wrapped_key: Mapped[bytes] = mapped_column(LargeBinary)
    ciphertext: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[datetime]


class SecretEnv(Base):
    """Secrets of a user that wait for the version that will have them, encrypted like those of versions."""

    __tablename__ = "policy_secret_envs"

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"), index=True)
    wrapped_key: Mapped[bytes] = mapped_column(LargeBinary)
    ciphertext: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[datetime]


class SecretRead(Base):
    """A record that the secrets of a version were read."""

    __tablename__ = "secret_reads"

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    policy_version_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("policy_versions.id"), index=True)
    job_id: Mapped[uuid.UUID | None]
    reader: Mapped[str] = mapped_column(String(200))
    """the worker, for people"""
    created_at: Mapped[datetime]


class GrantReason(StrEnum):
    """Why a version may connect to a host."""

    DECLARED = "declared"
    """its bundle names the host, and it has secrets to use there"""
    MODEL_GATEWAY = "model_gateway"
    """it asked for hosted models, and the operator offers this gateway"""
    OPERATOR = "operator"
    """an operator granted it"""


class NetworkGrant(Base):
    """A version may connect to a host. Without a row it has no network access."""

    __tablename__ = "network_grants"
    __table_args__ = (UniqueConstraint("policy_version_id", "host"),)

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    policy_version_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("policy_versions.id"))
    host: Mapped[str] = mapped_column(String(253))
    reason: Mapped[GrantReason] = mapped_column(enum_type(GrantReason))
    granted_by: Mapped[str | None] = mapped_column(ForeignKey("users.id"))
    created_at: Mapped[datetime]


class OwnerGrant(Base):
    """All versions of a user, including future ones, may connect to a host. An administrator granted it."""

    __tablename__ = "owner_grants"
    __table_args__ = (UniqueConstraint("user_id", "host"),)

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"))
    host: Mapped[str] = mapped_column(String(253))
    granted_by: Mapped[str] = mapped_column(ForeignKey("users.id"))
    created_at: Mapped[datetime]
