"""Responses about policies and their uploads."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from softmax.wire.accounts import UserRow
from softmax.wire.base import Nullable, ResponseModel

__all__ = [
    "FileUploadResponse",
    "PoliciesResponse",
    "PolicyBundleResponse",
    "PolicyDeleteResponse",
    "PolicyRow",
    "PolicyVersionResponse",
    "PolicyVersionRow",
    "PolicyVersionSummary",
    "PolicyVersionsResponse",
    "PresignedUploadUrlResponse",
    "SecretEnvResponse",
    "SelectionAccess",
]


class PolicyVersionSummary(ResponseModel):
    """A policy version where others appear with it."""

    id: UUID
    name: str | None = None
    version: int | None = None

    @property
    def label(self) -> str:
        """Return `name:vN`; the id replaces a missing name, and a missing version is omitted."""
        name = self.name or str(self.id)
        return name if self.version is None else f"{name}:v{self.version}"


class PolicyVersionRow(ResponseModel):
    """A policy version. Only its owner sees `s3_path`."""

    user_id: str
    user: UserRow | None = None
    id: UUID
    policy_id: UUID
    name: str
    version: int
    created_at: datetime
    policy_created_at: datetime
    tags: dict[str, str] | None = None
    attributes: dict[str, Any] | None = None
    internal_id: int | None = None
    s3_path: str | None = None
    container_image_id: str | None = None
    kind: Nullable[Literal["bundle", "image", "file", "description"]] = None
    policy_version_id: Nullable[UUID] = None
    """the same as `id`"""
    policy_name: Nullable[str] = None
    """the same as `name`"""

    @property
    def label(self) -> str:
        return f"{self.name}:v{self.version}"


class PolicyVersionsResponse(ResponseModel):
    entries: list[PolicyVersionRow]
    total_count: int
    next_cursor: Nullable[str] = None


class PolicyRow(ResponseModel):
    user_id: str
    user: UserRow | None = None
    id: UUID
    name: str
    created_at: datetime
    attributes: dict[str, Any]
    version_count: int
    latest_version_id: UUID | None = None
    latest_version: int | None = None
    latest_version_created_at: datetime | None = None


class PoliciesResponse(ResponseModel):
    entries: list[PolicyRow]
    total_count: int


class PresignedUploadUrlResponse(ResponseModel):
    """Where to PUT a bundle, as `application/zip`, within the hour."""

    upload_url: str
    s3_key: str
    upload_id: UUID


class PolicyVersionResponse(ResponseModel):
    """A new version, and the pools it entered, when a season was named."""

    id: UUID
    name: str
    version: int
    pools: list[str] | None = None
    submit_error: str | None = None


class SecretEnvResponse(ResponseModel):
    """The id by which a new policy version names secrets."""

    id: UUID


class FileUploadResponse(ResponseModel):
    """Where to PUT a file, as `application/octet-stream`; or the version that these bytes already are."""

    upload_url: Nullable[str] = None
    existing_policy_version: Nullable[PolicyVersionResponse] = None


class SelectionAccess(ResponseModel):
    """The users who may give a policy a seat in an episode on request."""

    selection_scope: Literal["any_request", "owner_visible"]


class PolicyBundleResponse(ResponseModel):
    """Where to download the bundle or file of a policy version."""

    url: str
    """signed; valid for a limited time, without a token"""
    kind: Literal["bundle", "file"]
    size_bytes: int | None = None
    sha256: str | None = None


class PolicyDeleteResponse(ResponseModel):
    """The deleted versions, as `name:vN`."""

    deleted: list[str]
