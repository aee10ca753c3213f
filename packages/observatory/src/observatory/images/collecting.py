"""Remove uploads that were abandoned, images that were never completed, and blobs that no manifest refers to."""

from __future__ import annotations

import functools
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta

import anyio.to_thread
from sqlalchemy import ColumnElement, Delete, delete, exists, select
from sqlalchemy.orm import Session

from observatory.database import Base, Database
from observatory.database.tables.images import Blob, BlobOwner, BlobUpload, ContainerImage, ImageBlob, ImageStatus
from observatory.images.uploads import blob_locks, upload_locks
from observatory.store import Store
from observatory.store.layout import BLOB_UPLOADS, BLOBS, blob_key, blob_upload_prefix

__all__ = ["Collected", "collect_garbage"]

KEPT = timedelta(days=1)
"""how long a blob without a manifest, an upload or an incomplete image remains"""


@dataclass(frozen=True)
class Collected:
    """Counts of removed things."""

    uploads: int
    images: int
    blobs: int
    bytes: int


async def collect_garbage(database: Database, store: Store, now: datetime) -> Collected:
    """Remove what is older than a day and not in use, and files in the store that no row knows."""
    before = now - KEPT
    uploads = await _collect_uploads(database, store, before)
    images = await database.write(lambda session: _delete_images(session, before))
    await database.write(lambda session: _delete_owners(session, before))
    blobs, size = await _collect_blobs(database, store, before)
    return Collected(uploads, images, blobs, size)


async def _collect_uploads(database: Database, store: Store, before: datetime) -> int:
    old = await database.query(lambda session: _ids(session, BlobUpload.updated_at < before))
    for upload_id in old:
        async with upload_locks.held(upload_id):
            abandoned = (BlobUpload.id == upload_id, BlobUpload.updated_at < before)
            await database.write(functools.partial(_execute, statement=delete(BlobUpload).where(*abandoned)))
    keys = await anyio.to_thread.run_sync(store.keys, BLOB_UPLOADS)
    names = {key.removeprefix(BLOB_UPLOADS).partition("/")[0] for key in keys}
    for upload_id in {uuid.UUID(name) for name in names}:
        async with upload_locks.held(upload_id):
            if not await database.query(functools.partial(_exists, table=BlobUpload, key=upload_id)):
                await anyio.to_thread.run_sync(_delete_all, store, blob_upload_prefix(upload_id))
    return len(old)


def _delete_images(session: Session, before: datetime) -> int:
    """Delete images that were not completed. Nothing can refer to them."""
    has_upload = exists().where(BlobUpload.image_id == ContainerImage.id)
    abandoned = (ContainerImage.status == ImageStatus.PENDING, ContainerImage.updated_at < before, ~has_upload)
    ids = list(session.scalars(select(ContainerImage.id).where(*abandoned)))
    if ids:
        session.execute(delete(ImageBlob).where(ImageBlob.image_id.in_(ids)))
        session.execute(delete(ContainerImage).where(ContainerImage.id.in_(ids)))
    return len(ids)


def _delete_owners(session: Session, before: datetime) -> None:
    """Forget that users have sent blobs that none of their images uses."""
    used = exists().where(
        ImageBlob.digest == BlobOwner.digest,
        ImageBlob.image_id == ContainerImage.id,
        ContainerImage.user_id == BlobOwner.user_id,
    )
    session.execute(delete(BlobOwner).where(BlobOwner.created_at < before, ~used))


async def _collect_blobs(database: Database, store: Store, before: datetime) -> tuple[int, int]:
    """Delete blobs without an owner and a reference; return how many, and their bytes."""
    unused = await database.query(lambda session: list(session.scalars(select(Blob.digest).where(*_unused(before)))))
    known = await database.query(lambda session: set(session.scalars(select(Blob.digest))))
    keys = await anyio.to_thread.run_sync(store.keys, BLOBS)
    unknown = [digest for key in keys if (digest := key.removeprefix(BLOBS).replace("/", ":")) not in known]
    removed = removed_bytes = 0
    for digest in [*unused, *unknown]:
        async with blob_locks.held(digest):  # an upload of this blob waits, or has made its row
            statement = delete(Blob).where(Blob.digest == digest, *_unused(before))
            await database.write(functools.partial(_execute, statement=statement))
            if not await database.query(functools.partial(_exists, table=Blob, key=digest)):
                removed += 1
                removed_bytes += await anyio.to_thread.run_sync(_delete_blob, store, digest)
    return removed, removed_bytes


def _unused(before: datetime) -> list[ColumnElement[bool]]:
    owned = exists().where(BlobOwner.digest == Blob.digest)
    referred = exists().where(ImageBlob.digest == Blob.digest)
    return [Blob.created_at < before, ~owned, ~referred]


def _ids(session: Session, condition: ColumnElement[bool]) -> list[uuid.UUID]:
    return list(session.scalars(select(BlobUpload.id).where(condition)))


def _execute(session: Session, *, statement: Delete) -> None:
    session.execute(statement)


def _exists(session: Session, *, table: type[Base], key: object) -> bool:
    return session.get(table, key) is not None


def _delete_blob(store: Store, digest: str) -> int:
    size = store.size(blob_key(digest)) or 0
    store.delete(blob_key(digest))
    return size


def _delete_all(store: Store, prefix: str) -> None:
    for key in store.keys(prefix):
        store.delete(key)
