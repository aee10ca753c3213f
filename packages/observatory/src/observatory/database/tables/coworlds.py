"""Coworlds: published games with their versions, certification, secrets and files; reporters and what they wrote."""

from __future__ import annotations

import uuid
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, LargeBinary, String, Text, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from observatory.database.base import Base, Json, enum_type, new_id
from observatory.database.tables.accounts import User

__all__ = [
    "Certification",
    "CertificationState",
    "ContentFile",
    "ContentKind",
    "ContentState",
    "Coworld",
    "CoworldSecret",
    "Reporter",
    "ReporterVersion",
    "RoleOutput",
    "RoleRun",
    "RoleRunState",
    "Visibility",
]


class Visibility(StrEnum):
    PUBLIC = "public"
    PRIVATE = "private"


class Coworld(Base):
    """One version of a published game. Versions of a name belong to one user."""

    __tablename__ = "coworlds"
    __table_args__ = (
        UniqueConstraint("name_key", "version"),
        Index("ix_coworlds_created_at_id", "created_at", "id"),
        Index(
            "uq_coworlds_canonical",
            "name_key",
            unique=True,
            sqlite_where=text("canonical"),
            postgresql_where=text("canonical"),
        ),
    )

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=new_id)
    name: Mapped[str] = mapped_column(String(200))
    name_key: Mapped[str] = mapped_column(String(200))
    """`name` as `coworlds.names.name_key` writes it: lower case, with `_` for `-`; names are compared by it"""
    version: Mapped[str] = mapped_column(String(100))
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"), index=True)
    visibility: Mapped[Visibility] = mapped_column(enum_type(Visibility))
    manifest: Mapped[dict[str, Any]] = mapped_column(Json)
    """as uploaded: images are `img_` ids or names of our own images, files are `sha256:` digests"""
    manifest_hash: Mapped[str] = mapped_column(String(64))
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    canonical: Mapped[bool] = mapped_column(default=False)
    """the version that leagues play; at most one of a name"""
    created_at: Mapped[datetime]

    user: Mapped[User] = relationship()
    certification: Mapped[Certification | None] = relationship(back_populates="coworld")


class CertificationState(StrEnum):
    NEVER_RUN = "never_run"
    QUEUED = "queued"
    CERTIFYING = "certifying"
    CERTIFIED = "certified"
    FAILED = "failed"


class Certification(Base):
    """The last certification of a Coworld by this server."""

    __tablename__ = "certifications"

    coworld_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("coworlds.id"), primary_key=True)
    state: Mapped[CertificationState] = mapped_column(enum_type(CertificationState))
    job_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("jobs.id"))
    contract_version: Mapped[str | None] = mapped_column(String(32))
    failed_step: Mapped[str | None] = mapped_column(String(100))
    failure: Mapped[dict[str, Any] | None] = mapped_column(Json)
    transcript: Mapped[str | None] = mapped_column(Text)
    """Markdown"""
    transcript_summary: Mapped[list[dict[str, Any]]] = mapped_column(Json, default=list)
    completed_at: Mapped[datetime | None]

    coworld: Mapped[Coworld] = relationship(back_populates="certification")


class CoworldSecret(Base):
    """A secret of a game's name, encrypted like those of policies."""

    __tablename__ = "coworld_secrets"
    __table_args__ = (UniqueConstraint("user_id", "name_key", "name"),)

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=new_id)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"))
    name_key: Mapped[str] = mapped_column(String(200))
    """of the Coworld"""
    name: Mapped[str] = mapped_column(String(200))
    wrapped_key: Mapped[bytes] = mapped_column(LargeBinary)
    ciphertext: Mapped[bytes] = mapped_column(LargeBinary)
    size_bytes: Mapped[int]
    updated_at: Mapped[datetime]


class ContentKind(StrEnum):
    PLAYER_FILE = "player-file"
    PROGRAM = "program"
    """an archive in place of a container image"""
    VIEWER_BUNDLE = "viewer-bundle"
    REPORTER = "reporter"


class ContentState(StrEnum):
    READY = "ready"
    FAILED = "failed"
    """its bytes have this digest, and cannot be used"""


class ContentFile(Base):
    """A user has sent a file of a Coworld. The bytes are stored once under their digest, whoever sent them.

    A user may refer to their own files only: the digest of a private file does not give access to it.
    """

    __tablename__ = "content_files"
    __table_args__ = (UniqueConstraint("user_id", "kind", "sha256"),)

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=new_id)
    kind: Mapped[ContentKind] = mapped_column(enum_type(ContentKind))
    sha256: Mapped[str] = mapped_column(String(64))
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"))
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    state: Mapped[ContentState] = mapped_column(enum_type(ContentState))
    detail: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime]


class Reporter(Base):
    """A program that writes reports about episodes: hosted as a component, or run elsewhere with a key."""

    __tablename__ = "reporters"
    __table_args__ = (UniqueConstraint("user_id", "name"),)

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=new_id)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"))
    name: Mapped[str] = mapped_column(String(200))
    display_name: Mapped[str] = mapped_column(String(200))
    description: Mapped[str] = mapped_column(Text)
    outputs: Mapped[list[dict[str, Any]]] = mapped_column(Json)
    key_hash: Mapped[str | None] = mapped_column(String(64))
    created_at: Mapped[datetime]

    versions: Mapped[list[ReporterVersion]] = relationship(order_by="ReporterVersion.version")


class ReporterVersion(Base):
    __tablename__ = "reporter_versions"
    __table_args__ = (UniqueConstraint("reporter_id", "version"),)

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=new_id)
    reporter_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("reporters.id"))
    version: Mapped[int]
    content_hash: Mapped[str] = mapped_column(String(64))
    attributes: Mapped[dict[str, Any]]
    created_at: Mapped[datetime]


class RoleRunState(StrEnum):
    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"


class RoleRun(Base):
    """A reporter, grader or diagnoser looks at a finished episode."""

    __tablename__ = "role_runs"
    __table_args__ = (UniqueConstraint("episode_request_id", "role", "role_id", "target"),)

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=new_id)
    episode_request_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("episode_requests.id"))
    role: Mapped[str] = mapped_column(String(32))
    """`reporter`, `grader` or `diagnoser`"""
    role_id: Mapped[str] = mapped_column(String(200))
    """its id in the manifest, or `owner/name@version` of a hosted reporter"""
    target: Mapped[str] = mapped_column(String(32), default="")
    """the seat that a diagnoser looks at, else empty"""
    reporter_version_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("reporter_versions.id"), index=True)
    user_id: Mapped[str | None] = mapped_column(ForeignKey("users.id"))
    """who asked for it; None for the league itself"""
    job_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("jobs.id"), unique=True)
    status: Mapped[RoleRunState] = mapped_column(enum_type(RoleRunState))
    error: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime]
    completed_at: Mapped[datetime | None]

    outputs: Mapped[list[RoleOutput]] = relationship(order_by="RoleOutput.name")


class RoleOutput(Base):
    __tablename__ = "role_outputs"
    __table_args__ = (UniqueConstraint("run_id", "name"),)

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=new_id)
    run_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("role_runs.id"))
    name: Mapped[str] = mapped_column(String(200))
    type: Mapped[str] = mapped_column(String(100))
    media_type: Mapped[str | None] = mapped_column(String(200))
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    key: Mapped[str] = mapped_column(String(300))
    """where the store has it"""
    created_at: Mapped[datetime]
