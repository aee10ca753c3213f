"""Receive blobs in chunks.

An upload is a row and a folder of chunks in the store. Its offset is where the last chunk ends, so an upload continues
after a crash of the client or the server. When the upload ends, its chunks become the blob if they have its digest;
otherwise nothing remains of them.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import datetime

import anyio
import anyio.to_thread
from sqlalchemy.orm import Session
from starlette.requests import ClientDisconnect, Request

from observatory.database import Database
from observatory.database.tables.images import Blob, BlobUpload, ContainerImage
from observatory.errors import TooLarge, TooManyRequests, Unavailable
from observatory.images import repository, service
from observatory.images.errors import BlobUploadInvalid, BlobUploadUnknown, DigestInvalid, RangeInvalid, SizeInvalid
from observatory.locks import KeyedLocks
from observatory.quotas import check_stored_bytes
from observatory.settings import MEGABYTE, Settings
from observatory.store import Store
from observatory.store.layout import blob_key, blob_upload_prefix, chunk_key

__all__ = ["BlobReceiver", "begin_upload", "blob_locks", "upload_locks"]

CHUNK_BYTES = 8 * MEGABYTE
MAX_CHUNKS = 10_000
_RANGE = re.compile(r"(?:bytes )?([0-9]{1,15})-([0-9]{1,15})(?:/.*)?")

upload_locks = KeyedLocks()
"""by id: an upload has one writer"""
blob_locks = KeyedLocks()
"""by digest: a blob is written or removed by one task"""

# Checking a digest takes a core; uploads that wait for it must not hold the threads that serve other requests.
_hashers = anyio.CapacityLimiter(2)


def begin_upload(session: Session, image: ContainerImage, *, settings: Settings, now: datetime) -> BlobUpload:
    """Begin an upload of a blob to an image."""
    service.check_open(image)
    open_uploads = repository.open_uploads(session, image.user_id)
    if open_uploads >= settings.max_pending_uploads_per_user:
        raise TooManyRequests(f"{open_uploads} uploads of blobs are open; complete or cancel one", retry_after=60)
    check_stored_bytes(session, image.user_id, 0, settings=settings)
    upload = BlobUpload(image_id=image.id, user_id=image.user_id, created_at=now, updated_at=now)
    image.updated_at = now
    session.add(upload)
    session.flush()
    return upload


@dataclass(frozen=True)
class BlobReceiver:
    """Receives the blob of one upload. Its bytes are in memory one chunk at a time."""

    database: Database
    store: Store
    settings: Settings
    upload_id: uuid.UUID

    async def offset(self) -> int:
        """Return how many bytes have arrived."""
        return (await anyio.to_thread.run_sync(self._chunks))[1]

    async def append(self, request: Request, *, now: datetime) -> int:
        """Store the body of a request behind what has arrived; return the new offset.

        When the client disconnects, the bytes that have arrived remain. A blob that is too large is removed.
        """
        keys, offset = await anyio.to_thread.run_sync(self._chunks)
        self._check_range(request.headers.get("content-range"), offset)
        try:
            length = request.headers.get("content-length", "")
            self._check_size(offset + (int(length) if length.isdecimal() else 0))
            return await self._append(request.stream(), offset, len(keys), now=now)
        except (SizeInvalid, TooLarge):
            await self.cancel()
            raise

    async def _append(self, stream: AsyncIterator[bytes], offset: int, count: int, *, now: datetime) -> int:
        waiting = bytearray()
        disconnected = False
        try:
            async for piece in stream:
                waiting += piece
                self._check_size(offset + len(waiting))
                while len(waiting) >= CHUNK_BYTES:
                    offset = await self._store(bytes(waiting[:CHUNK_BYTES]), offset, count, now=now)
                    count += 1
                    del waiting[:CHUNK_BYTES]
        except ClientDisconnect:
            disconnected = True
        if waiting:
            offset = await self._store(bytes(waiting), offset, count, now=now)
        if disconnected:
            raise BlobUploadInvalid("The upload was interrupted; continue it where it ended")
        return offset

    async def finish(self, digest: str, *, now: datetime) -> Blob:
        """Make the chunks the blob of this digest, and end the upload; a wrong digest removes all of it."""
        async with blob_locks.held(digest):
            stored = await self.database.query(lambda session: session.get(Blob, digest))
            try:
                size, written = await anyio.to_thread.run_sync(
                    self._assemble, digest, stored is not None, limiter=_hashers
                )
            except DigestInvalid:
                await self.cancel()
                raise
            try:
                blob = await self.database.write(lambda session: self._record(session, digest, size, now=now))
            except BaseException:
                if written and stored is None:
                    with anyio.CancelScope(shield=True):
                        await anyio.to_thread.run_sync(self.store.delete, blob_key(digest))
                raise
        await anyio.to_thread.run_sync(self.delete_chunks)
        return blob

    async def cancel(self) -> None:
        """End the upload and remove what has arrived."""
        await self.database.write(self._remove)
        await anyio.to_thread.run_sync(self.delete_chunks)

    def delete_chunks(self) -> None:
        for key in self.store.keys(blob_upload_prefix(self.upload_id)):
            self.store.delete(key)

    def _check_size(self, size: int) -> None:
        if size > self.settings.max_image_bytes:
            raise SizeInvalid(f"A blob may have at most {self.settings.max_image_bytes // MEGABYTE} MB")

    def _check_range(self, content_range: str | None, offset: int) -> None:
        if content_range is None:
            return
        match = _RANGE.fullmatch(content_range.strip())
        if match is None:
            raise BlobUploadInvalid(f"Content-Range {content_range[:100]!r} is not `start-end`")
        if int(match[1]) != offset:
            raise RangeInvalid(f"The upload continues at {offset}, not at {int(match[1])}")

    def _chunks(self) -> tuple[list[str], int]:
        """Return the keys of the chunks in order, and where they end. The keys contain the offsets."""
        keys = self.store.keys(blob_upload_prefix(self.upload_id))
        if not keys:
            return keys, 0
        return keys, int(keys[-1].rpartition("/")[2]) + (self.store.size(keys[-1]) or 0)

    async def _store(self, data: bytes, offset: int, count: int, *, now: datetime) -> int:
        """Store a chunk and count it towards the quota; return the offset behind it."""
        if count >= MAX_CHUNKS:
            raise BlobUploadInvalid("The upload came in too many small parts; begin another one with larger parts")
        free = await anyio.to_thread.run_sync(self.store.free_bytes)
        if free is not None and free - len(data) < self.settings.min_free_bytes:
            raise Unavailable("The disk of the store is nearly full; try again later", retry_after=600)
        end = offset + len(data)
        await self.database.write(lambda session: self._count(session, end, len(data), now=now))
        await anyio.to_thread.run_sync(self.store.put, chunk_key(self.upload_id, offset), data)
        return end

    def _count(self, session: Session, end: int, added: int, *, now: datetime) -> None:
        upload = session.get(BlobUpload, self.upload_id)
        if upload is None:
            raise BlobUploadUnknown("This upload was cancelled; begin another one")
        if end > upload.received:
            check_stored_bytes(session, upload.user_id, min(added, end - upload.received), settings=self.settings)
            upload.received = end
        upload.updated_at = now
        session.flush()

    def _assemble(self, digest: str, is_stored: bool) -> tuple[int, bool]:
        """Check the digest of the chunks and write the blob unless the store has it; its size, and whether it wrote."""
        keys, size = self._chunks()
        pieces = self._verified(keys, digest)
        if is_stored and self.store.size(blob_key(digest)) is not None:
            for _ in pieces:
                pass
            return size, False
        self.store.put_stream(blob_key(digest), pieces)
        return size, True

    def _verified(self, keys: list[str], digest: str) -> Iterator[bytes]:
        actual = hashlib.sha256()
        for key in keys:
            for piece in self.store.stream(key):
                actual.update(piece)
                yield piece
        if digest != f"sha256:{actual.hexdigest()}":
            raise DigestInvalid(f"The blob has the digest sha256:{actual.hexdigest()}, not {digest}; send it again")

    def _record(self, session: Session, digest: str, size: int, *, now: datetime) -> Blob:
        upload = session.get(BlobUpload, self.upload_id)
        if upload is None:
            raise BlobUploadUnknown("This upload was cancelled; begin another one")
        blob = session.get(Blob, digest)
        if blob is None:
            blob = Blob(digest=digest, size=size, created_at=now)
            session.add(blob)
            session.flush()
        service.own_blob(session, upload.user_id, digest, now=now)
        session.delete(upload)
        session.flush()
        return blob

    def _remove(self, session: Session) -> None:
        upload = session.get(BlobUpload, self.upload_id)
        if upload is not None:
            session.delete(upload)
