"""Older routes for policies, still called by scripts people have."""

from __future__ import annotations

import shutil
import tempfile
import uuid
from pathlib import Path
from typing import Annotated

import anyio.to_thread
from fastapi import File, Form, UploadFile

from observatory.clock import Now
from observatory.database import DatabaseDep, SessionDep, own_transactions
from observatory.errors import BadRequest, Conflict, Forbidden, NotFound, TooLarge, Unauthorized, errors
from observatory.http.bodies import KILOBYTE
from observatory.http.callers import CurrentPrincipal, OptionalPrincipal, Writer
from observatory.http.deps import KeysDep, SettingsDep, StoreDep
from observatory.http.routing import Router, body_rule
from observatory.paging import PageDep
from observatory.policies import repository, service
from observatory.policies.repository import VersionFilter
from observatory.policies.schemas import CompleteRequest, PolicyCreate, PolicyCreated, PolicyVersionCreate, TagsUpdate
from observatory.policies.wire import version_row
from observatory.settings import MEGABYTE
from observatory.store import Store
from observatory.uploads import completion as uploads
from softmax.wire import PolicyVersionResponse, PolicyVersionRow, PolicyVersionsResponse

__all__ = ["router"]

router = Router(prefix="/stats/policies", tags=["legacy_policies"])


@router.post("", responses=errors(Unauthorized, Forbidden, Conflict))
@body_rule(256 * KILOBYTE)
def create_policy(
    body: PolicyCreate, session: SessionDep, principal: Writer, settings: SettingsDep, now: Now
) -> PolicyCreated:
    """Return the caller's policy of this name, created if it does not exist."""
    policy = service.get_or_create_policy(
        session, principal, body.name, settings=settings, now=now, attributes=body.attributes
    )
    return PolicyCreated(id=policy.id)


@router.get("/my-versions", responses=errors(Unauthorized))
def list_my_versions(session: SessionDep, principal: CurrentPrincipal, page: PageDep) -> PolicyVersionsResponse:
    """Return the caller's policy versions, newest first."""
    rows, total = repository.versions(session, VersionFilter(user_id=principal.user_id), page)
    return PolicyVersionsResponse(entries=[version_row(row, principal) for row in rows], total_count=total)


@router.post("/submit", responses=errors(BadRequest, Unauthorized, Forbidden, Conflict, TooLarge, 501))
@own_transactions
@body_rule(lambda settings: settings.max_bundle_bytes + MEGABYTE)  # a bundle with a form around it
async def submit_policy(
    principal: Writer,
    database: DatabaseDep,
    store: StoreDep,
    settings: SettingsDep,
    keys: KeysDep,
    now: Now,
    name: Annotated[str, Form()],
    file: Annotated[UploadFile, File(description="the bundle, a zip archive")],
    season: Annotated[str | None, Form(max_length=200)] = None,
) -> PolicyVersionResponse:
    """Upload a bundle and make a policy version of it, in one request."""
    if (file.size or 0) > settings.max_bundle_bytes:
        max_megabytes = settings.max_bundle_bytes // MEGABYTE
        raise TooLarge(f"Policy too large: {(file.size or 0) // MEGABYTE} MB (max {max_megabytes} MB)")
    upload = await database.write(
        lambda session: uploads.begin_upload(session, principal, store, settings=settings, now=now)
    )
    await anyio.to_thread.run_sync(_keep, file, upload.s3_key, store)
    completion = uploads.Completion(database, store, settings, keys)
    return await completion.complete(
        principal, CompleteRequest(upload_id=upload.upload_id, name=name, season=season), now=now
    )


@router.get("/versions/{policy_version_id}", responses=errors(Unauthorized, NotFound))
def read_version(policy_version_id: uuid.UUID, session: SessionDep, principal: OptionalPrincipal) -> PolicyVersionRow:
    """Return one policy version."""
    return version_row(repository.version(session, policy_version_id), principal)


@router.put("/versions/{policy_version_id}/tags", responses=errors(Unauthorized, Forbidden, NotFound))
def set_tags(
    policy_version_id: uuid.UUID, body: TagsUpdate, session: SessionDep, principal: Writer
) -> PolicyVersionRow:
    """Replace the tags of a version, the one thing about it that may change."""
    return version_row(service.set_tags(session, principal, policy_version_id, body.tags), principal)


@router.get("/{policy_version_id}", responses=errors(Unauthorized, NotFound))
def read_version_by_id(
    policy_version_id: uuid.UUID, session: SessionDep, principal: OptionalPrincipal
) -> PolicyVersionRow:
    """Return one policy version."""
    return version_row(repository.version(session, policy_version_id), principal)


@router.get("/{policy_id}/versions", responses=errors(Unauthorized, NotFound))
def list_versions_of_policy(
    policy_id: uuid.UUID, session: SessionDep, principal: OptionalPrincipal, page: PageDep
) -> PolicyVersionsResponse:
    """Return the versions of a policy, newest first."""
    repository.policy(session, policy_id)
    rows, total = repository.versions(session, VersionFilter(policy_id=policy_id), page)
    return PolicyVersionsResponse(entries=[version_row(row, principal) for row in rows], total_count=total)


@router.post("/{policy_id}/versions", responses=errors(Unauthorized, Forbidden, NotFound, Conflict))
@body_rule(256 * KILOBYTE)
def create_version(
    policy_id: uuid.UUID,
    body: PolicyVersionCreate,
    session: SessionDep,
    principal: Writer,
    settings: SettingsDep,
    keys: KeysDep,
    now: Now,
) -> PolicyVersionResponse:
    """Create a version from a description only; it has no bundle, so it cannot enter a season."""
    policy = service.own_policy(session, principal, policy_id)
    attributes = body.attributes | ({"git_hash": body.git_hash} if body.git_hash else {})
    new = service.NewVersion(spec=body.policy_spec, attributes=attributes)
    version = service.add_version(session, principal, policy, new, settings=settings, keys=keys, now=now)
    return PolicyVersionResponse(id=version.id, name=policy.name, version=version.version)


def _keep(file: UploadFile, key: str, store: Store) -> None:
    """Store a received upload, which is in memory or in a temporary file."""
    with tempfile.NamedTemporaryFile(prefix="observatory-") as copy:
        file.file.seek(0)
        shutil.copyfileobj(file.file, copy)
        copy.flush()
        store.put_file(key, Path(copy.name))
