"""Container images, the blobs that they consist of, and uploads of blobs."""

from __future__ import annotations

import uuid
from datetime import datetime
from enum import StrEnum

from sqlalchemy import BigInteger, ForeignKey, Index, LargeBinary, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from observatory.database.base import Base, enum_type, new_id

__all__ = ["Blob", "BlobOwner", "BlobUpload", "ContainerImage", "ImageBlob", "ImageStatus"]

MAX_IMAGE_NAME_CHARACTERS = 128
DIGEST_CHARACTERS = len("sha256:") + 64


class ImageStatus(StrEnum):
    PENDING = "pending"
    """its owner may push to it"""
    READY = "ready"
    """complete; never changes again"""


class ContainerImage(Base):
    """An image of a user: a repository of the registry that holds one manifest."""

    __tablename__ = "container_images"
    __table_args__ = (
        UniqueConstraint("user_id", "client_hash"),
        UniqueConstraint("user_id", "name", "version"),
        Index("ix_container_images_created_at_id", "created_at", "id"),
    )

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=new_id)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"))
    name: Mapped[str] = mapped_column(String(MAX_IMAGE_NAME_CHARACTERS))
    version: Mapped[int]
    """counts the images of a user with the same name"""
    client_hash: Mapped[str] = mapped_column(String(200))
    """identifies the content for the client; the same user sends the same content once"""
    status: Mapped[ImageStatus] = mapped_column(enum_type(ImageStatus), default=ImageStatus.PENDING)
    public: Mapped[bool] = mapped_column(default=False)
    """anyone may pull it"""
    tag: Mapped[str | None] = mapped_column(String(128))
    """the name under which its manifest was pushed"""
    manifest: Mapped[bytes | None] = mapped_column(LargeBinary)
    media_type: Mapped[str | None] = mapped_column(String(200))
    digest: Mapped[str | None] = mapped_column(String(DIGEST_CHARACTERS))
    """of the manifest"""
    size_bytes: Mapped[int | None] = mapped_column(BigInteger)
    """of its blobs"""
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]
    """when an upload of it was last begun or continued"""


class Blob(Base):
    """A layer or a configuration of images, stored once under its digest."""

    __tablename__ = "image_blobs"

    digest: Mapped[str] = mapped_column(String(DIGEST_CHARACTERS), primary_key=True)
    size: Mapped[int] = mapped_column(BigInteger)
    created_at: Mapped[datetime]


class BlobOwner(Base):
    """A user has sent a blob, and may use it in all their images. It counts towards the user's quota."""

    __tablename__ = "image_blob_owners"

    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"), primary_key=True)
    digest: Mapped[str] = mapped_column(ForeignKey("image_blobs.digest"), primary_key=True, index=True)
    created_at: Mapped[datetime]
    """when the user last sent it"""


class ImageBlob(Base):
    """The manifest of an image refers to a blob."""

    __tablename__ = "image_blob_references"

    image_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("container_images.id"), primary_key=True)
    digest: Mapped[str] = mapped_column(ForeignKey("image_blobs.digest"), primary_key=True, index=True)


class BlobUpload(Base):
    """A blob that is being sent. The store has what has arrived, in chunks."""

    __tablename__ = "image_uploads"

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=new_id)
    image_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("container_images.id"), index=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"), index=True)
    received: Mapped[int] = mapped_column(BigInteger, default=0)
    """bytes, for the quota; the offset of an upload comes from the store"""
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]
