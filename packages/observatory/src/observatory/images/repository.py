"""All queries for images and blobs, and who may see them."""

from __future__ import annotations

import uuid
from collections.abc import Collection
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.cursors import CursorPage, Slice
from observatory.database.tables.images import Blob, BlobOwner, BlobUpload, ContainerImage, ImageBlob, ImageStatus
from observatory.errors import NotFound, Unauthorized
from observatory.images.access import RegistryCaller
from observatory.images.errors import BlobUnknown, BlobUploadUnknown, Denied, NameUnknown
from observatory.paging import count
from observatory.public_ids import public_id

__all__ = [
    "image",
    "images",
    "open_uploads",
    "owned_blob",
    "pending_images",
    "pullable",
    "pushable",
    "readable_blob",
    "upload",
    "usable_blobs",
]


def image(session: Session, image_id: uuid.UUID, principal: Principal | None) -> ContainerImage:
    """Return an image that a principal may see: their own, and complete public ones."""
    row = session.get(ContainerImage, image_id)
    is_admin = principal is not None and principal.is_admin
    if row is None or not (is_admin or _may_see(row, None if principal is None else principal.user_id)):
        raise NotFound(f"There is no container image {public_id('img', image_id)}")
    return row


def images(session: Session, user_id: str, page: CursorPage) -> Slice[ContainerImage]:
    """Return a page of a user's images, newest first."""
    statement = select(ContainerImage).where(ContainerImage.user_id == user_id)
    return page.of(session, statement, ContainerImage.created_at, ContainerImage.id)


def image_by_hash(session: Session, user_id: str, client_hash: str) -> ContainerImage | None:
    of_hash = (ContainerImage.user_id == user_id, ContainerImage.client_hash == client_hash)
    return session.scalar(select(ContainerImage).where(*of_hash))


def last_version(session: Session, user_id: str, name: str) -> int:
    """Return the number of the latest image of a name; 0 if there is none."""
    of_name = (ContainerImage.user_id == user_id, ContainerImage.name == name)
    return session.scalar(select(func.max(ContainerImage.version)).where(*of_name)) or 0


def pending_images(session: Session, user_id: str, *, since: datetime) -> int:
    """Count the incomplete images of a user that changed after a time."""
    pending = (
        ContainerImage.user_id == user_id,
        ContainerImage.status == ImageStatus.PENDING,
        ContainerImage.updated_at > since,
    )
    return count(session, select(ContainerImage.id).where(*pending))


def pullable(session: Session, image_id: uuid.UUID, caller: RegistryCaller) -> ContainerImage:
    """Return an image that a caller of the registry may pull."""
    row = session.get(ContainerImage, image_id)
    if row is not None and (row.id in caller.pull_images or _may_see(row, _user_for(caller, image_id))):
        return row
    if caller.is_anonymous:
        raise Unauthorized("Sign in to pull this image, for example with `podman login`")
    raise NameUnknown(f"There is no image {image_id} that you may pull")


def pushable(session: Session, image_id: uuid.UUID, caller: RegistryCaller) -> ContainerImage:
    """Return an image to which a caller may push: an own one, complete or not."""
    if caller.is_anonymous:
        raise Unauthorized("Sign in to push, or use the credentials of the upload")
    row = pullable(session, image_id, caller)
    if row.user_id != _user_for(caller, image_id) or not caller.can_write:
        raise Denied("These credentials do not allow a push to this image")
    return row


def readable_blob(session: Session, image_id: uuid.UUID, digest: str, caller: RegistryCaller) -> Blob:
    """Return a blob that is part of an image, or that the image's owner has sent and may still add to it."""
    row = pullable(session, image_id, caller)
    blob = session.get(Blob, digest)
    if blob is not None:
        if session.get(ImageBlob, (image_id, digest)) is not None:
            return blob
        if row.user_id == _user_for(caller, image_id) and owned_blob(session, row.user_id, digest) is not None:
            return blob
    raise BlobUnknown(f"This image has no blob {digest}")


def owned_blob(session: Session, user_id: str, digest: str) -> BlobOwner | None:
    """Return the record that a user has sent a blob."""
    return session.get(BlobOwner, (user_id, digest))


def usable_blobs(session: Session, image: ContainerImage, digests: Collection[str]) -> dict[str, Blob]:
    """Return those of the blobs that the owner of an image may refer to in its manifest."""
    owned = select(BlobOwner.digest).where(BlobOwner.user_id == image.user_id)
    used = select(ImageBlob.digest).where(ImageBlob.image_id == image.id)
    statement = select(Blob).where(Blob.digest.in_(digests), Blob.digest.in_(owned) | Blob.digest.in_(used))
    return {blob.digest: blob for blob in session.scalars(statement)}


def upload(session: Session, image_id: uuid.UUID, upload_id: uuid.UUID, caller: RegistryCaller) -> BlobUpload:
    """Return an upload to an image of the caller."""
    pushable(session, image_id, caller)
    row = session.get(BlobUpload, upload_id)
    if row is None or row.image_id != image_id or row.user_id != caller.user_id:
        raise BlobUploadUnknown("There is no such upload; begin another one")
    return row


def open_uploads(session: Session, user_id: str) -> int:
    """Count the uploads of blobs that a user has begun and not completed."""
    return count(session, select(BlobUpload.id).where(BlobUpload.user_id == user_id))


def _may_see(row: ContainerImage, user_id: str | None) -> bool:
    return row.user_id == user_id or (row.public and row.status is ImageStatus.READY)


def _user_for(caller: RegistryCaller, image_id: uuid.UUID) -> str | None:
    """Return the caller's user, or None if the credentials are for a push to another image."""
    return caller.user_id if caller.push_image in (None, image_id) else None
