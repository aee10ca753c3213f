"""Turn a container image into a policy version."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.errors import BadRequest, Forbidden, Unprocessable
from observatory.images.service import ready_image
from observatory.keys import Keys
from observatory.policies import service
from observatory.policies.schemas import ImagePolicy
from observatory.policies.secrets import take_secret_env, wants_models
from observatory.public_ids import parse_public_id, public_id
from observatory.settings import Settings
from observatory.uploads.completion import version_response
from observatory.uploads.names import name_for
from softmax.wire import PolicyVersionResponse

__all__ = ["version_from_image"]


def version_from_image(
    session: Session, principal: Principal, body: ImagePolicy, *, settings: Settings, keys: Keys, now: datetime
) -> PolicyVersionResponse:
    """Create a policy version that runs from an image of the caller, or from a public one."""
    image = ready_image(session, principal, parse_public_id("img", body.container_image_id, error=Unprocessable))
    if body.resources is not None and body.resources.requests.instance_type is not None and not principal.is_admin:
        raise Forbidden("Only administrators may choose the type of a machine; leave `instance-type` out")
    secrets = {}
    if body.policy_secret_env_id is not None:
        secrets = take_secret_env(session, keys, principal.user_id, body.policy_secret_env_id)
        if wants_models(secrets) and not settings.model_gateway_hosts:
            raise BadRequest(
                "This server offers no models to policies; its operator can set OBSERVATORY_MODEL_GATEWAY_HOSTS"
            )
    spec = body.model_dump(mode="json", include={"run", "resources", "startup"}, exclude_none=True)
    policy = service.get_or_create_policy(
        session, principal, name_for(session, principal, body.name), settings=settings, now=now
    )
    new = service.NewVersion(container_image_id=public_id("img", image.id), spec=spec, tags=body.tags, secrets=secrets)
    version = service.add_version(session, principal, policy, new, settings=settings, keys=keys, now=now)
    return version_response(version)
