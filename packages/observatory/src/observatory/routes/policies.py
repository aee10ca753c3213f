"""Policies and uploads over HTTP."""

from __future__ import annotations

import uuid
from typing import Annotated

import anyio.to_thread
from fastapi import Depends, Path, Query

from observatory.clock import Now
from observatory.cursors import CursorPage, cursor_page
from observatory.database import DatabaseDep, SessionDep, own_transactions
from observatory.database.tables.policies import GrantReason, PolicyKind
from observatory.errors import BadRequest, Conflict, Forbidden, NotFound, TooLarge, Unauthorized, Unprocessable, errors
from observatory.http.bodies import KILOBYTE
from observatory.http.callers import Admin, CurrentPrincipal, OptionalPrincipal, Writer
from observatory.http.deps import KeysDep, SettingsDep, StoreDep
from observatory.http.routing import Router, body_rule
from observatory.paging import MAX_IDS, MAX_LIMIT, PageDep
from observatory.policies import deletion, grants, repository, service
from observatory.policies.archives import archive_key
from observatory.policies.names import MAX_HOST_CHARACTERS, is_host
from observatory.policies.repository import PolicyFilter, VersionFilter
from observatory.policies.schemas import MAX_VERSION, CompleteRequest, GrantRequest, NetworkGrantRow
from observatory.policies.wire import policy_row, version_row
from observatory.uploads import completion as uploads
from softmax.wire import (
    PoliciesResponse,
    PolicyBundleResponse,
    PolicyDeleteResponse,
    PolicyVersionResponse,
    PolicyVersionRow,
    PolicyVersionsResponse,
    PresignedUploadUrlResponse,
)

__all__ = ["router"]

router = Router(prefix="/stats", tags=["policies"])

Name = Annotated[str | None, Query(max_length=200)]


@router.get("/policy-versions", responses=errors(Unauthorized))
def list_policy_versions(
    session: SessionDep,
    principal: OptionalPrincipal,
    page: Annotated[CursorPage, Depends(cursor_page(50, max_limit=MAX_LIMIT))],
    mine: bool = False,
    name_exact: Name = None,
    name_fuzzy: Name = None,
    version: Annotated[int | None, Query(ge=0, le=MAX_VERSION)] = None,
    policy_version_ids: Annotated[list[uuid.UUID] | None, Query(max_length=MAX_IDS)] = None,
) -> PolicyVersionsResponse:
    """Return policy versions, newest first; with `mine` those of the caller."""
    if mine and principal is None:
        raise Unauthorized
    filters = VersionFilter(
        name_exact=name_exact,
        name_fuzzy=name_fuzzy,
        user_id=principal.user_id if mine and principal is not None else None,
        version=version,
        ids=policy_version_ids,
    )
    versions, total = repository.versions_after(session, filters, page)
    return PolicyVersionsResponse(
        entries=[version_row(row, principal) for row in versions.rows],
        total_count=total,
        next_cursor=versions.next_cursor,
    )


@router.get("/policy-versions/{policy_version_id}", responses=errors(Unauthorized, NotFound))
def read_policy_version(
    policy_version_id: uuid.UUID, session: SessionDep, principal: OptionalPrincipal
) -> PolicyVersionRow:
    """Return one policy version."""
    return version_row(repository.version(session, policy_version_id), principal)


@router.get("/policy-versions/{policy_version_id}/bundle", responses=errors(Unauthorized, Forbidden, NotFound))
def read_bundle(
    policy_version_id: uuid.UUID,
    session: SessionDep,
    principal: CurrentPrincipal,
    store: StoreDep,
    settings: SettingsDep,
) -> PolicyBundleResponse:
    """Return a signed URL of the bundle or file of a version of the caller's; any version's for administrators."""
    if principal.is_admin:
        version = repository.version(session, policy_version_id)
    else:
        version = service.own_version(session, principal, policy_version_id)
    key = archive_key(version)
    if key is None or store.size(key) is None:
        what = "it is a container image" if version.kind is PolicyKind.IMAGE else "the server has none"
        raise NotFound(f"{version.policy.name}:v{version.version} has no bundle: {what}")
    return PolicyBundleResponse(
        url=store.download_url(key, seconds=settings.download_url_seconds),
        kind="file" if version.kind is PolicyKind.FILE else "bundle",
        size_bytes=version.bundle_bytes,
        sha256=version.bundle_sha256,
    )


@router.delete("/policy-versions/{policy_version_id}", responses=errors(Unauthorized, Forbidden, NotFound, Conflict))
@own_transactions
async def delete_policy_version(
    policy_version_id: uuid.UUID, database: DatabaseDep, principal: Writer, store: StoreDep
) -> PolicyDeleteResponse:
    """Delete a version of the caller's with its bundle and secrets; 409 if a match or another record names it."""
    deleted = await database.write(lambda session: deletion.delete_version(session, principal, policy_version_id))
    return await _remove_bundles(deleted, store)


