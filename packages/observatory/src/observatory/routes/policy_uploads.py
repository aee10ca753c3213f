"""Policies from container images and files, and who may select a policy."""

from __future__ import annotations

import uuid

from observatory.clock import Now
from observatory.database import DatabaseDep, SessionDep, own_transactions
from observatory.errors import BadRequest, Conflict, Forbidden, NotFound, TooLarge, Unauthorized, errors
from observatory.http.bodies import KILOBYTE
from observatory.http.callers import CurrentPrincipal, Writer
from observatory.http.deps import KeysDep, SettingsDep, StoreDep
from observatory.http.routing import Router, body_rule
from observatory.policies import repository, service
from observatory.policies.schemas import FilePolicy, ImagePolicy, SecretEnvCreate, SelectionAccessUpdate
from observatory.policies.secrets import check_secrets, requested_hosts, store_secret_env
from observatory.uploads.files import FileCompletion, begin_file_upload
from observatory.uploads.images import version_from_image
from softmax.wire import PolicyVersionResponse
from softmax.wire.policies import FileUploadResponse, SecretEnvResponse, SelectionAccess

__all__ = ["router"]

router = Router(tags=["policy_uploads"])


@router.post("/stats/policy-secret-envs", responses=errors(Unauthorized, Forbidden))
@body_rule(256 * KILOBYTE)
def create_secret_env(
    body: SecretEnvCreate, session: SessionDep, principal: Writer, keys: KeysDep, now: Now
) -> SecretEnvResponse:
    """Store secrets for a policy version that will be created within a day. They are never shown again."""
    secrets = check_secrets(body.policy_secret_env)
    requested_hosts(secrets)
    return SecretEnvResponse(id=store_secret_env(session, keys, principal.user_id, secrets, now=now))


@router.post(
    "/stats/policies/docker-img/complete",
    responses=errors(BadRequest, Unauthorized, Forbidden, NotFound, Conflict, TooLarge),
)
@body_rule(512 * KILOBYTE)
def complete_image_policy(
    body: ImagePolicy, session: SessionDep, principal: Writer, settings: SettingsDep, keys: KeysDep, now: Now
) -> PolicyVersionResponse:
    """Create a policy version that runs from a container image."""
    return version_from_image(session, principal, body, settings=settings, keys=keys, now=now)


@router.post("/stats/policies/files/upload", responses=errors(BadRequest, Unauthorized, Forbidden, Conflict, TooLarge))
def begin_file_policy(
    body: FilePolicy, session: SessionDep, principal: Writer, store: StoreDep, settings: SettingsDep, now: Now
) -> FileUploadResponse:
    """Return where to put a file, or the version that is this file; 409 means that only the completion is missing."""
    return begin_file_upload(session, principal, body, store, settings=settings, now=now)


@router.post(
    "/stats/policies/files/complete", responses=errors(BadRequest, Unauthorized, Forbidden, Conflict, TooLarge)
)
@own_transactions
async def complete_file_policy(
    body: FilePolicy,
    principal: Writer,
    database: DatabaseDep,
    store: StoreDep,
    settings: SettingsDep,
    keys: KeysDep,
    now: Now,
) -> PolicyVersionResponse:
    """Create a policy version from an uploaded file. The same file under the same name is the same version."""
    return await FileCompletion(database, store, settings, keys).complete(principal, body, now=now)


@router.get("/v2/policies/{policy_id}/selection-access", responses=errors(Unauthorized, Forbidden, NotFound))
def read_selection_access(policy_id: uuid.UUID, session: SessionDep, principal: CurrentPrincipal) -> SelectionAccess:
    """Return who may give a policy of the caller a seat in an episode on request."""
    policy = repository.policy(session, policy_id) if principal.is_admin else None
    policy = policy or service.own_policy(session, principal, policy_id)
    return SelectionAccess(selection_scope=policy.selection_scope.value)


@router.put("/v2/policies/{policy_id}/selection-access", responses=errors(Unauthorized, Forbidden, NotFound))
def set_selection_access(
    policy_id: uuid.UUID, body: SelectionAccessUpdate, session: SessionDep, principal: Writer
) -> SelectionAccess:
    """Set who may give a policy of the caller a seat in an episode on request."""
    policy = service.set_selection_scope(session, principal, policy_id, body.selection_scope)
    return SelectionAccess(selection_scope=policy.selection_scope.value)
