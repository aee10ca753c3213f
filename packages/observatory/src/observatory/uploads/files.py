"""Turn a file into a policy version, for games that load players themselves.

A file is stored once under its digest. A user who wants a version of it has to send it, or to have sent it before: the
digest alone proves nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

import anyio.to_thread
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.database import Database, new_id
from observatory.errors import BadRequest, Conflict, TooLarge
from observatory.keys import Keys
from observatory.policies import repository, service
from observatory.policies.bundles import BundleFacts
from observatory.policies.schemas import FilePolicy
from observatory.quotas import check_stored_bytes
from observatory.settings import MEGABYTE, Settings
from observatory.store import Missing, Store, file_upload_key, policy_file_key
from observatory.store.digested import digested_files
from observatory.uploads.completion import record_upload, version_response
from observatory.uploads.names import name_for
from softmax.wire import PolicyVersionResponse
from softmax.wire.policies import FileUploadResponse

__all__ = ["FileCompletion", "begin_file_upload"]

POLICY_FILE = "policy-file"
CONTENT_TYPE = "application/octet-stream"


def begin_file_upload(
    session: Session, principal: Principal, body: FilePolicy, store: Store, *, settings: Settings, now: datetime
) -> FileUploadResponse:
    """Return where to put a file, or the version of the policy that is this file; `Conflict` if it was sent before."""
    service.check_tags(body.tags)
    name = name_for(session, principal, body.name)
    if body.size_bytes > settings.max_policy_file_bytes:
        raise TooLarge(
            f"The file has {body.size_bytes // MEGABYTE} MB; "
            f"at most {settings.max_policy_file_bytes // MEGABYTE} MB are allowed"
        )
    existing = repository.version_of_file(session, principal.user_id, body.content_hash, name)
    if existing is not None:
        return FileUploadResponse(existing_policy_version=version_response(existing))
    if repository.version_of_file(session, principal.user_id, body.content_hash) is not None:
        raise Conflict("You have sent this file before; complete the upload")
    check_stored_bytes(session, principal.user_id, body.size_bytes, settings=settings)
    key = file_upload_key(principal.user_id, body.content_hash)
    pending = repository.upload_of_key(session, key)
    if pending is None:
        record_upload(session, principal, new_id(), POLICY_FILE, key, settings=settings, now=now)
    else:  # an upload that was interrupted, which counts once
        pending.created_at = now
        session.flush()
    url = store.upload_url(
        key, content_type=CONTENT_TYPE, max_bytes=body.size_bytes, seconds=settings.upload_url_seconds, exact=True
    )
    return FileUploadResponse(upload_url=url)


@dataclass(frozen=True)
class FileCompletion:
    """Completes uploads of files. The file is checked between two transactions."""

    database: Database
    store: Store
    settings: Settings
    keys: Keys

    async def complete(self, principal: Principal, body: FilePolicy, *, now: datetime) -> PolicyVersionResponse:
        """Create a version from an uploaded file; the same file under the same name is the same version."""
        user_id, digest = principal.user_id, body.content_hash
        async with digested_files.held(policy_file_key(digest)):
            name, existing, was_sent = await self.database.query(lambda session: self._find(session, principal, body))
            if existing is not None:
                return existing
            if not was_sent:
                await anyio.to_thread.run_sync(self._take_file, user_id, body)
            response = await self.database.write(lambda session: self._record(session, principal, name, body, now=now))
            await anyio.to_thread.run_sync(self.store.delete, file_upload_key(user_id, digest))
            return response

    def _find(
        self, session: Session, principal: Principal, body: FilePolicy
    ) -> tuple[str, PolicyVersionResponse | None, bool]:
        """Return the policy's name, its version that is this file, and whether the user has sent the file before."""
        name = name_for(session, principal, body.name)
        existing = repository.version_of_file(session, principal.user_id, body.content_hash, name)
        if existing is not None:
            return name, version_response(existing), True
        sent = repository.version_of_file(session, principal.user_id, body.content_hash)
        if sent is not None and sent.bundle_bytes != body.size_bytes:
            raise BadRequest(f"The file has {sent.bundle_bytes} bytes, not {body.size_bytes}")
        return name, None, sent is not None

    def _take_file(self, user_id: str, body: FilePolicy) -> None:
        """Store the uploaded file under its digest; a file with another digest or size is deleted."""
        source = file_upload_key(user_id, body.content_hash)
        try:
            self.store.put_stream(policy_file_key(body.content_hash), self._verified(source, body))
        except Missing:
            raise BadRequest("The file was not uploaded; PUT it to the upload URL first") from None
        except BadRequest:
            self.store.delete(source)
            raise

    def _verified(self, source: str, body: FilePolicy) -> Iterator[bytes]:
        digest, size = hashlib.sha256(), 0
        for piece in self.store.stream(source):
            digest.update(piece)
            size += len(piece)
            yield piece
        if (digest.hexdigest(), size) != (body.content_hash, body.size_bytes):
            raise BadRequest(
                f"The uploaded file has {size} bytes and the SHA-256 {digest.hexdigest()}; begin another upload"
            )

    def _record(
        self, session: Session, principal: Principal, name: str, body: FilePolicy, *, now: datetime
    ) -> PolicyVersionResponse:
        policy = service.get_or_create_policy(session, principal, name, settings=self.settings, now=now)
        spec = {"type": "player-file", "content_hash": body.content_hash, "size_bytes": body.size_bytes}
        facts = BundleFacts(spec, [], body.size_bytes, body.content_hash)
        new = service.NewVersion(facts=facts, tags=body.tags)
        version = service.add_version(session, principal, policy, new, settings=self.settings, keys=self.keys, now=now)
        upload = repository.upload_of_key(session, file_upload_key(principal.user_id, body.content_hash))
        if upload is not None:
            upload.policy_version_id = version.id
            upload.completed_at = now
        session.flush()
        return version_response(version)
