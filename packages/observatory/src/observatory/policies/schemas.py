"""Requests about policies, and responses that no published client reads; the others are in `softmax.wire`."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from observatory.database.tables.policies import SelectionScope
from observatory.documents import Document
from observatory.wire import Body

__all__ = [
    "CompleteRequest",
    "FilePolicy",
    "GrantRequest",
    "ImagePolicy",
    "NetworkGrantRow",
    "PolicyCreate",
    "PolicyVersionCreate",
    "SecretEnvCreate",
    "SelectionAccessUpdate",
    "TagsUpdate",
]

MAX_VERSION = 2**31 - 1

Word = Annotated[str, StringConstraints(max_length=4096)]
Quantity = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,9}(\.[0-9]{1,3})?(m|[KMGT]i?)?$")]


class CompleteRequest(Body):
    """An upload that has arrived becomes a version. `policy_secret_env` is never shown again."""

    upload_id: uuid.UUID
    name: str = Field(description="of the policy: 1 to 64 characters, no `:`")
    season: str | None = Field(default=None, max_length=200)
    policy_secret_env: dict[str, str] | None = Field(
        default=None,
        description="at most 10 variables for the policy's own process; names of at most 100 capitals, digits and `_`, "
        "values of at most 2000 characters",
        repr=False,
    )


class PolicyCreate(Body):
    name: str
    attributes: Document = Field(default_factory=dict)


class PolicyCreated(BaseModel):
    id: uuid.UUID


class PolicyVersionCreate(Body):
    """A version by description alone: it has no bundle, and plays in no season."""

    policy_spec: Document = Field(default_factory=dict)
    attributes: Document = Field(default_factory=dict)
    git_hash: str | None = Field(default=None, max_length=100)


class SecretEnvCreate(Body):
    """Variables for a policy's own process. They are never shown again."""

    policy_secret_env: dict[str, str] = Field(
        description="at most 10 variables; names of at most 100 capitals, digits and `_`, values of at most 2000 "
        "characters",
        repr=False,
    )


class ResourceRequests(Body):
    model_config = ConfigDict(populate_by_name=True, serialize_by_alias=True)

    cpu: Quantity | None = None
    memory: Quantity | None = None
    gpu: Literal[1] | None = None
    instance_type: str | None = Field(
        default=None, alias="instance-type", max_length=100, description="for administrators"
    )
    ephemeral_storage: Quantity | None = Field(default=None, alias="ephemeral-storage")


class ResourceLimits(Body):
    cpu: Quantity | None = None
    memory: Quantity | None = None


class PolicyResources(Body):
    """What the container of a policy gets, as Kubernetes writes it: `500m`, `2Gi`."""

    requests: ResourceRequests = Field(default_factory=ResourceRequests)
    limits: ResourceLimits | None = None


class PolicyStartup(Body):
    """Where the container of a policy says that it is ready."""

    port: int = Field(ge=1024, le=65535)
    path: str = Field(default="/healthz", pattern="^/", max_length=500)
    timeout_seconds: int = Field(default=1200, ge=1, le=1200)


class ImagePolicy(Body):
    """A container image that becomes a policy version."""

    container_image_id: str = Field(max_length=100, description="such as `img_0198...`")
    name: str | None = Field(default=None, description="of the policy; by default the name of the uploading player")
    run: list[Word] | None = Field(default=None, max_length=100, description="the command, instead of the image's")
    policy_secret_env_id: uuid.UUID | None = Field(default=None, description="from `POST /stats/policy-secret-envs`")
    resources: PolicyResources | None = None
    startup: PolicyStartup | None = None
    tags: dict[str, str] = Field(default_factory=dict)


class FilePolicy(Body):
    """A file that becomes a policy version, for games that load players themselves."""

    content_hash: str = Field(pattern="^[0-9a-f]{64}$", description="SHA-256 of the file, in hexadecimal")
    size_bytes: int = Field(ge=0, le=2**53)
    name: str | None = Field(default=None, description="of the policy; by default the name of the uploading player")
    tags: dict[str, str] = Field(default_factory=dict)


class SelectionAccessUpdate(Body):
    selection_scope: SelectionScope = Field(
        description="who may give the policy a seat in an episode on request: `any_request` for every user, "
        "`owner_visible` for its owner"
    )


class TagsUpdate(Body):
    """Replaces all tags of a version."""

    tags: dict[str, str]


class GrantRequest(Body):
    host: str = Field(
        description="such as `api.example.com` or `api.example.com:8443`; "
        "`@package-index` lets the setup script install packages"
    )
    scope: Literal["version", "owner"] = Field(
        default="version", description="for this version, or for all versions of its owner, also those to come"
    )


class NetworkGrantRow(BaseModel):
    """A host to which a version may connect, or `@package-index` for its setup script."""

    host: str
    reason: str
    scope: Literal["version", "owner"]
    granted_by: str | None
    created_at: datetime
