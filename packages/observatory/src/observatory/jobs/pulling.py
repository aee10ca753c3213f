"""Let the worker that has a lease pull the images of its job, and no others, until the lease is over."""

from __future__ import annotations

import json
import re
import uuid

from observatory.images.access import pull_token
from observatory.images.addresses import REPOSITORIES, Registry
from observatory.jobs.schemas import Lease, RegistryLogin

__all__ = ["with_registry_login"]

_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"


def with_registry_login(lease: Lease, registry: Registry, secret: bytes, *, seconds: float) -> Lease:
    """Return the lease with a password for the images of this server that it names; as it is, if it names none."""
    names = json.dumps([lease.spec.get("manifest"), [policy.image for policy in lease.policies]])
    found = re.findall(rf"\"{re.escape(f'{registry.host}/{REPOSITORIES}')}({_UUID})@", names)
    if not found:
        return lease
    password = pull_token(secret, {uuid.UUID(text) for text in found}, seconds=seconds)
    login = RegistryLogin(host=registry.host, password=password, insecure=registry.origin.startswith("http:"))
    return lease.model_copy(update={"registry": login})
