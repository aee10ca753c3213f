"""Responses about published Coworlds, their certification, secrets and files, and about reporters."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from softmax.wire.base import Nullable, ResponseModel

__all__ = [
    "CertificationFailure",
    "CertificationStatus",
    "CertificationStep",
    "ContentUpload",
    "CoworldResponse",
    "CoworldRow",
    "CoworldSecretRow",
    "CoworldSummaryRow",
    "CoworldVersionRow",
    "CoworldVisibility",
    "ManifestSummary",
    "ReporterOutputRow",
    "ReporterRegistration",
    "ReporterRow",
    "ReporterRowDetail",
    "ReporterUpload",
    "ReporterUploadComplete",
    "ReporterVersionRow",
    "RoleOutputRow",
    "RoleRunRow",
    "VariantName",
    "ViewerBundle",
]


class CoworldResponse(ResponseModel):
    """A version of a game. The images of its manifest are addresses that can be pulled."""

    id: str
    name: str
    version: str
    visibility: Literal["public", "private"]
    manifest: dict[str, Any]
    manifest_hash: str
    size_bytes: int
    canonical: bool
    forum_markdown_url: str
    wiki_markdown_url: str
    documentation_url: str
    certification_status_url: str
    certification_transcript_url: str


class VariantName(ResponseModel):
    id: str
    name: str


class ManifestSummary(ResponseModel):
    description: str
    owner: str
    variants: list[VariantName]
    role_counts: dict[str, int]


class CoworldSummaryRow(ResponseModel):
    id: str
    name: str
    version: str
    visibility: Literal["public", "private"]
    manifest_summary: ManifestSummary
    manifest_hash: str
    size_bytes: int
    created_at: datetime
    canonical: bool


class CoworldRow(CoworldSummaryRow):
    """As clients of the first two generations list it."""

    manifest: dict[str, Any]


class CertificationFailure(ResponseModel):
    kind: str
    detail: str
    remediation: str
    retryable: bool
    documentation_url: Nullable[str] = None


class CertificationStep(ResponseModel):
    id: str
    status: str


class CertificationStatus(ResponseModel):
    coworld_id: str
    state: Literal["never_run", "queued", "certifying", "certified", "failed"]
    certified: bool
    contract_version: Nullable[str] = None
    certification_job_id: Nullable[str] = None
    failed_step: Nullable[str] = None
    failure: Nullable[CertificationFailure] = None
    transcript_summary: list[CertificationStep]
    completed_at: Nullable[datetime] = None


class CoworldVersionRow(ResponseModel):
    id: str
    version: str
    canonical: bool


class CoworldVisibility(ResponseModel):
    name: str
    visibility: Literal["public", "private"]
    changed: bool
    versions: list[CoworldVersionRow]
    private_league_ids: list[str]
    private_seed_ids: list[str]


class ContentUpload(ResponseModel):
    """Where to PUT the bytes of a file; null if they are stored already."""

    upload_url: Nullable[str] = None
    bundle: Nullable[str] = Field(default=None, description="`sha256:...` of a viewer bundle")


class ViewerBundle(ResponseModel):
    bundle: str
    status: Literal["ready", "expanding", "failed", "pending"]
    detail: Nullable[str] = None


class CoworldSecretRow(ResponseModel):
    coworld_id: Nullable[str] = None
    coworld_name: str
    owner_user_id: str
    secret_name: str
    size_bytes: int
    updated_at: Nullable[datetime] = None


class ReporterRegistration(ResponseModel):
    id: str
    name: str
    user_id: str
    created: bool
    reporter_key: Nullable[str] = Field(default=None, description="shown once")


class ReporterVersionRow(ResponseModel):
    id: UUID
    name: str
    version: int
    content_hash: str


class ReporterUpload(ResponseModel):
    upload_url: Nullable[str] = None
    existing_version: Nullable[ReporterVersionRow] = None


class ReporterUploadComplete(ResponseModel):
    version: ReporterVersionRow


class ReporterRow(ResponseModel):
    id: str
    name: str
    display_name: str
    description: str
    user_id: str
    latest_version: Nullable[int] = None
    outputs: list[dict[str, Any]]
    run_count: int
    output_count: int
    created_at: datetime


class ReporterOutputRow(ResponseModel):
    id: UUID
    reporter_id: str
    reporter_run_id: Nullable[UUID] = None
    name: str
    type: str
    size_bytes: int
    media_type: Nullable[str] = None
    created_at: datetime
    url: str


class RoleOutputRow(ResponseModel):
    """What a role wrote about an episode."""

    id: UUID
    name: str
    type: str
    media_type: Nullable[str] = None
    size_bytes: int
    created_at: datetime
    url: str


class RoleRunRow(ResponseModel):
    """A reporter, grader or diagnoser of a game looks at an episode."""

    id: UUID
    episode_request_id: str
    role: Literal["reporter", "grader", "diagnoser"]
    role_id: str
    target: Nullable[int] = Field(default=None, description="the seat that a diagnoser looks at")
    status: Literal["pending", "running", "completed", "failed"]
    error: Nullable[str] = None
    outputs: list[RoleOutputRow]
    created_at: datetime
    completed_at: Nullable[datetime] = None


class ReporterRowDetail(ReporterRow):
    purpose: Nullable[str] = None
    latest_output: Nullable[ReporterOutputRow] = None
