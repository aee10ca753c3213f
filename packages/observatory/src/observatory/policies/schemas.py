"""Request and response schemas of policies."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from observatory.accounts.schemas import UserRow
from observatory.documents import Document
from observatory.wire import Body

__all__ = [
    "CompleteRequest",
    "GrantRequest",
    "NetworkGrantRow",
    "PoliciesResponse",
    "PolicyCreate",
    "PolicyRow",
    "PolicyVersionCreate",
    "PolicyVersionResponse",
    "PolicyVersionRow",
    "PolicyVersionSummary",
    "PolicyVersionsResponse",
    "PresignedUploadUrlResponse",
    "TagsUpdate",
]

MAX_VERSION = 2**31 - 1


class PolicyVersionSummary(BaseModel):
    """A policy version where others appear with it."""

    id: uuid.UUID
    name: str | None = None
    version: int | None = None


class PolicyVersionRow(BaseModel):
    """A policy version. Only its owner sees `s3_path`."""

    user_id: str
    user: UserRow | None = None
    id: uuid.UUID
    policy_id: uuid.UUID
    name: str
    version: int
    created_at: datetime
    policy_created_at: datetime
    tags: dict[str, str] | None = None
    attributes: dict[str, Any] | None = None
    internal_id: int | None = None
    s3_path: str | None = None
    container_image_id: str | None = None


class PolicyVersionsResponse(BaseModel):
    entries: list[PolicyVersionRow]
    total_count: int


class PolicyRow(BaseModel):
    user_id: str
    user: UserRow | None = None
    id: uuid.UUID
    name: str
    created_at: datetime
    attributes: dict[str, Any]
    version_count: int
    latest_version_id: uuid.UUID | None = None
    latest_version: int | None = None
    latest_version_created_at: datetime | None = None


class PoliciesResponse(BaseModel):
    entries: list[PolicyRow]
    total_count: int


class PresignedUploadUrlResponse(BaseModel):
    """Where to PUT a bundle, as `application/zip`, within the hour."""

    upload_url: str
    s3_key: str
    upload_id: uuid.UUID


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


class PolicyVersionResponse(BaseModel):
    """A new version, and the pools it entered, when a season was named."""

    id: uuid.UUID
    name: str
    version: int
    pools: list[str] | None = None
    submit_error: str | None = None


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
