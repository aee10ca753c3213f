"""Requests about policies, and responses that no published client reads; the others are in `softmax.wire`."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from observatory.documents import Document
from observatory.wire import Body

__all__ = [
    "CompleteRequest",
    "GrantRequest",
    "NetworkGrantRow",
    "PolicyCreate",
    "PolicyVersionCreate",
    "TagsUpdate",
]

MAX_VERSION = 2**31 - 1


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