@router.delete("/policies/{policy_id}", responses=errors(Unauthorized, Forbidden, NotFound, Conflict))
@own_transactions
async def delete_policy(
    policy_id: uuid.UUID, database: DatabaseDep, principal: Writer, store: StoreDep
) -> PolicyDeleteResponse:
    """Delete a policy of the caller's with all versions; 409, and nothing is deleted, if a record names one of them."""
    deleted = await database.write(lambda session: deletion.delete_policy(session, principal, policy_id))
    return await _remove_bundles(deleted, store)


@router.get("/policies", responses=errors(Unauthorized))
def list_policies(
    session: SessionDep,
    principal: OptionalPrincipal,
    page: PageDep,
    name_exact: Name = None,
    name_fuzzy: Name = None,
) -> PoliciesResponse:
    """Return policies, newest first, each with its latest version."""
    rows, total = repository.policies(session, PolicyFilter(name_exact, name_fuzzy), page)
    return PoliciesResponse(entries=[policy_row(row, principal) for row in rows], total_count=total)


@router.post("/policies/submit/presigned-url", responses=errors(Unauthorized, Forbidden))
def begin_upload(
    session: SessionDep, principal: Writer, store: StoreDep, settings: SettingsDep, now: Now
) -> PresignedUploadUrlResponse:
    """Return a URL to upload a bundle to."""
    return uploads.begin_upload(session, principal, store, settings=settings, now=now)


@router.post(
    "/policies/submit/complete", responses=errors(BadRequest, Unauthorized, Forbidden, Conflict, TooLarge, 501)
)
@own_transactions
@body_rule(256 * KILOBYTE)
async def complete_upload(
    body: CompleteRequest,
    principal: Writer,
    database: DatabaseDep,
    store: StoreDep,
    settings: SettingsDep,
    keys: KeysDep,
    now: Now,
) -> PolicyVersionResponse:
    """Create a policy version from an uploaded bundle. A repeated request for an upload returns the same version."""
    completion = uploads.Completion(database, store, settings, keys)
    return await completion.complete(principal, body, now=now)


@router.get("/policy-versions/{policy_version_id}/network", responses=errors(Unauthorized, Forbidden, NotFound))
def list_network_grants(
    policy_version_id: uuid.UUID, session: SessionDep, principal: CurrentPrincipal
) -> list[NetworkGrantRow]:
    """Return the hosts to which a version of the caller may connect."""
    if not principal.is_admin:
        service.own_version(session, principal, policy_version_id)
    return _grants(session, policy_version_id)


@router.post("/policy-versions/{policy_version_id}/network", responses=errors(Unauthorized, Forbidden, NotFound))
def grant_network(
    policy_version_id: uuid.UUID, body: GrantRequest, session: SessionDep, admin: Admin, now: Now
) -> list[NetworkGrantRow]:
    """Allow a version, or all versions of its owner, to connect to a host; for administrators, with an audit entry."""
    version = repository.version(session, policy_version_id)
    if body.host != grants.PACKAGE_INDEX and not is_host(body.host):
        raise Unprocessable(
            f"{body.host[:80]!r} is not a host name; write `api.example.com`, in lower case, or {grants.PACKAGE_INDEX}"
        )
    scoped = grants.Scoped(body.host, grants.GrantScope(body.scope))
    grants.grant_by_operator(session, version, scoped, actor_id=admin.user_id, now=now)
    return _grants(session, policy_version_id)


@router.delete(
    "/policy-versions/{policy_version_id}/network/{host}", responses=errors(Unauthorized, Forbidden, NotFound)
)
def revoke_network(
    policy_version_id: uuid.UUID,
    host: Annotated[str, Path(max_length=MAX_HOST_CHARACTERS)],
    session: SessionDep,
    admin: Admin,
    now: Now,
    scope: Annotated[grants.GrantScope, Query()] = grants.GrantScope.VERSION,
) -> list[NetworkGrantRow]:
    """Revoke a grant; for administrators. Jobs that were leased before keep it."""
    version = repository.version(session, policy_version_id)
    grants.revoke(session, version, grants.Scoped(host, scope), actor_id=admin.user_id, now=now)
    return _grants(session, policy_version_id)


async def _remove_bundles(deleted: deletion.Deleted, store: StoreDep) -> PolicyDeleteResponse:
    """Remove the bundles of versions that are no longer in the database."""
    for key in deleted.keys:
        await anyio.to_thread.run_sync(store.delete, key)
    return PolicyDeleteResponse(deleted=deleted.labels)


def _grants(session: SessionDep, policy_version_id: uuid.UUID) -> list[NetworkGrantRow]:
    of_version = [
        NetworkGrantRow(
            host=row.host, reason=row.reason, scope="version", granted_by=row.granted_by, created_at=row.created_at
        )
        for row in grants.grants(session, policy_version_id)
    ]
    of_owner = [
        NetworkGrantRow(
            host=row.host,
            reason=GrantReason.OPERATOR,
            scope="owner",
            granted_by=row.granted_by,
            created_at=row.created_at,
        )
        for row in grants.owner_grants(session, policy_version_id)
    ]
    return of_version + of_owner
