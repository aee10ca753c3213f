"""Turn an upload into a policy version.

The version takes its id from the upload, and its bundle is moved to a key for which no URL was ever signed. So each
step can be repeated after a crash, and a client cannot change a bundle after its check.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta

import anyio
import anyio.to_thread
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.database import Database, new_id
from observatory.database.tables.policies import PolicyVersion, Upload
from observatory.errors import BadRequest, ObservatoryError, TooLarge, TooManyRequests
from observatory.keys import Keys
from observatory.locks import KeyedLocks
from observatory.policies import repository, service
from observatory.policies.bundles import BundleFacts, inspect_bundle
from observatory.policies.names import check_policy_name
from observatory.policies.schemas import CompleteRequest
from observatory.policies.secrets import check_secrets
from observatory.quotas import check_uploads
from observatory.seasons import submissions
from observatory.settings import MEGABYTE, Settings
from observatory.store import Missing, Store, bundle_key, upload_key
from softmax.wire import PolicyVersionResponse, PresignedUploadUrlResponse

__all__ = ["Completion", "begin_upload", "record_upload", "version_response"]

ZIP = "application/zip"
POLICY = "policy"

# Reading a bundle takes a core, up to a gigabyte and a minute: uploads that wait for it must not hold the threads that
# serve other requests.
_readers = anyio.CapacityLimiter(2)

_locks = KeyedLocks()
"""by id: an upload is completed once"""


def begin_upload(
    session: Session, principal: Principal, store: Store, *, settings: Settings, now: datetime
) -> PresignedUploadUrlResponse:
    """Begin an upload of a bundle."""
    upload_id = new_id()
    key = upload_key(principal.user_id, upload_id)
    record_upload(session, principal, upload_id, POLICY, key, settings=settings, now=now)
    url = store.upload_url(
        key, content_type=ZIP, max_bytes=settings.max_bundle_bytes, seconds=settings.upload_url_seconds
    )
    return PresignedUploadUrlResponse(upload_url=url, s3_key=key, upload_id=upload_id)


def record_upload(
    session: Session,
    principal: Principal,
    upload_id: uuid.UUID,
    kind: str,
    key: str,
    *,
    settings: Settings,
    now: datetime,
) -> None:
    """Record an upload that begins; raise 429 beyond the limits of a day and of pending uploads."""
    check_uploads(session, principal.user_id, settings=settings, now=now)
    lifetime = timedelta(seconds=settings.upload_url_seconds)
    if (
        repository.open_uploads(session, principal.user_id, since=now - lifetime)
        >= settings.max_pending_uploads_per_user
    ):
        raise TooManyRequests(
            f"{settings.max_pending_uploads_per_user} uploads were begun and not completed; complete one or wait",
            retry_after=settings.upload_url_seconds,
        )
    session.add(
        Upload(
            id=upload_id,
            user_id=principal.user_id,
            player_id=principal.player_id,
            kind=kind,
            key=key,
            created_at=now,
        )
    )
    session.flush()


@dataclass(frozen=True)
class Completion:
    """Completes uploads. The bundle is read between two transactions: that may take a minute."""

    database: Database
    store: Store
    settings: Settings
    keys: Keys

    async def complete(self, principal: Principal, body: CompleteRequest, *, now: datetime) -> PolicyVersionResponse:
        """Complete an upload; a repeated request returns the same version."""
        name = check_policy_name(body.name)
        secrets = check_secrets(body.policy_secret_env or {})
        async with _locks.held(body.upload_id):
            existing = await self.database.query(lambda session: self._finished(session, principal, body.upload_id))
            if existing is not None:
                return existing
            key, facts = await anyio.to_thread.run_sync(
                self._take_bundle, principal.user_id, body.upload_id, limiter=_readers
            )
            new = service.NewVersion(id=body.upload_id, bundle_key=key, facts=facts, secrets=secrets)
            return await self.database.write(
                lambda session: self._record(session, principal, name, new, body.season, now=now)
            )

    def _finished(self, session: Session, principal: Principal, upload_id: uuid.UUID) -> PolicyVersionResponse | None:
        """Return the response to a repeated request; `BadRequest` for an upload that is not this user's."""
        upload = repository.upload(session, upload_id, user_id=principal.user_id, kind=POLICY)
        if upload is None:
            raise BadRequest(f"You have no upload {upload_id}; begin a new one")
        if upload.policy_version_id is None:
            return None
        return version_response(repository.version(session, upload.policy_version_id))

    def _take_bundle(self, user_id: str, upload_id: uuid.UUID) -> tuple[str, BundleFacts]:
        """Move the bundle to its final key and inspect it; delete a rejected bundle."""
        key = bundle_key(upload_id)
        source = upload_key(user_id, upload_id)
        size = self.store.size(source)
        self._check_size(source, size or self.store.refused_size(source) or 0)
        if size is not None:
            self.store.move(source, key)
        try:
            with self.store.local(key) as path:
                self._check_size(key, path.stat().st_size)
                return key, inspect_bundle(path)
        except Missing:
            raise BadRequest("The bundle was not uploaded; PUT it to the upload URL first") from None
        except BadRequest:
            self.store.delete(key)
            raise

    def _check_size(self, key: str, size: int) -> None:
        max_bytes = self.settings.max_bundle_bytes
        if size > max_bytes:
            self.store.delete(key)
            raise TooLarge(f"Policy too large: {size // MEGABYTE} MB (max {max_bytes // MEGABYTE} MB)")

    def _record(
        self,
        session: Session,
        principal: Principal,
        name: str,
        new: service.NewVersion,
        season: str | None,
        *,
        now: datetime,
    ) -> PolicyVersionResponse:
        upload = repository.upload(session, new.id, user_id=principal.user_id, kind=POLICY)
        assert upload is not None
        policy = service.get_or_create_policy(session, principal, name, settings=self.settings, now=now)
        version = service.add_version(session, principal, policy, new, settings=self.settings, keys=self.keys, now=now)
        upload.policy_version_id = version.id
        upload.completed_at = now
        session.flush()
        return submit_if_requested(session, principal, version, season, now=now)


def submit_if_requested(
    session: Session, principal: Principal, version: PolicyVersion, season: str | None, *, now: datetime
) -> PolicyVersionResponse:
    """Return the response for a new version, submitted to the named season, if any; the response reports a failure."""
    response = version_response(version)
    if season is None:
        return response
    try:
        with session.begin_nested():
            response.pools = submissions.submit(session, principal, season, version.id, now=now)
    except ObservatoryError as error:
        response.submit_error = error.message
    return response


def version_response(version: PolicyVersion) -> PolicyVersionResponse:
    return PolicyVersionResponse(id=version.id, name=version.policy.name, version=version.version)
