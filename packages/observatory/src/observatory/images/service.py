"""Rules for images: begin, push a manifest, complete, publish."""

from __future__ import annotations

import base64
import re
import uuid
from collections.abc import Collection
from datetime import datetime, timedelta

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.database.tables.images import (
    MAX_IMAGE_NAME_CHARACTERS,
    Blob,
    BlobOwner,
    ContainerImage,
    ImageBlob,
    ImageStatus,
)
from observatory.errors import Conflict, NotFound, TooManyRequests, Unprocessable
from observatory.images import repository
from observatory.images.access import RegistryCaller, push_token
from observatory.images.addresses import Registry, repository_name, tag_of
from observatory.images.errors import Denied, DigestInvalid, ManifestBlobUnknown, ManifestInvalid, SizeInvalid
from observatory.images.manifests import Manifest
from observatory.keys import Keys
from observatory.public_ids import public_id
from observatory.quotas import check_stored_bytes
from observatory.settings import MEGABYTE, Settings
from softmax.wire.images import ImageUpload, PushInfo

__all__ = ["begin_image", "check_manifest", "complete_image", "mount_blob", "publish", "put_manifest", "ready_image"]

PENDING_FOR = timedelta(days=1)
"""after which an image that was not completed is removed"""
_NAME = re.compile(rf"[A-Za-z0-9_][A-Za-z0-9._-]{{0,{MAX_IMAGE_NAME_CHARACTERS - 1}}}")
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}")


def begin_image(
    session: Session,
    principal: Principal,
    name: str,
    client_hash: str,
    *,
    registry: Registry,
    settings: Settings,
    keys: Keys,
    now: datetime,
) -> ImageUpload:
    """Return the caller's image with this hash, and the credentials for its push unless it is complete."""
    if not _NAME.fullmatch(name):
        raise Unprocessable(
            f"The name of an image has 1 to {MAX_IMAGE_NAME_CHARACTERS} letters, digits, `.`, `_` and `-`"
        )
    image = repository.image_by_hash(session, principal.user_id, client_hash)
    if image is None:
        image = _new_image(session, principal.user_id, name, client_hash, settings=settings, now=now)
    elif image.status is ImageStatus.READY:
        return ImageUpload(image=registry.row(image))
    image.updated_at = now
    session.flush()
    password = push_token(keys.secret, image.id, principal.user_id, seconds=settings.image_push_seconds)
    info = PushInfo(
        region="local",
        registry=registry.host,
        repository=repository_name(image.id),
        tag=tag_of(image),
        image_uri=registry.image_uri(image),
        endpoint_url=registry.origin,
        authorization_token=base64.b64encode(f"push:{password}".encode()).decode(),
    )
    return ImageUpload(image=registry.row(image), pre_signed_info=info)


def _new_image(
    session: Session, user_id: str, name: str, client_hash: str, *, settings: Settings, now: datetime
) -> ContainerImage:
    pending = repository.pending_images(session, user_id, since=now - PENDING_FOR)
    if pending >= settings.max_pending_uploads_per_user:
        raise TooManyRequests(f"{pending} images were begun and not completed; complete one or wait", retry_after=3600)
    image = ContainerImage(
        user_id=user_id,
        name=name,
        version=repository.last_version(session, user_id, name) + 1,
        client_hash=client_hash,
        status=ImageStatus.PENDING,
        created_at=now,
        updated_at=now,
    )
    session.add(image)
    return image


def complete_image(session: Session, principal: Principal, image_id: uuid.UUID, *, now: datetime) -> ContainerImage:
    """Make a pushed image usable; from then on it cannot change. A repeated request returns the same image."""
    image = session.get(ContainerImage, image_id)
    if image is None or image.user_id != principal.user_id:
        raise NotFound(f"You have no container image {public_id('img', image_id)}")
    if image.digest is None:
        raise Conflict(f"No manifest was pushed to {repository_name(image.id)}; push the image first")
    image.status = ImageStatus.READY
    image.updated_at = now
    session.flush()
    return image


def ready_image(session: Session, principal: Principal, image_id: uuid.UUID) -> ContainerImage:
    """Return a complete image that a principal may use; raise `Conflict` for an incomplete one."""
    image = repository.image(session, image_id, principal)
    if image.status is not ImageStatus.READY:
        raise Conflict(f"The container image {public_id('img', image.id)} is not complete; push and complete it first")
    return image


def publish(session: Session, image_ids: Collection[uuid.UUID]) -> None:
    """Let anyone pull these images: a public Coworld uses them."""
    for image in session.scalars(select(ContainerImage).where(ContainerImage.id.in_(image_ids))):
        image.public = True
    session.flush()


def check_open(image: ContainerImage) -> None:
    """Raise `Denied` for a complete image."""
    if image.status is ImageStatus.READY:
        raise Denied("This image is complete and cannot change; upload another one")


def check_manifest(
    session: Session, image: ContainerImage, reference: str, manifest: Manifest, *, settings: Settings
) -> None:
    """Raise the reason why a manifest cannot be the one of this image."""
    if ":" in reference:
        if reference != manifest.digest:
            raise DigestInvalid(f"The manifest has the digest {manifest.digest}, not {reference[:100]}")
    elif not _TAG.fullmatch(reference):
        raise ManifestInvalid(f"{reference[:100]!r} is not a valid tag")
    if image.digest != manifest.digest:
        check_open(image)
    blobs = repository.usable_blobs(session, image, manifest.blobs)
    for digest, size in manifest.blobs.items():
        if digest not in blobs:
            raise ManifestBlobUnknown(f"The manifest refers to {digest}, which you have not pushed")
        if blobs[digest].size != size:
            raise ManifestInvalid(f"{digest} has {blobs[digest].size} bytes; the manifest says {size}")
    if manifest.size > settings.max_image_bytes:
        raise SizeInvalid(
            f"The image has {manifest.size // MEGABYTE} MB; at most {settings.max_image_bytes // MEGABYTE} are allowed"
        )


def put_manifest(
    session: Session, image: ContainerImage, reference: str, manifest: Manifest, *, settings: Settings, now: datetime
) -> None:
    """Store the manifest of an image, in place of an earlier one."""
    check_manifest(session, image, reference, manifest, settings=settings)
    if image.digest == manifest.digest and image.status is ImageStatus.READY:
        return
    if ":" not in reference:
        image.tag = reference
    image.manifest = manifest.content
    image.media_type = manifest.media_type
    image.digest = manifest.digest
    image.size_bytes = manifest.size
    image.updated_at = now
    session.execute(delete(ImageBlob).where(ImageBlob.image_id == image.id))
    session.add_all(ImageBlob(image_id=image.id, digest=digest) for digest in manifest.blobs)
    session.flush()


def mount_blob(
    session: Session,
    image: ContainerImage,
    source_id: uuid.UUID,
    digest: str,
    caller: RegistryCaller,
    *,
    settings: Settings,
    now: datetime,
) -> Blob:
    """Let the owner of an image use a blob of another image that the caller may pull."""
    blob = repository.readable_blob(session, source_id, digest, caller)
    if repository.owned_blob(session, image.user_id, digest) is None:
        check_stored_bytes(session, image.user_id, blob.size, settings=settings)
    own_blob(session, image.user_id, digest, now=now)
    return blob


def own_blob(session: Session, user_id: str, digest: str, *, now: datetime) -> None:
    """Record that a user has sent a blob, now."""
    owner = repository.owned_blob(session, user_id, digest)
    if owner is None:
        session.add(BlobOwner(user_id=user_id, digest=digest, created_at=now))
    else:
        owner.created_at = now
    session.flush()
